package bridge

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Why License refuses a value.
const (
	Versionless     Refusal = "names a Creative Commons licence without its version, so there is no one licence to link"
	AccessRight     Refusal = "says who may open the object, not what may be done with it"
	Copyright       Refusal = "says whose the rights are, or that there are none, and is no licence"
	MetadataLicence Refusal = "is about the metadata, not the object"
	SeveralLicences Refusal = "names several licences"
	UnknownLicence  Refusal = "names no licence that is known"
	NoLicence       Refusal = "states nothing"
)

// maxStatement bounds how much of a rights statement is read, in bytes.
const maxStatement = 16 << 10

// License returns the canonical URI of the licence that a value states: by
// URI, by SPDX identifier, by a name with a version, or in a sentence that has
// one of these. An error is a Refusal.
func License(value string) (uri string, err error) {
	v := CleanValue(value)
	if len(v) > maxStatement {
		v = strings.ToValidUTF8(v[:maxStatement], "")
	}
	if _, _, ok := splitURL(v); ok && !hasSpace(v) {
		return licenceOfURL(v)
	}
	t := licences()
	words := fold(v)
	if words == "" {
		return "", NoLicence
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
	urls       map[string]string
	statements map[string]string // "inc" -> "InC"
	refused    map[string]Refusal
	longest    int // words in the longest part or port
}

//go:embed tables/licences.tsv
var licencesTSV string

var licences = sync.OnceValue(func() *licenceTable {
	t := &licenceTable{
		map[string]string{}, map[string][]string{}, map[string]string{}, map[string]string{},
		map[string]string{}, map[string]Refusal{}, 0,
	}
	why := map[string]Refusal{"access": AccessRight, "copyright": Copyright, "nothing": NoLicence}
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
			t.urls[row[1]] = row[2]
		case "statement":
			t.statements[strings.ToLower(row[1])] = row[1]
		case "refused":
			t.refused[words] = why[row[2]]
		}
	}
	return t
})

// licenceOfURL reads the address of a licence, or of a page about it.
func licenceOfURL(u string) (string, error) {
	t := licences()
	host, path, _ := splitURL(u)
	host = strings.TrimPrefix(host, "www.")
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	path = strings.ToLower(strings.Trim(unescape(path), "/"))
	key := host + "/" + path
	if uri, ok := t.urls[licencePage(key)]; ok {
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
			return "", Versionless
		}
	case "purl.org":
		if strings.HasPrefix(path, "coar/access_right/") {
			return "", AccessRight
		}
	}
	if r, ok := t.refused[fold(u)]; ok {
		return "", r
	}
	return "", UnknownLicence
}

// licencePage drops from host and path what says how the page is written.
func licencePage(key string) string {
	for _, ending := range [...]string{".html", ".htm", ".txt", ".php", ".en", ".de", ".fr", ".es"} {
		key = strings.TrimSuffix(key, ending)
	}
	return strings.TrimRight(key, "/")
}

// ccURL reads the path of a Creative Commons licence: legalcode, deeds and
// their languages are all the licence.
func ccURL(path []string) (string, error) {
	if len(path) >= 2 && path[0] == "publicdomain" && (path[1] == "zero" || path[1] == "mark") {
		if len(path) == 2 || path[2] == "1.0" {
			return "https://creativecommons.org/publicdomain/" + path[1] + "/1.0/", nil
		}
		return "", UnknownLicence
	}
	if len(path) < 2 || path[0] != "licenses" && path[0] != "licences" || !isCCCode(path[1]) {
		return "", UnknownLicence
	}
	if len(path) == 2 {
		return "", Versionless
	}
	version := path[2]
	if !isVersion(version) {
		return "", Versionless
	}
	uri := "https://creativecommons.org/licenses/" + path[1] + "/" + version + "/"
	// Nothing was ported after 3.0: "/4.0/de" is a reader's language.
	if len(path) > 3 && version < "4" && isJurisdiction(path[3]) {
		uri += path[3] + "/"
	}
	return uri, nil
}

// isCCCode reports whether a path segment names a licence of Creative Commons.
// The order of its parts changed between versions.
func isCCCode(code string) bool {
	switch code {
	case "by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd", "by-nd-nc", "by-sa-nc",
		"nc", "nd", "sa", "nc-sa", "nd-nc", "sampling", "sampling+", "nc-sampling+", "devnations":
		return true
	}
	return false
}

