package edge

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"fingerpost/bridge/linkset"
)

// The files that Export writes, for web servers that read links instead of
// asking for them. All hold the same: path and query of a page, in the form
// that each server can bring a request into (see key), and its links as one
// value of the Link header without white space.
const (
	// MapFile has a line "path value" for each page: a map of HAProxy.
	MapFile = "links.map"
	// DBMFile has the same for Apache's httxt2dbm.
	DBMFile = "links.txt"
	// NginxFile has the same for the map directive of nginx, in a form of its
	// own (see nginxLines).
	NginxFile = "links.nginx"
	// SQLiteFile is a database with a table linkheader(path, link, published), for
	// Apache's mod_dbd. Nobody writes to it where it is: it is replaced.
	SQLiteFile = "links.sqlite"
)

// The longest values, in bytes. Where the links of a page take more, less of
// them are written, in the way of linkset.Fit.
const (
	maxValue   = 8000 // what Apache and HAProxy take in one header line
	maxDBMLine = 1000 // httxt2dbm cuts a line in two, and takes the rest for a page
)

// Page is a URI with the links whose context it is.
type Page struct {
	URI   string
	Links linkset.LinkSet
}

// Exported says how much was written, and what was not.
type Exported struct {
	Pages   int `json:"pages"`
	Foreign int `json:"foreign"` // pages on other hosts than the repository's
	Refused int `json:"refused"` // pages whose address or links no file can hold
}

// Export writes the files for a repository into dir, which it makes. hosts are
// the names of the repository's host: pages elsewhere are left out. Of pages
// under one address the first counts; where two addresses are one to a web
// server, neither has links. The links of a page should be inside the budget of
// headers.
//
// Each file is written beside its place and then put there as a whole: a
// server that reads meanwhile has the old one or the new one. The result
// depends on pages alone. The program must have the SQLite driver "sqlite3".
func Export(ctx context.Context, dir string, hosts []string, pages iter.Seq2[Page, error]) (Exported, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Exported{}, fmt.Errorf("make the folder for exported links: %w", err)
	}
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
	for _, name := range []string{SQLiteFile, MapFile, DBMFile, NginxFile} {
		if err := publish(filepath.Join(scratch, name), filepath.Join(dir, name)); err != nil {
			return e.Exported, fmt.Errorf("export links to %s: %w", dir, err)
		}
	}
	return e.Exported, nil
}

// scratchName begins the name of the folder in which the files are made. One
// at a time exports to a folder: whatever is there was left by a program that
// was killed.
const scratchName = ".export-"

func removeScratch(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), scratchName) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// publish puts a file in place, so that it is whole even after a power cut.
func publish(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil { // web servers read it under another name
		return err
	}
	return os.Rename(from, to)
}

// exporter fills the database first, whose index then sorts the other files:
// memory does not grow with the number of pages.
type exporter struct {
	Exported
	dir   string
	hosts map[string]bool
}

func (e *exporter) write(ctx context.Context, pages iter.Seq2[Page, error]) error {
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.Join(e.dir, SQLiteFile)}
	// Nobody else sees the file yet: a journal would save nothing.
	db, err := sql.Open("sqlite3", file.String()+"?_journal_mode=OFF&_synchronous=OFF&_cache_size=-32000")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE TABLE linkheader (path TEXT PRIMARY KEY, link TEXT NOT NULL, published TEXT NOT NULL)`); err != nil {
		return err
	}
	if err := e.fill(ctx, db, pages); err != nil {
		return err
	}
	if err := e.writeTexts(ctx, db); err != nil {
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
	// Where two pages have one path, whose links the server would take is
	// chance: neither has any. The first counts where it is one page.
	insert, err := tx.PrepareContext(ctx, `INSERT INTO linkheader (path, link, published) VALUES (?, ?, ?)
		ON CONFLICT DO UPDATE SET link = '' WHERE link <> excluded.link AND published <> excluded.published`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for p, err := range pages {
		if err != nil {
			return err
		}
		value, ok := e.valueFor(p)
		if !ok {
			continue
		}
		key := keyOf(afterHost(p.URI))
		if _, err := insert.ExecContext(ctx, key.apache(), value, key.raw); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM linkheader WHERE link = ''`); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM linkheader`).Scan(&e.Pages); err != nil {
		return err
	}
	return tx.Commit()
}

// valueFor is what is written of a page's links. It counts the pages of which
// nothing is written.
func (e *exporter) valueFor(p Page) (value string, ok bool) {
	u, err := url.Parse(p.URI)
	if err != nil || checkBase(u) != nil {
		e.Refused++
		return "", false
	}
	if !e.hosts[bareHost(u.Host)] {
		e.Foreign++
		return "", false
	}
	value = valueOf(p.Links, maxValue)
	if !keyOf(afterHost(p.URI)).fits() || value == "" {
		e.Refused++
		return "", false
	}
	return value, true
}

// valueOf is the links as one value of at most so many bytes; "" if the least
// of them take more.
func valueOf(links linkset.LinkSet, most int) string {
	fitted, _ := links.Fit(linkset.Budget{Bytes: most})
	for _, s := range []linkset.LinkSet{links, fitted, links.Rel("linkset")} {
		if v := s.Joined(); len(v) <= most {
			return v
		}
	}
	return ""
}

// shortened is a value that valueOf made, of at most so many bytes.
func shortened(value string, most int) string {
	if len(value) <= most {
		return value
	}
	links, err := linkset.ParseHeader([]string{value}, "https://repository.invalid/")
	if err != nil {
		return ""
	}
	return valueOf(links, most)
}

func (e *exporter) writeTexts(ctx context.Context, db *sql.DB) (err error) {
	var files [3]textFile
	for i, name := range []string{MapFile, DBMFile, NginxFile} {
		if files[i], err = create(filepath.Join(e.dir, name)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, files[i].close()) }()
	}
	rows, err := db.QueryContext(ctx, `SELECT published, link, lower(path) FROM linkheader ORDER BY 3, path`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var alike []nginxPage // up to this row, those of one path in small letters
	var path string
	for rows.Next() {
		var published, value, small string
		if err := rows.Scan(&published, &value, &small); err != nil {
			return err
		}
		key := keyOf(published)
		files[0].WriteString(key.haproxy() + " " + value + "\n")
		files[1].WriteString(dbmLine(key.apache(), value))
		if small != path {
			files[2].WriteString(nginxLines(alike))
			alike, path = alike[:0], small
		}
		if len(alike) < maxAlike {
			alike = append(alike, nginxPage{published, value})
		}
	}
	files[2].WriteString(nginxLines(alike))
	return rows.Err()
}

// dbmLine is "" where not even the least of the links has room.
func dbmLine(path, value string) string {
	if value = shortened(value, maxDBMLine-len(path)); value == "" {
		return ""
	}
	return path + " " + value + "\n"
}

// textFile is a file that is written in lines. Its errors are told at the end.
type textFile struct {
	*bufio.Writer
	file *os.File
}

func create(name string) (textFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return textFile{}, err
	}
	return textFile{bufio.NewWriterSize(f, 64<<10), f}, nil
}

func (t textFile) close() error {
	return errors.Join(t.Flush(), t.file.Close())
}
