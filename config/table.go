package config

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Bounds of a table.
const (
	maxTable   = 64 << 20 // bytes
	maxRow     = 64 << 10
	maxBadRows = 100 // whose problems are kept
)

// Table is the sources that a CSV file lists. Whoever has a Table sees what it says
// at the moment.
type Table struct {
	file   string
	beside map[string]bool // ids of repositories that are not in the table
	rows   atomic.Pointer[rows]
}

// rows are a table as it was read. Each source is kept as its texts, and made into a
// Repository when it is asked for: there may be tens of thousands.
type rows struct {
	read    os.FileInfo // of the file
	columns []setting
	sources [][]string
	byID    map[string]int // index in sources
	bad     []*Problem     // of the rows that were left out, up to maxBadRows
	badRows int            // how many were
}

// onlyInFile says why a key cannot be a column.
func onlyInFile(s setting) string {
	switch {
	case s.typ == reflect.TypeFor[Secret]() && s.key == "politeness.password":
		return "is a secret: use politeness.password_file, or list the source under repositories"
	case s.typ.Kind() == reflect.Map:
		return "may hold secrets: list the source under repositories"
	case s.key == "edge.listen" || s.key == "edge.origin" || s.key == "edge.html":
		return "is of a proxy, which opens when fingerpost starts: list the source under repositories"
	}
	return ""
}

// newTable reads a table beside repositories that are configured already.
func newTable(file string, beside []Repository) (*Table, error) {
	t := &Table{file: file, beside: map[string]bool{}}
	for _, b := range beside {
		t.beside[b.ID] = true
	}
	return t, t.Reread()
}

// Reread reads the file again. If it cannot be read as a table, the error says why,
// and the table stays as it is. What is wrong in a row is in Bad.
func (t *Table) Reread() error {
	info, gone := os.Stat(t.file) // before it is read: what changes afterwards is seen next time
	text, err := readBounded(t.file, maxTable)
	if err = cmp.Or(err, gone); err != nil {
		return fmt.Errorf("cannot be read (%w): name a CSV file that fingerpost's user may read", err)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return fmt.Errorf("%s may be half written, since its last line has no end: add a line break", t.file)
	}
	r := tableReader{rows: &rows{read: info, byID: map[string]int{}}, file: t.file, beside: t.beside, alike: map[string]bool{}}
	if err := r.readAll(bytes.TrimPrefix(text, []byte("\ufeff"))); err != nil {
		return err
	}
	t.rows.Store(r.rows)
	return nil
}

// Read is the file as it was read.
func (t *Table) Read() os.FileInfo { return t.rows.Load().read }

// Bad returns problems of the rows that were left out, and how many rows that are.
// Not all problems are there if these are many.
func (c Config) Bad() ([]*Problem, int) {
	if c.Table == nil {
		return nil, 0
	}
	t := c.Table.rows.Load()
	return t.bad, t.badRows
}

// tableReader reads rows.
type tableReader struct {
	*rows
	file   string
	beside map[string]bool
	alike  map[string]bool // what rows say beside id, oai_url and name, if it is right
}

func (r *tableReader) readAll(text []byte) error {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if number == 1 {
			if err := r.readHeader(line); err != nil {
				return fmt.Errorf("%s:1: %w", r.file, err)
			}
			continue
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			continue
		}
		row, wrong := r.readRow(line)
		if wrong == nil {
			r.byID[row[r.column("id")]] = len(r.sources)
			r.sources = append(r.sources, row)
			continue
		}
		r.badRows++
		for _, p := range wrong {
			p.Place = fmt.Sprintf("%s:%d", r.file, number)
		}
		r.bad = append(r.bad, wrong[:min(len(wrong), maxBadRows-len(r.bad))]...)
	}
	if number == 0 {
		return fmt.Errorf("%s is empty: its first line names the columns, such as id,oai_url", r.file)
	}
	return nil
}

// readHeader reads the line that names the columns.
func (r *tableReader) readHeader(line []byte) error {
	names, err := cells(line)
	if err != nil {
		return err
	}
	all := settingsOf(reflect.TypeFor[Repository]())
	var keys []string
	for _, s := range all {
		if onlyInFile(s) == "" {
			keys = append(keys, s.key)
		}
	}
	for i, name := range names {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(all, func(s setting) bool { return s.key == name })
		switch {
		case strings.ContainsAny(name, ";\t") && len(names) == 1:
			return errors.New("has no comma between the columns: save the table with commas")
		case at < 0:
			return fmt.Errorf("there is no column %q: the nearest is %q", name, nearest(name, keys))
		case onlyInFile(all[at]) != "":
			return fmt.Errorf("%s cannot be a column: it %s", name, onlyInFile(all[at]))
		case r.column(name) >= 0:
			return fmt.Errorf("the column %s is here twice: remove column %d", name, i+1)
		}
		r.columns = append(r.columns, all[at])
	}
	for _, needed := range []string{"id", "oai_url"} {
		if r.column(needed) < 0 {
			return fmt.Errorf("there is no column %s: add it", needed)
		}
	}
	return nil
}

