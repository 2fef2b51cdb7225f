package bridge

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Why licenceOf refuses a value.
const (
	versionless     refusal = "names a Creative Commons licence without its version, so there is no one licence to link"
	accessRight     refusal = "says who may open the object, not what may be done with it"
	copyrightNotice refusal = "says whose the rights are, or that there are none, and is no licence"
	metadataLicence refusal = "is about the metadata, not the object"
	severalLicences refusal = "names several licences"
	unknownLicence  refusal = "names no licence that is known"
	noLicence       refusal = "states nothing"
)

// maxStatement bounds how much of a rights statement is read, in bytes.
const maxStatement = 16 << 10

// licenceOf returns the canonical URI of the licence that a value states: by
// URI, by SPDX identifier, by a name with a version, or in a sentence that has
// one of these. An error is a refusal.
func licenceOf(value string) (uri string, err error) {
	v := cleanValue(value)
	if len(v) > maxStatement {
		v = strings.ToValidUTF8(v[:maxStatement], "")
	}
	if host, path, ok := splitURL(v); ok && !hasSpace(v) {
		return licenceAt(v, host, path)
	}
	t := licences()
	words := fold(v)
	if words == "" {
		return "", noLicence
	}
	if r, ok := t.refused[words]; ok {
		return "", r
	}
	if uri, ok := t.names[words]; ok {
		return uri, nil
	}
	if uri := t.ccName(words); uri != "" {
		return uri, nil
	}
	return licenceInText(t, v, words)
}

// licenceTable is tables/licences.tsv, folded for look-up.
type licenceTable struct {
	parts      map[string]string   // "share alike" -> "sa"
	ports      map[string][]string // "spain" -> "es", and the versions ported to it
	names      map[string]string
	pages      map[licencePage]string
	statements map[string]string // "inc" -> "InC"
	refused    map[string]refusal
	longest    int // words in the longest part or port
}

//go:embed tables/licences.tsv
var licencesTSV string

var licences = sync.OnceValue(func() *licenceTable {
	t := &licenceTable{
		map[string]string{}, map[string][]string{}, map[string]string{}, map[licencePage]string{},
		map[string]string{}, map[string]refusal{}, 0,
	}
	why := map[string]refusal{"access": accessRight, "copyright": copyrightNotice, "nothing": noLicence}
	for _, row := range rows(licencesTSV) {
		words := fold(row[1])
		switch row[0] {
		case "part":
			t.parts[words] = row[2]
			t.longest = max(t.longest, len(strings.Fields(words)))
		case "port":
			t.ports[words] = strings.Fields(row[2])
			t.longest = max(t.longest, len(strings.Fields(words)))
		case "name":
			t.names[words] = row[2]
		case "url":
			host, path, _ := strings.Cut(row[1], "/")
			t.pages[licencePage{host, path}] = row[2]
		case "statement":
			t.statements[strings.ToLower(row[1])] = row[1]
		case "refused":
			t.refused[words] = why[row[2]]
		}
	}
	return t
})

// licenceAt reads the address of a licence, or of a page about it: u, which
// splitURL took apart.
func licenceAt(u, host, path string) (string, error) {
	t := licences()
	host = strings.TrimPrefix(host, "www.")
	if _, id, ok := strings.Cut(path, "/mir_licenses#"); ok { // a category of MyCoRe, such as cc_by-sa_4.0
		return licenceOf(id)
	}
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	path = strings.ToLower(strings.Trim(unescape(path), "/"))
	if uri, ok := t.pages[licencePage{host, withoutEnding(path)}]; ok {
		return uri, nil
	}
	segments := strings.Split(path, "/")
	switch host {
	case "creativecommons.org":
		return ccURL(segments)
	case "rightsstatements.org":
		return rightsStatement(t, segments)
	case "spdx.org":
		if len(segments) == 2 && segments[0] == "licenses" {
			return spdxURL(t, segments[1])
		}
	case "opendefinition.org":
		if strings.HasPrefix(path, "licenses/cc-by") {
			return "", versionless
		}
	case "purl.org":
		if strings.HasPrefix(path, "coar/access_right/") {
			return "", accessRight
		}
	}
	if r, ok := t.refused[fold(u)]; ok {
		return "", r
	}
	return "", unknownLicence
}

// licencePage is where a licence stands, without "www." and the ending.
type licencePage struct{ host, path string }

