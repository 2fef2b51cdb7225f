// Package testdata holds look-alikes of repositories: the structure and the
// traps of real platforms with invented content. The tests check what the
// bridge makes of them, the demo serves them.
package testdata

import (
	"embed"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

//go:embed repositories
var files embed.FS

// LookAlike is one such repository.
type LookAlike struct {
	ID       string            // the name of its folder
	About    map[string]string // the lines of repository.txt
	Records  []oaitest.Record
	Expected string // the links that it must give; README.md says how they are written
}

// LookAlikes returns all of them, by name.
func LookAlikes() ([]LookAlike, error) {
	folders, err := fs.ReadDir(files, "repositories")
	if err != nil {
		return nil, err
	}
	var out []LookAlike
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		l, err := read(f.Name())
		if err != nil {
			return nil, fmt.Errorf("look-alike %s: %w", f.Name(), err)
		}
		out = append(out, l)
	}
	return out, nil
}

// Serve makes a repository that can be harvested of a look-alike.
func (l LookAlike) Serve(o oaitest.Options) *oaitest.Repository {
	o.Name = l.About["name"]
	o.Granularity = oaipmh.Granularity(l.About["granularity"])
	o.DeletedRecord = oaipmh.DeletedRecord(l.About["deleted"])
	return oaitest.New(o, l.Records...)
}

func read(id string) (LookAlike, error) {
	l := LookAlike{ID: id, About: map[string]string{}}
	folder := path.Join("repositories", id)
	about, err := files.ReadFile(path.Join(folder, "repository.txt"))
	if err != nil {
		return l, err
	}
	for line := range strings.Lines(string(about)) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			l.About[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	expected, err := files.ReadFile(path.Join(folder, "expected.linkset"))
	if err != nil {
		return l, err
	}
	l.Expected = string(expected)
	l.Records, err = records(folder)
	return l, err
}

// records are those of all formats; a file's name is its metadataPrefix.
func records(folder string) ([]oaitest.Record, error) {
	pages, err := fs.Glob(files, folder+"/*.xml")
	if err != nil {
		return nil, err
	}
	var out []oaitest.Record
	index := map[string]int{}
	for _, name := range pages {
		body, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		page, err := oaipmh.ReadPage(body, "text/xml")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(name), err)
		}
		for _, r := range page.Records {
			at, met := index[r.Identifier]
			if !met {
				at, index[r.Identifier] = len(out), len(out)
				out = append(out, oaitest.Record{Header: r.Header, Formats: map[string]string{}})
			}
			if !r.Deleted {
				out[at].Formats[strings.TrimSuffix(path.Base(name), ".xml")] = string(r.Metadata)
			}
		}
	}
	return out, nil
}

// Hosts are the names of the repository that its records use.
func (l LookAlike) Hosts() []string {
	hosts := strings.FieldsFunc(l.About["hosts"], func(r rune) bool { return r == ',' || r == ' ' })
	if u, err := url.Parse(l.About["base_url"]); err == nil && u.Host != "" {
		hosts = append(hosts, u.Host)
	}
	return hosts
}

// Prefixes are the formats in which it has records.
func (l LookAlike) Prefixes() []string {
	var out []string
	for _, r := range l.Records {
		for prefix := range r.Formats {
			if !slices.Contains(out, prefix) {
				out = append(out, prefix)
			}
		}
	}
	slices.Sort(out)
	return out
}