// isVersion is a version that Creative Commons published.
func isVersion(s string) bool {
	return slices.Contains([]string{"1.0", "2.0", "2.1", "2.5", "3.0", "4.0"}, s)
}

func isJurisdiction(s string) bool {
	return len(s) == 2 && isLetters(s) || s == "igo" || s == "scotland"
}

func rightsStatement(t *licenceTable, path []string) (string, error) {
	if len(path) < 3 || path[2] != "1.0" || !slices.Contains([]string{"page", "vocab", "data"}, path[0]) {
		return "", UnknownLicence
	}
	id, ok := t.statements[path[1]]
	if !ok {
		return "", UnknownLicence
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
	return "", UnknownLicence
}

// licenceInText finds the one licence that a sentence states by URI or by a
// Creative Commons name with a version.
func licenceInText(t *licenceTable, text, words string) (string, error) {
	if aboutMetadata(words) {
		return "", MetadataLicence
	}
	var found []string
	add := func(uri string) {
		if uri != "" && !slices.Contains(found, uri) {
			found = append(found, uri)
		}
	}
	refusal := UnknownLicence
	for u := range urlsIn(text) {
		uri, err := licenceOfURL(u) // "" also for what is no URL after all
		add(uri)
		if err == Versionless {
			refusal = Versionless
		}
	}
	for rest := words; rest != ""; _, rest, _ = strings.Cut(rest, " ") {
		// In a sentence only "CC" or "Creative Commons" begins a name.
		if !strings.HasPrefix(rest, "cc") && !strings.HasPrefix(rest, "creative commons") {
			continue
		}
		if l := (ccName{t, rest}).parse(); l.code != "" && l.marked {
			add(l.uri())
			refusal = Versionless // unless one is found
		}
	}
	switch len(found) {
	case 0:
		if refusal == UnknownLicence && strings.Contains(text, "©") {
			refusal = Copyright
		}
		return "", refusalOf(words, refusal)
	case 1:
		return found[0], nil
	}
	return "", SeveralLicences
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
func refusalOf(words string, r Refusal) Refusal {
	if r != UnknownLicence {
		return r
	}
	for _, w := range [...]string{
		"copyright", "rights reserved", "droits réservés", "derechos reservados", "direitos reservados",
		"rechte vorbehalten", "diritti riservati", "urheberrecht",
	} {
		if strings.Contains(words, w) {
			return Copyright
		}
	}
	for _, w := range [...]string{"open access", "restricted access", "closed access"} {
		if strings.Contains(words, w) {
			return AccessRight
		}
	}
	return r
}

// urlsIn returns the http URLs in a text, and those of Creative Commons
// without "https://".
func urlsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			i, bare := indexFold(text, "http"), indexFold(text, "creativecommons.org/")
			if i < 0 && bare < 0 {
				return
			}
			before := ""
			if i < 0 || bare >= 0 && bare < i {
				i, before = bare, "https://"
			}
			text = text[i:]
			end := strings.IndexAny(text, " \t\r\n\"'<>")
			if end < 0 {
				end = len(text)
			}
			if !yield(before + CleanValue(text[:end])) {
				return
			}
			text = text[max(end, 1):]
		}
	}
}

// ccName returns the URI of the Creative Commons licence whose name and version
// words are; "" if they are none, or more than that.
func (t *licenceTable) ccName(words string) string {
	l := ccName{t, words}.parse()
	if l.code == "" || l.rest != "" || !l.marked && !l.spelled {
		return ""
	}
	return l.uri()
}

// ccName reads the name of a Creative Commons licence, such as "CC BY-NC 4.0",
// "Creative Commons Attribution Share Alike 3.0 Spain" or "Attribution 4.0
// International", from the folded words at the beginning of rest.
type ccName struct {
	table *licenceTable
	rest  string
}

// ccLicence is what a name says.
type ccLicence struct {
	code, version, port string
	ported              []string // the versions that exist for port
	marked              bool     // "CC", "Creative Commons"
	spelled             bool     // "Attribution", not "BY"
	rest                string   // what follows the name
}

