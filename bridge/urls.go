package bridge

import (
	"iter"
	"strings"

	"fingerpost/bridge/identifier"
)

// Role is what a URL is to an object.
type Role int

// The roles of an object's URLs.
const (
	LandingPageRole Role = iota + 1
	CiteAsRole
	AliasRole
	ItemRole
)

// URLs returns the URLs by which the object can be found, each with its role.
func (o Object) URLs() iter.Seq2[Role, string] {
	return func(yield func(Role, string) bool) {
		if o.LandingPage.URL != "" && !yield(LandingPageRole, o.LandingPage.URL) {
			return
		}
		if o.CiteAs != "" && !yield(CiteAsRole, o.CiteAs) {
			return
		}
		for _, u := range o.Aliases {
			if !yield(AliasRole, u) {
				return
			}
		}
		for _, item := range o.Items {
			if !yield(ItemRole, item.URL) {
				return
			}
			if item.CiteAs != "" && !yield(AliasRole, item.CiteAs) {
				return
			}
		}
	}
}

// SameURL reports whether a and b name the same page.
func SameURL(a, b string) bool {
	return a == b || NormalURL(a) == NormalURL(b)
}

// NormalURL returns the form under which URLs that name the same page are
// equal. It is a key, not an address.
func NormalURL(u string) string {
	return identifier.NormalURL(u)
}

// resourceKey is equal for addresses at which one server sends one file: to the
// spellings that NormalURL knows come those of the platforms.
func resourceKey(uri string) string {
	key := NormalURL(uri)
	i := strings.Index(key, "/bitstream")
	if i < 0 {
		return invenioKey(strings.TrimSuffix(key, "?download=1")) // to be saved, not shown
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(key, "https://"), "/")
	if path, ok := strings.CutPrefix(key[i:], "/bitstream/"); ok {
		return bitstreamKey(key, host, path)
	}
	if uuid, ok := strings.CutPrefix(key[i:], "/bitstreams/"); ok { // DSpace 7: for people, and for programs
		return host + "/bitstreams/" + strings.TrimSuffix(strings.TrimSuffix(uuid, "/content"), "/download")
	}
	return key
}

// invenioKey is the key of a file of Invenio: /api/records/12/files/a.csv/content is
// for programs what /records/12/files/a.csv is for people.
func invenioKey(key string) string {
	path, ok := strings.CutSuffix(key, "/content")
	if site, rest, found := strings.Cut(path, "/api/records/"); ok && found && strings.Contains(rest, "/files/") {
		return site + "/records/" + rest
	}
	return key
}

// bitstreamKey is the key of a file of DSpace: its Handle, number and name, which
// stand in another order in each of the user interfaces: /bitstream/P/S/1/a.pdf
// is /xmlui/bitstream/handle/P/S/a.pdf?sequence=1.
func bitstreamKey(key, host, path string) string {
	path, query, _ := strings.Cut(path, "?")
	number := ""
	for parameter := range strings.SplitSeq(query, "&") {
		switch name, value, _ := strings.Cut(parameter, "="); name {
		case "sequence":
			number = value
		case "isAllowed", "": // what the link was made for
		default:
			return key
		}
	}
	prefix, rest, _ := strings.Cut(strings.TrimPrefix(path, "handle/"), "/")
	suffix, file, _ := strings.Cut(rest, "/")
	if own, name, ok := strings.Cut(file, "/"); ok && (own == number || number == "") {
		number, file = own, name
	}
	return host + "/bitstream/" + prefix + "/" + suffix + "/" + number + "/" + file
}
