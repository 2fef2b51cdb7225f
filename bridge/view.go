package bridge

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// view is what the decisions about one object read: its statements, and what
// is found out about the loose values among them. Each decision is a type or a
// function of its own. Its rules carry the names under which the documentation
// explains them.
type view struct {
	mapping    *Mapping
	id         identifier.OAI
	hosts      hosts
	statements crosswalk.Statements
	candidates []candidate
	ruled      ruled
	matched    []bool // the rules that matched anything, in any object
	notes      notes
	// disbelieved is why files that a landing page names are not believed; "" if
	// they are, or if this is the view of the harvested metadata.
	disbelieved string
}

// begin begins another object in the memory of the one before, which no Object
// refers to.
func (v *view) begin(oaiIdentifier string, trace *Trace) {
	const common = 1024
	if cap(v.candidates) > common {
		v.candidates = nil
	}
	v.id = identifier.SplitOAI(oaiIdentifier, v.mapping.platform.LocalPrefix)
	v.hosts = hosts{v.id.Host, v.mapping.hosts}
	v.statements.Begin(crosswalk.Links)
	v.candidates = v.candidates[:0]
	v.ruled = ruled{}
	v.notes = notes{trace: trace}
}

// read reads the records and looks at what they say.
func (v *view) read(records []Record) error {
	for _, r := range records {
		if r.Prefix == landingpage.Prefix && !v.mapping.settings.Pages {
			continue
		}
		if err := v.statements.Add(r.Prefix, r.Metadata); err != nil {
			return err
		}
	}
	v.statements.Read()
	v.notes.docs = v.statements.Docs
	v.applyRules()
	return nil
}

// divide keeps in v what the harvested metadata states, and moves to page what
// the landing page states. Each decision asks v first, then page.
func (v *view) divide(page *view) {
	page.mapping, page.id, page.hosts, page.notes = v.mapping, v.id, v.hosts, v.notes
	page.statements.Docs, page.candidates = v.statements.Docs, page.candidates[:0]
	page.disbelieved = v.mapping.learned.PageFiles.disbelieved()
	v.statements.List, page.statements.List = v.statements.Divide()
	v.consider()
	page.consider()
}

// each calls f for every statement of a kind.
func (v *view) each(k crosswalk.Kind, f func(*crosswalk.Statement)) {
	v.eachOf(k, k, f)
}

// eachOf calls f for every statement of either kind.
func (v *view) eachOf(a, b crosswalk.Kind, f func(*crosswalk.Statement)) {
	for i := range v.statements.List {
		if st := &v.statements.List[i]; st.Kind == a || st.Kind == b {
			f(st)
		}
	}
}

// candidate is a value of dc:identifier, dc:relation or dc:source, looked at
// once for all decisions.
type candidate struct {
	*crosswalk.Statement
	uri.Address // of an http URL; URL is "" if it is none
	id          identifier.ID
	isID        bool // id is set
	file        bool // the URL of a file, by its form
	own         bool // on the repository's host
	match       identifier.Match
	refused     string // why it can be nothing at all
}

// consider looks at every loose value.
func (v *view) consider() {
	for i := range v.statements.List {
		st := &v.statements.List[i]
		switch st.Kind {
		case crosswalk.Identifier, crosswalk.Relation, crosswalk.Source:
			v.candidates = append(v.candidates, candidate{Statement: st})
			v.look(&v.candidates[len(v.candidates)-1])
		}
	}
}

// look finds out what there is to know about a value.
func (v *view) look(c *candidate) {
	if strings.EqualFold(c.Scheme, "thumbnail") {
		c.refused = "a preview image, not a file of the object"
		return
	}
	c.id, c.isID = identifier.Parse(c.Value)
	value := v.absolute(c.Value)
	var ok bool
	if c.Address, ok = parseLoose(value); !ok {
		if strings.Contains(c.Value, "://") && !c.isID {
			c.refused = "not an absolute http URL that may be linked"
		}
		return
	}
	c.own = v.hosts.own(c.Host)
	c.match = v.id.In(c.Address)
	if c.refused = v.refusal(c); c.refused != "" {
		return
	}
	c.file = v.isFile(c.Address) || v.isGalley(c)
	if c.file && v.disbelieved != "" {
		c.refused = v.disbelieved
	}
	if value != c.Value && c.match == identifier.NoMatch {
		c.refused = "a relative URL without the local part of the OAI identifier"
	}
}

// parseLoose takes a loose value for an address. One with blanks may be words
// around an address: it is one only if it ends as the name of a file does.
func parseLoose(value string) (uri.Address, bool) {
	if a, ok := uri.Parse(value); ok {
		return a, true
	}
	a, ok := uri.ParseFile(value)
	if _, typed := vocabulary.MediaTypeByExtension(a.URL); !ok || !typed || !vocabulary.IsFileURL(a.URL) {
		return uri.Address{}, false
	}
	return a, true
}

// refusal says why a URL can be nothing at all; "" if it may be something.
func (v *view) refusal(c *candidate) string {
	prefix := v.mapping.platform.LocalPrefix
	switch {
	case isPlaceholder(c.Host):
		return "the host is a placeholder"
	case c.isID && c.id.Scheme == identifier.Handle && !c.id.Persistent():
		return "the Handle prefix " + c.id.Prefix + " is registered to nobody"
	case prefix != "" && text.HasSuffixFold(strings.TrimRight(c.Rest, "/"), "/"+prefix):
		return "an address that is cut off before its number"
	case strings.Contains(c.Rest, "verb=GetRecord"):
		return "a request to an OAI-PMH interface"
	}
	return vocabulary.NotContent(c.Address)
}

// absolute resolves a path against the repository's own host, as a few
// repositories print their own pages.
func (v *view) absolute(value string) string {
	if !strings.HasPrefix(value, "/") || strings.HasPrefix(value, "//") || strings.ContainsAny(value, " \\") {
		return value
	}
	return uri.Site(v.mapping.baseURL) + value
}

// isFile reports whether an address is that of a file, by its form.
func (v *view) isFile(a uri.Address) bool {
	p := &v.mapping.platform
	return vocabulary.IsFileAt(a.Host, a.Rest) || text.ContainsAny(a.Rest, p.Files...) || p.FilesBelow && isBelow(a.Rest, v.id.Key)
}

// isGalley reports whether an address is one that OJS, OMP and OPS have for a
// galley.
func (v *view) isGalley(c *candidate) bool {
	if !v.mapping.platform.Galleys {
		return false
	}
	_, galley := articleAt(c.URL)
	return galley != ""
}

// isBelow reports whether a path goes on after the local part with a number
// and a name, as EPrints' files do.
func isBelow(path, local string) bool {
	_, after, ok := strings.Cut(path, "/"+local+"/")
	number, name, more := strings.Cut(after, "/")
	return ok && more && text.IsDigits(number) && name != ""
}

// names reports whether a persistent identifier contains the local part.
func (v *view) names(c *candidate) bool {
	return c.match >= identifier.FullMatch ||
		c.Kind == crosswalk.Identifier && (c.match == identifier.CloseMatch || v.id.InValue(c.id.Value))
}

// isURL reports whether the candidate may be linked.
func (c *candidate) isURL() bool {
	return c.URL != "" && c.refused == ""
}

// persistent reports whether the candidate is a persistent identifier.
func (c *candidate) persistent() bool {
	return c.isID && c.refused == "" && c.id.Persistent()
}