func (n ccName) parse() (l ccLicence) {
	if zero := n.zero(); zero.code != "" {
		return zero
	}
	l.marked = n.skip("creative commons") || n.skip("cc") || n.glued()
	_ = n.skip("license") || n.skip("licence")
	var has partSet
	for {
		phrase, ok := longest(n.table.parts, n.rest, n.table.longest)
		if !ok {
			break
		}
		has |= partBits[n.table.parts[phrase]]
		l.spelled = l.spelled || len(phrase) > 2
		n.skip(phrase)
	}
	if l.code = ccCode(has); l.code == "" {
		return ccLicence{}
	}
	n.fillers()
	l.version = n.version()
	if l.version != "" {
		n.fillers()
		if phrase, ok := longest(n.table.ports, n.rest, n.table.longest); ok {
			l.port, l.ported = n.table.ports[phrase][0], n.table.ports[phrase][1:]
			n.skip(phrase)
			n.fillers()
		}
	}
	l.rest = n.rest
	return l
}

// zero reads "CC0", which has one version only, and the Public Domain Mark.
func (n ccName) zero() ccLicence {
	phrase, ok := longest(n.table.names, n.rest, 8)
	uri := n.table.names[phrase]
	if !ok || !strings.HasPrefix(uri, "https://creativecommons.org/publicdomain/") {
		return ccLicence{}
	}
	n.skip(phrase)
	return ccLicence{code: uri, version: "1.0", marked: true, rest: n.rest}
}

// glued reads the mark of "CCBY", without a space.
func (n *ccName) glued() bool {
	rest, ok := strings.CutPrefix(n.rest, "ccby")
	if ok {
		n.rest = "by" + rest
	}
	return ok
}

// version reads "4.0" or "v4.0".
func (n *ccName) version() string {
	word, _, _ := strings.Cut(n.rest, " ")
	if v := strings.TrimPrefix(word, "v"); isVersion(v) {
		n.skip(word)
		return v
	}
	return ""
}

// fillers skips the words that say nothing about which licence it is.
func (n *ccName) fillers() {
	for {
		word, _, _ := strings.Cut(n.rest, " ")
		switch word {
		case "license", "licence", "licenses", "lizenz", "licencia", "licença", "licenza", "licens", "public",
			"version", "v", "international", "internacional", "internazionale", "internationale", "internationaal",
			"generic", "unported", "non", "transposé", "deed", "genérica", "nicht", "portiert", "国際", "国际":
			n.skip(word)
		default:
			return
		}
	}
}

// skip skips whole words.
func (n *ccName) skip(words string) bool {
	rest, ok := strings.CutPrefix(n.rest, words)
	if !ok || rest != "" && rest[0] != ' ' {
		return false
	}
	n.rest = strings.TrimPrefix(rest, " ")
	return true
}

// longest returns the longest run of words at the beginning of s that is a key
// of m, of at most that many words.
func longest[V any](m map[string]V, s string, most int) (phrase string, found bool) {
	for end := 0; end < len(s) && most > 0; most-- {
		if next := strings.IndexByte(s[end+1:], ' '); next < 0 {
			end = len(s)
		} else {
			end += 1 + next
		}
		if _, ok := m[s[:end]]; ok {
			phrase, found = s[:end], true
		}
	}
	return phrase, found
}

// partSet is a set of parts of a licence's name.
type partSet uint8

var partBits = map[string]partSet{"by": 1, "nc": 2, "nd": 4, "sa": 8}

// ccCode orders the parts of a name as in the licences' addresses.
func ccCode(has partSet) string {
	switch has {
	case 1:
		return "by"
	case 1 + 2:
		return "by-nc"
	case 1 + 4:
		return "by-nd"
	case 1 + 8:
		return "by-sa"
	case 1 + 2 + 4:
		return "by-nc-nd"
	case 1 + 2 + 8:
		return "by-nc-sa"
	}
	return ""
}

func (l ccLicence) uri() string {
	switch {
	case strings.HasPrefix(l.code, "https:"):
		return l.code
	case l.version == "", l.port != "" && !slices.Contains(l.ported, l.version):
		return ""
	case l.version == "2.1" && l.port == "": // was only ever ported
		return ""
	}
	code := l.code
	if l.version == "1.0" && code == "by-nc-nd" {
		code = "by-nd-nc"
	}
	uri := "https://creativecommons.org/licenses/" + code + "/" + l.version + "/"
	if l.port != "" {
		uri += l.port + "/"
	}
	return uri
}
