package vocabulary

import (
	"slices"
	"strings"

	"fingerpost/bridge/text"
)

// ccURL reads the path of a Creative Commons licence: legalcode, deeds and
// their languages are all the licence.
func ccURL(path []string) (string, error) {
	if len(path) >= 2 && path[0] == "publicdomain" && (path[1] == "zero" || path[1] == "mark") {
		if len(path) == 2 || path[2] == "1.0" {
			return "https://creativecommons.org/publicdomain/" + path[1] + "/1.0/", nil
		}
		return "", ErrUnknownLicence
	}
	if len(path) < 2 || path[0] != "licenses" && path[0] != "licences" || !isCCCode(path[1]) {
		return "", ErrUnknownLicence
	}
	if len(path) == 2 {
		return "", errVersionless
	}
	version := path[2]
	if !isVersion(version) {
		return "", errVersionless
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
	return len(s) == 2 && text.IsLetters(s) || s == "igo" || s == "scotland"
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
	if l.marked {
		l.version = n.version() // "CC 4.0 BY"
	}
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
	if l.version == "" {
		l.version = n.version()
	}
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