// withoutEnding drops from a path what says how the page is written.
func withoutEnding(path string) string {
	for _, ending := range [...]string{".html", ".htm", ".txt", ".php", ".en", ".de", ".fr", ".es"} {
		path = strings.TrimSuffix(path, ending)
	}
	return strings.TrimRight(path, "/")
}

func rightsStatement(t *licenceTable, path []string) (string, error) {
	if len(path) < 3 || path[2] != "1.0" || !slices.Contains([]string{"page", "vocab", "data"}, path[0]) {
		return "", unknownLicence
	}
	id, ok := t.statements[path[1]]
	if !ok {
		return "", unknownLicence
	}
	// Their canonical form is http. rightsstatements.org, data model, 2.2.
	return "http://rightsstatements.org/vocab/" + id + "/1.0/", nil
}

func spdxURL(t *licenceTable, id string) (string, error) {
	words := strings.TrimSuffix(strings.TrimSuffix(id, ".html"), ".json")
	words = fold(words)
	if uri, ok := t.names[words]; ok {
		return uri, nil
	}
	if uri := t.ccName(words); uri != "" {
		return uri, nil
	}
	return "", unknownLicence
}

// licenceInText finds the one licence that a sentence states by URI or by a
// Creative Commons name with a version.
func licenceInText(t *licenceTable, text, words string) (string, error) {
	if aboutMetadata(words) {
		return "", metadataLicence
	}
	var found []string
	add := func(uri string) {
		if uri != "" && !slices.Contains(found, uri) {
			found = append(found, uri)
		}
	}
	refusal := unknownLicence
	for u := range urlsIn(text) {
		host, path, _ := splitURL(u)
		uri, err := licenceAt(u, host, path) // "" also for what is no URL after all
		add(uri)
		if err == versionless {
			refusal = versionless
		}
	}
	for rest := words; rest != ""; _, rest, _ = strings.Cut(rest, " ") {
		// In a sentence only "CC" or "Creative Commons" begins a name.
		if !strings.HasPrefix(rest, "cc") && !strings.HasPrefix(rest, "creative commons") {
			continue
		}
		if l := (ccName{t, rest}).parse(); l.code != "" && l.marked {
			add(l.uri())
			refusal = versionless // unless one is found
		}
	}
	switch len(found) {
	case 0:
		if refusal == unknownLicence && strings.Contains(text, "©") {
			refusal = copyrightNotice
		}
		return "", refusalOf(words, refusal)
	case 1:
		return found[0], nil
	}
	return "", severalLicences
}

// aboutMetadata reports whether a statement speaks of the metadata.
func aboutMetadata(words string) bool {
	for _, word := range [...]string{"metadata", "metadaten", "métadonnées", "metadatos", "metadados", "metadati"} {
		if strings.Contains(words, word) {
			return true
		}
	}
	return false
}

// refusalOf says more exactly what a statement without a licence is.
func refusalOf(words string, r refusal) refusal {
	if r != unknownLicence {
		return r
	}
	for _, w := range [...]string{
		"copyright", "rights reserved", "droits réservés", "derechos reservados", "direitos reservados",
		"rechte vorbehalten", "diritti riservati", "urheberrecht",
	} {
		if strings.Contains(words, w) {
			return copyrightNotice
		}
	}
	for _, w := range [...]string{"open access", "restricted access", "closed access"} {
		if strings.Contains(words, w) {
			return accessRight
		}
	}
	return r
}

// urlsIn returns the http URLs in a text, and those of Creative Commons
// without "https://".
func urlsIn(text string) func(yield func(string) bool) {
	// next is where a word stands next from at on, which was last at was.
	next := func(word string, was, at int) int {
		if was >= at {
			return was
		}
		if i := indexFold(text[at:], word); i >= 0 {
			return at + i
		}
		return len(text)
	}
	return func(yield func(string) bool) {
		for at, http, bare := 0, -1, -1; ; {
			http, bare = next("http", http, at), next("creativecommons.org/", bare, at)
			before := ""
			if at = http; bare < http {
				at, before = bare, "https://"
			}
			if at == len(text) {
				return
			}
			end := strings.IndexAny(text[at:], " \t\r\n\"'<>")
			if end < 0 {
				end = len(text) - at
			}
			if !yield(before + cleanValue(text[at:at+end])) {
				return
			}
			at += end
		}
	}
}
