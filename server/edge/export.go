package edge

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// The files that Export writes, for web servers that read links from a file
// instead of asking for them. Both have path and query of each page (see key) and
// its links, as one value of the Link header without white space.
const (
	// MapFile has a line "key value" for each page, sorted by the bytes of the
	// keys: a map of HAProxy, and what Apache searches.
	MapFile = "links.map"
	// NginxFile has the same for the map directive of nginx (see nginxLines).
	NginxFile = "links.nginx"
)

// sortFile is the database that sorts the pages.
const sortFile = "pages.sqlite"

// maxValue is the longest value, in bytes: what Apache and HAProxy take in one
// header line. A page with more links gets fewer of them.
const maxValue = 8000

// Page is a URI with the links whose context it is.
type Page struct {
	URI   string
	Links linkset.LinkSet
}

// Exported counts what was written, and what was not.
type Exported struct {
	Pages   int `json:"pages"`
	Foreign int `json:"foreign"` // pages on other hosts than the repository's
	Refused int `json:"refused"` // pages whose address or links do not fit into a file
}

// Export writes the files for a repository to dir, which it makes if necessary.
// hosts are the names of the repository's host: pages on other hosts are left out.
// If an address is listed twice, its first links count. If two addresses are the
// same to a web server, neither gets links. The links of a page should be within
// the budget of headers.
//
// Each file replaces the one before as a whole. One process at a time writes to
// dir, the others wait. The result depends on pages alone. The program must have
// the SQLite driver "sqlite3".
func Export(ctx context.Context, dir string, hosts []string, pages iter.Seq2[Page, error]) (Exported, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Exported{}, fmt.Errorf("make the folder for exported links: %w", err)
	}
	unlock, err := lockFolder(ctx, dir)
	if err != nil {
		return Exported{}, fmt.Errorf("wait for another export to %s: %w", dir, err)
	}
	defer unlock()
	if err := removeScratch(dir); err != nil {
		return Exported{}, fmt.Errorf("remove what an interrupted export left in %s: %w", dir, err)
	}
	scratch, err := os.MkdirTemp(dir, scratchName)
	if err != nil {
		return Exported{}, fmt.Errorf("export links to %s: %w", dir, err)
	}
	defer os.RemoveAll(scratch)
	e := exporter{dir: scratch, hosts: map[string]bool{}}
	for _, h := range hosts {
		e.hosts[bareHost(h)] = true
	}
	if err := e.write(ctx, pages); err != nil {
		return e.Exported, fmt.Errorf("export links to %s: %w", dir, err)
	}
	for _, name := range []string{MapFile, NginxFile} {
		if err := publish(filepath.Join(scratch, name), filepath.Join(dir, name)); err != nil {
			return e.Exported, fmt.Errorf("export links to %s: %w", dir, err)
		}
	}
	return e.Exported, nil
}

// exporter sorts the pages in a database, so that memory does not grow with their
// number.
type exporter struct {
	Exported
	dir   string
	hosts map[string]bool
}

func (e *exporter) write(ctx context.Context, pages iter.Seq2[Page, error]) error {
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.Join(e.dir, sortFile)}
	// The file is removed at the end: it needs no journal.
	db, err := sql.Open("sqlite3", file.String()+"?_journal_mode=OFF&_synchronous=OFF&_cache_size=-32000")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE TABLE page (key TEXT PRIMARY KEY, link TEXT NOT NULL, published TEXT NOT NULL) WITHOUT ROWID`); err != nil {
		return err
	}
	if err := e.fill(ctx, db, pages); err != nil {
		return err
	}
	if err := errors.Join(e.writeMap(ctx, db), e.writeNginx(ctx, db)); err != nil {
		return err
	}
	return db.Close()
}

func (e *exporter) fill(ctx context.Context, db *sql.DB, pages iter.Seq2[Page, error]) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Two addresses with one key are two pages to the repository: which of them
	// a request means is unknown, and neither gets links.
	insert, err := tx.PrepareContext(ctx, `INSERT INTO page (key, link, published) VALUES (?, ?, ?)
		ON CONFLICT DO UPDATE SET link = '' WHERE link <> excluded.link AND published <> excluded.published`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for p, err := range pages {
		if err != nil {
			return err
		}
		values := e.valuesFor(p)
		if values == "" {
			continue
		}
		key := keyOf(afterHost(p.URI))
		if _, err := insert.ExecContext(ctx, key.String(), values, key.raw); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM page WHERE link = ''`); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM page`).Scan(&e.Pages); err != nil {
		return err
	}
	return tx.Commit()
}

// valuesFor returns the values for a page. It counts the pages that have none.
func (e *exporter) valuesFor(p Page) string {
	u, err := url.Parse(p.URI)
	switch values := valuesOf(p.Links); {
	case err != nil, checkBase(u) != nil:
	case !e.hosts[bareHost(u.Host)]:
		e.Foreign++
		return ""
	case keyOf(afterHost(p.URI)).fits() && values != "":
		return values
	}
	e.Refused++
	return ""
}

// valuesOf returns the links as one value, and then fewer of them, as
// linkset.Shorter chooses, down to the link to the link set alone: those that are
// not too long, one a line.
func valuesOf(links linkset.LinkSet) string {
	var values []string
	add := func(some linkset.LinkSet) {
		if v := some.Joined(); v != "" && len(v) <= maxValue && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	add(links)
	for _, fewer := range links.Shorter() {
		add(fewer)
	}
	add(links.Rel("linkset"))
	return strings.Join(values, "\n")
}

func (e *exporter) writeMap(ctx context.Context, db *sql.DB) (err error) {
	file, err := create(filepath.Join(e.dir, MapFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.close()) }()
	rows, err := db.QueryContext(ctx, `SELECT key, link FROM page ORDER BY key`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key, values string
		if err := rows.Scan(&key, &values); err != nil {
			return err
		}
		value, _, _ := strings.Cut(values, "\n")
		file.WriteString(key + " " + value + "\n")
	}
	return rows.Err()
}

func (e *exporter) writeNginx(ctx context.Context, db *sql.DB) (err error) {
	file, err := create(filepath.Join(e.dir, NginxFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.close()) }()
	rows, err := db.QueryContext(ctx, `SELECT published, link, lower(key) FROM page ORDER BY 3, key`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var same []nginxPage // up to this row, those whose keys differ in capital letters only
	var key string
	for rows.Next() {
		var published, values, small string
		if err := rows.Scan(&published, &values, &small); err != nil {
			return err
		}
		if small != key {
			file.WriteString(nginxLines(same))
			same, key = same[:0], small
		}
		if len(same) < maxSame {
			same = append(same, nginxPage{published, strings.Split(values, "\n")})
		}
	}
	file.WriteString(nginxLines(same))
	return rows.Err()
}
