package vocabulary

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// Why LicenceOf refuses a value. Each completes the sentence "the value …".
var (
	errVersionless     = errors.New("names a Creative Commons licence without its version, so there is no one licence to link")
	errAccessRight     = errors.New("says who may open the object, not what may be done with it")
	errCopyrightNotice = errors.New("says whose the rights are, or that there are none, and is no licence")
	errMetadataLicence = errors.New("is about the metadata, not the object")
	errSeveralLicences = errors.New("names several licences")
	errNoLicence       = errors.New("states nothing")

	// ErrUnknownLicence is the error for an address or a text that may be a
	// licence, but none that is known.
	ErrUnknownLicence = errors.New("names no licence that is known")
)

// maxStatement bounds how much of a rights statement is read, in bytes.
const maxStatement = 16 << 10

// LicenceOf returns the canonical URI of the licence that a value states: by
// URI, by SPDX identifier, by a name with a version, or in a sentence that has
// one of these. The error says why there is none.
func LicenceOf(value string) (address string, err error) {
	v := text.Clean(value)
	if len(v) > maxStatement {
		v = strings.ToValidUTF8(v[:maxStatement], "")
	}
	if host, path, ok := uri.Split(v); ok && !text.HasSpace(v) {
		return licenceAt(v, host, path)
	}
	t := licences()
	words := text.Fold(v)
	if words == "" {
		return "", errNoLicence
	}
	if r, ok := t.refused[words]; ok {
		return "", r
	}
	if address, ok := t.names[words]; ok {
		return address, nil
	}
	if address := t.ccName(words); address != "" {
		return address, nil
	}
	return licenceInText(t, v, words)
}

// EPrintsLicence returns the URI of the licence that EPrints names by an id,
// such as "cc_by". On another platform that is a name without a version.
func EPrintsLicence(id string) (address string, ok bool) {
	address, ok = licences().eprints[id]
	return address, ok
}

// SaysLicence reports whether an address that is not known says itself that it
// is a licence's: by a word in its host or path, in one of many languages.
func SaysLicence(address string) bool {
	if _, err := LicenceOf(address); !errors.Is(err, ErrUnknownLicence) {
		return false
	}
	host, path, ok := uri.Split(address)
	return ok && strings.TrimPrefix(host, "www.") != "creativecommons.org" &&
		text.ContainsAny(strings.ToLower(host+path), "licen", "lizenz", "lisens", "dppl")
}

// MayBeLicence reports whether a value that LicenceOf refuses with err may name
// a licence all the same, which an administrator knows.
func MayBeLicence(err error) bool {
	switch err {
	case ErrUnknownLicence, errVersionless, errSeveralLicences:
		return true
	}
	return false
}

// licenceTable is tables/licences.tsv, folded for look-up.
type licenceTable struct {
	parts      map[string]string   // "share alike" -> "sa"
	ports      map[string][]string // "spain" -> "es", and the versions ported to it
	names      map[string]string
	pages      map[licencePage]string
	statements map[string]string // "inc" -> "InC"
	eprints    map[string]string // "cc_by_4"
	refused    map[string]error
	longest    int // words in the longest part or port
}

var licences = sync.OnceValue(func() *licenceTable {
	t := &licenceTable{
		map[string]string{}, map[string][]string{}, map[string]string{}, map[licencePage]string{},
		map[string]string{}, map[string]string{}, map[string]error{}, 0,
	}
	why := map[string]error{"access": errAccessRight, "copyright": errCopyrightNotice, "nothing": errNoLicence}
	for _, row := range rows("licences") {
		words := text.Fold(row[1])
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
		case "eprints":
			t.eprints[row[1]] = row[2]
		case "refused":
			t.refused[words] = why[row[2]]
		}
	}
	return t
})