// column is the index of a column; -1 if the table does not have it.
func (t *rows) column(key string) int {
	return slices.IndexFunc(t.columns, func(s setting) bool { return s.key == key })
}

// readRow reads a source, or says what is wrong with it.
func (r *tableReader) readRow(line []byte) (row []string, wrong []*Problem) {
	row, err := cells(line)
	switch {
	case err != nil:
		return nil, []*Problem{{Key: "the row", Text: err.Error()}}
	case len(row) != len(r.columns):
		return nil, []*Problem{{Key: "the row", Text: fmt.Sprintf("has %d cells, and the first line names %d columns: put quotes around a cell with commas, and one comma between cells", len(row), len(r.columns))}}
	}
	repository, p := r.make(row)
	id := row[r.column("id")]
	if _, twice := r.byID[id]; twice {
		p.add("id", "%q is the id of a row above: give each its own", id)
	} else if r.beside[id] {
		p.add("id", "%q is also under repositories: remove it from one of the two", id)
	}
	if p == nil {
		r.check(&p, repository, row)
	}
	return row, Problems(p.join())
}

// check checks a source. What many rows have alike is checked once.
func (r *tableReader) check(p *problems, repository Repository, row []string) {
	var common strings.Builder
	for i, s := range r.columns {
		if s.key != "id" && s.key != "oai_url" && s.key != "name" {
			common.WriteString(row[i])
		}
		common.WriteByte(0)
	}
	if r.alike[common.String()] {
		p.check("id", repositoryID(repository.ID))
		p.check("oai_url", oaiURL(repository.OAIURL))
		return
	}
	repository.check(p, "")
	if *p == nil {
		r.alike[common.String()] = true
	}
}

// make makes a Repository of a row.
func (t *rows) make(row []string) (Repository, problems) {
	r := newRepository()
	var p problems
	v := reflect.ValueOf(&r).Elem()
	for i, s := range t.columns {
		if row[i] != "" {
			p.check(s.key, s.set(v, row[i]))
		}
	}
	r.derive()
	readSecret(&p, "politeness.password_file", r.Politeness.PasswordFile, &r.Politeness.Password)
	return r, p
}

// cells returns the cells of a line, without the white space around them.
func cells(line []byte) ([]string, error) {
	if len(line) > maxRow {
		return nil, fmt.Errorf("is longer than %d bytes: shorten it", maxRow)
	}
	if !utf8.Valid(line) {
		return nil, errors.New("is not in UTF-8: save the table in UTF-8")
	}
	if !bytes.ContainsRune(line, '"') { // nearly always
		return list(string(line)), nil
	}
	row, err := csv.NewReader(bytes.NewReader(line)).Read()
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return nil, fmt.Errorf(`has a quote that is not in a pair (column %d): put quotes around a whole cell, in one line, and write "" for a quote in it`, parse.Column)
	}
	for i, c := range row {
		row[i] = strings.TrimSpace(c)
	}
	return row, err
}

// All yields every repository: those of the file, then those of the table.
func (c Config) All() iter.Seq[Repository] {
	return func(yield func(Repository) bool) {
		for _, r := range c.Repositories {
			if !yield(r) {
				return
			}
		}
		if c.Table == nil {
			return
		}
		t := c.Table.rows.Load()
		for _, row := range t.sources {
			if r, _ := t.make(row); !yield(r) {
				return
			}
		}
	}
}

// Len is how many repositories there are.
func (c Config) Len() int {
	if c.Table == nil {
		return len(c.Repositories)
	}
	return len(c.Repositories) + len(c.Table.rows.Load().sources)
}

// Repository returns the repository with an ID.
func (c Config) Repository(id string) (Repository, bool) {
	if i := slices.IndexFunc(c.Repositories, func(r Repository) bool { return r.ID == id }); i >= 0 {
		return c.Repositories[i], true
	}
	if c.Table == nil {
		return Repository{}, false
	}
	t := c.Table.rows.Load()
	i, ok := t.byID[id]
	if !ok {
		return Repository{}, false
	}
	r, _ := t.make(t.sources[i])
	return r, true
}
