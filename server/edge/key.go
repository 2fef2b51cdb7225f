package edge

import (
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/uri"
)

// key is path and query of a page in the exported files. A request may spell them
// otherwise. Each server brings it into one form: slashes at the end of the path
// do not count, as in bridge.NormalURL, and percent-encoding is undone. nginx
// cannot decode a query: its file lists the forms that clients use.
type key struct {
	raw         string // as it was published
	path, query string // decoded; a query with its question mark
}

// keyOf takes path and query as they were published.
func keyOf(published string) key {
	path, query, _ := strings.Cut(published, "?")
	if path = strings.TrimRight(path, "/"); path == "" {
		path = "/"
	}
	if query != "" {
		query = "?" + query
	}
	return key{path + query, uri.Decode(path), uri.Decode(query)}
}

// afterHost returns path and query of an absolute URL.
func afterHost(url string) string {
	url, _, _ = strings.Cut(url, "#")
	_, rest, _ := strings.Cut(url, "://")
	return rest[strings.IndexAny(rest+"/", "/?"):]
}

// fits reports whether a key can stand in each file. A path with an encoded slash
// at its end cannot: decoded, the slash would not count.
func (k key) fits() bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7F }
	slash := strings.HasSuffix(k.path, "/") && k.path != "/"
	return strings.HasPrefix(k.raw, "/") && !slash && len(k.raw) <= linkset.MaxURI && !strings.ContainsFunc(k.path+k.query, control)
}

// String is the key in MapFile: decoded, but for three characters. White space
// ends a key there, a question mark of the path does not begin a query, and a
// percent sign would make other addresses of these two.
func (k key) String() string {
	return keyPath.Replace(k.path) + keyQuery.Replace(k.query)
}

var (
	keyPath  = strings.NewReplacer("%", "%25", " ", "%20", "?", "%3F")
	keyQuery = strings.NewReplacer("%", "%25", " ", "%20")
)

// nginx returns the forms under which nginx finds a key. It decodes a path but
// not a query, so the query is listed as published, as browsers send it, as the
// link set has it, and with everything encoded that can be. A path with a question
// mark has no forms: nginx would take it for the beginning of the query.
func (k key) nginx() []string {
	switch {
	case strings.Contains(k.path, "?"):
		return nil
	case k.query == "":
		return []string{k.path}
	}
	_, published, _ := strings.Cut(k.raw, "?")
	var forms []string
	for i := range asNginx {
		query := k.query[1:]
		if asNginx[i].Keep['%'] {
			query = published
		}
		if form := k.path + "?" + asNginx[i].Encode(query); !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// asNginx are the ways in which a query is written, with both cases of escapes.
// What keeps the percent sign writes the query as it was published.
var asNginx = func() (all []uri.Encoder) {
	for _, lower := range []bool{false, true} {
		for _, keep := range []string{"!$&'()*+,;=:@/?%[]-._~", "!$&'()*+,;=:@/?[]-._~", "!$&'()*+=:@/?-._~", "&=-._~"} {
			all = append(all, uri.Encoder{Keep: uri.Bytes(keep), Lower: lower})
		}
	}
	return all
}()