// licenceAt reads the address of a licence, or of a page about it: u, which
// uri.Split took apart.
func licenceAt(u, host, path string) (string, error) {
	t := licences()
	host = strings.TrimPrefix(host, "www.")
	if _, id, ok := strings.Cut(path, "/mir_licenses#"); ok { // a category of MyCoRe, such as cc_by-sa_4.0
		return LicenceOf(id)
	}
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	path = strings.ToLower(strings.Trim(uri.Decode(path), "/"))
	if address, ok := t.pages[licencePage{host, withoutEnding(path)}]; ok {
		return address, nil
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
			return "", errVersionless
		}
	case "purl.org":
		if strings.HasPrefix(path, "coar/access_right/") {
			return "", errAccessRight
		}
	}
	if r, ok := t.refused[text.Fold(u)]; ok {
		return "", r
	}
	return "", ErrUnknownLicence
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
		return "", ErrUnknownLicence
	}
	id, ok := t.statements[path[1]]
	if !ok {
		return "", ErrUnknownLicence
	}
	// Their canonical form is http. rightsstatements.org, data model, 2.2.
	return "http://rightsstatements.org/vocab/" + id + "/1.0/", nil
}

func spdxURL(t *licenceTable, id string) (string, error) {
	words := strings.TrimSuffix(strings.TrimSuffix(id, ".html"), ".json")
	words = text.Fold(words)
	if address, ok := t.names[words]; ok {
		return address, nil
	}
	if address := t.ccName(words); address != "" {
		return address, nil
	}
	return "", ErrUnknownLicence
}

// licenceInText finds the one licence that a sentence states by URI or by a
// Creative Commons name with a version.
func licenceInText(t *licenceTable, value, words string) (string, error) {
	if aboutMetadata(words) {
		return "", errMetadataLicence
	}
	var found []string
	add := func(address string) {
		if address != "" && !slices.Contains(found, address) {
			found = append(found, address)
		}
	}
	refusal := ErrUnknownLicence
	for u := range urlsIn(value) {
		host, path, _ := uri.Split(u)
		address, err := licenceAt(u, host, path) // "" also for what is no URL after all
		add(address)
		if err == errVersionless {
			refusal = errVersionless
		}
	}
	for rest := words; rest != ""; _, rest, _ = strings.Cut(rest, " ") {
		// In a sentence only "CC" or "Creative Commons" begins a name.
		if !strings.HasPrefix(rest, "cc") && !strings.HasPrefix(rest, "creative commons") {
			continue
		}
		if l := (ccName{t, rest}).parse(); l.code != "" && l.marked {
			add(l.uri())
			refusal = errVersionless // unless one is found
		}
	}
	switch len(found) {
	case 0:
		if refusal == ErrUnknownLicence && strings.Contains(value, "©") {
			refusal = errCopyrightNotice
		}
		return "", refusalOf(words, refusal)
	case 1:
		return found[0], nil
	}
	return "", errSeveralLicences
}

// aboutMetadata reports whether a statement speaks of the metadata.
func aboutMetadata(words string) bool {
	return text.ContainsAny(words, "metadata", "metadaten", "métadonnées", "metadatos", "metadados", "metadati")
}

// refusalOf says more exactly what a statement without a licence is.
func refusalOf(words string, r error) error {
	if r != ErrUnknownLicence {
		return r
	}
	switch {
	case text.ContainsAny(words, "copyright", "rights reserved", "droits réservés", "derechos reservados", "direitos reservados",
		"rechte vorbehalten", "diritti riservati", "urheberrecht"):
		return errCopyrightNotice
	case text.ContainsAny(words, "open access", "restricted access", "closed access"):
		return errAccessRight
	}
	return r
}

// urlsIn returns the http URLs in a text, and those of Creative Commons
// without "https://".
func urlsIn(s string) func(yield func(string) bool) {
	// next is where a word stands next, from at on; was is where it stood last.
	next := func(word string, was, at int) int {
		if was >= at {
			return was
		}
		if i := text.IndexFold(s[at:], word); i >= 0 {
			return at + i
		}
		return len(s)
	}
	return func(yield func(string) bool) {
		for at, http, bare := 0, -1, -1; ; {
			http, bare = next("http", http, at), next("creativecommons.org/", bare, at)
			before := ""
			if at = http; bare < http {
				at, before = bare, "https://"
			}
			if at == len(s) {
				return
			}
			end := strings.IndexAny(s[at:], " \t\r\n\"'<>")
			if end < 0 {
				end = len(s) - at
			}
			if !yield(before + text.Clean(s[at:at+end])) {
				return
			}
			at += end
		}
	}
}
