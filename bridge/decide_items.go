package bridge

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// maxItems bounds the files of one object. Digitised newspapers come near it.
const maxItems = crosswalk.MostOfKind

// filing decides which files the object has.
type filing struct {
	*view
	object Object // with its landing page, type and licence
	list   itemList
	paired map[*crosswalk.Statement]*crosswalk.Statement // stated files and the formats that go with them
}

// itemList is the files found so far, without doubles.
type itemList struct {
	list []ContentResource
	seen map[string]int // by filing.key; only used beyond a handful
	page string         // NormalURL of the landing page, which is no file of itself; "" before it is needed
}

// items returns the content files: those a rule names, those a format names
// (I1), then file addresses among the loose values (I2 to I4).
func (f *filing) items() []ContentResource {
	for _, item := range f.ruled.items {
		f.add(item)
	}
	f.paired = f.pairFormats()
	f.each(crosswalk.File, f.stated)
	for doc := range f.statements.Docs {
		f.loose(uint8(doc))
	}
	return f.list.list
}

// add appends a file, or completes the one that is already there. It reports
// whether the file is new, and whether its media type was taken.
func (f *filing) add(item ContentResource) (added, typed bool) {
	l := &f.list
	if l.page == "" {
		l.page = NormalURL(f.object.LandingPage.URL)
	}
	if len(l.list) >= maxItems || NormalURL(item.URL) == l.page {
		return false, false
	}
	if len(l.list) > 0 { // most objects have one file
		key := f.key(item.URL)
		if i, ok := l.find(key, f.key); ok {
			if l.list[i].MediaType == "" {
				l.list[i].MediaType, typed = item.MediaType, true
			}
			return false, typed
		}
		if l.seen != nil {
			l.seen[key] = len(l.list)
		}
	}
	l.list = append(l.list, item)
	return true, true
}

// key is that of an address; what shows a galley and what sends it are one file.
func (f *filing) key(url string) string {
	if f.mapping.platform.Galleys {
		url = galleyFile(url)
	}
	return resourceKey(url)
}

func (l *itemList) find(key string, keyOf func(url string) string) (int, bool) {
	const few = 8
	if len(l.list) < few {
		i := slices.IndexFunc(l.list, func(r ContentResource) bool { return keyOf(r.URL) == key })
		return i, i >= 0
	}
	if l.seen == nil {
		l.seen = make(map[string]int, len(l.list)*2)
		for i, r := range l.list {
			l.seen[keyOf(r.URL)] = i
		}
	}
	i, ok := l.seen[key]
	return i, ok
}

// stated is I1: a format says that this is a file of the object.
func (f *filing) stated(st *crosswalk.Statement) {
	a, ok := uri.Parse(st.Value)
	switch {
	case !ok:
		f.notes.reject(relItem, "I1", "not an absolute http URL that may be linked", st)
		return
	case isPlaceholder(a.Host):
		f.notes.reject(relItem, "I1", "the host is a placeholder", st)
		return
	case vocabulary.NeverFile(a.URL):
		f.notes.reject(relItem, "I1", "a preview, a licence text or a derived file, not a file of the object", st)
		return
	}
	item := ContentResource{URL: a.URL}
	stated, format := st.Media, f.paired[st]
	if format != nil {
		stated = format.Value
	}
	var by typing
	item.MediaType, by = f.typeFile(stated, a.URL, st, format)
	class, ok := vocabulary.TypeOf(st.Scheme)
	if ok && class.URI != f.object.Type {
		item.Type = class.URI
	}
	if licence, err := vocabulary.LicenceOf(st.Licence); err == nil && licence != f.object.License {
		item.License = licence
	}
	added, typed := f.add(item)
	if !added {
		f.notes.reject(relItem, "I1", "the same file, or the landing page, once more", st)
	} else {
		f.notes.accept(relItem, a.URL, "I1", st)
		f.noteParts(item, class.Vocabulary, st)
	}
	f.noteType(a.URL, item.MediaType, typed, by)
}

// noteParts notes what a format says of a file that is not so of the object.
func (f *filing) noteParts(item ContentResource, vocabulary string, st *crosswalk.Statement) {
	if item.Type != "" {
		f.notes.acceptOf(item.URL, relType, item.Type, vocabulary, st)
	}
	if item.License != "" {
		f.notes.acceptOf(item.URL, relLicense, item.License, "licence", st)
	}
}

// looseFile is a loose value that is a file, and the rule that says so.
type looseFile struct {
	*candidate
	rule string
}

// loose finds the files of one record among its loose values and pairs them
// with its dc:format values.
func (f *filing) loose(doc uint8) {
	var few [8]looseFile
	files := few[:0]
	for i := range f.candidates {
		c := &f.candidates[i]
		if c.Doc != doc || c.URL == f.object.LandingPage.URL {
			continue
		}
		if rule := f.rule(c); rule != "" && !vocabulary.NeverFile(c.URL) {
			files = append(files, looseFile{c, rule})
		}
	}
	if files = f.withoutAliases(files); len(files) == 0 {
		return
	}
	var some [8]*crosswalk.Statement
	formats := f.formats(doc, some[:0])
	galleys := len(formats) != len(files) // OJS gives a format to each galley, and none to supplementary files
	if galleys && len(formats) != countGalleys(files) {
		formats = nil
	}
	for _, file := range files {
		var format *crosswalk.Statement
		if len(formats) > 0 && (!galleys || file.rule == "I3") {
			format, formats = formats[0], formats[1:]
		}
		f.addLoose(file, format)
	}
}

// withoutAliases drops the address under which a platform has the first of the
// files, whatever its name, where the files themselves are named.
func (f *filing) withoutAliases(files []looseFile) []looseFile {
	alias := f.mapping.platform.FirstFile
	named := func(l looseFile) bool { return !strings.HasSuffix(l.URL, alias) }
	if alias == "" || !slices.ContainsFunc(files, named) {
		return files
	}
	return slices.DeleteFunc(files, func(l looseFile) bool {
		if named(l) {
			return false
		}
		f.notes.reject(relItem, l.rule, "the same file once more", l.Statement)
		return true
	})
}

func countGalleys(files []looseFile) int {
	n := 0
	for _, f := range files {
		if f.rule == "I3" {
			n++
		}
	}
	return n
}

// addLoose adds a file, with the format that was paired with it, or nil.
func (f *filing) addLoose(l looseFile, format *crosswalk.Statement) {
	stated := ""
	if format != nil {
		stated = format.Value
	}
	item := ContentResource{URL: l.URL}
	var by typing
	item.MediaType, by = f.typeFile(stated, l.URL, l.Statement, format)
	if f.mapping.platform.Galleys && item.MediaType != "text/html" {
		item.URL = galleyFile(item.URL)
	}
	added, typed := f.add(item)
	if added {
		f.notes.accept(relItem, item.URL, l.rule, l.Statement)
	} else {
		f.notes.reject(relItem, l.rule, "the same file once more", l.Statement)
	}
	f.noteType(item.URL, item.MediaType, typed, by)
}

// rule names the rule by which a loose value is a file; "" if it is none.
func (f *filing) rule(c *candidate) string {
	galleys := f.mapping.platform.Galleys
	if !c.isURL() || !c.file && !galleys {
		return ""
	}
	near := c.own || sameHost(c.Host, f.object.LandingPage.URL)
	switch {
	case c.Kind == crosswalk.Relation && galleys && near && galleyFile(c.URL) != c.URL:
		return "I3"
	case !c.file:
		return ""
	case isIdentifier(c) && (near || c.match >= identifier.FullMatch):
		return "I2"
	case c.Kind == crosswalk.Relation && near && c.match != identifier.NoMatch:
		return "I4"
	}
	return ""
}

func sameHost(host, pageURL string) bool {
	a, ok := uri.Parse(pageURL)
	return ok && uri.HostKey(a.Host) == uri.HostKey(host)
}

// galleyFile turns the page of a galley of OJS, OMP or OPS into the address
// of its file: article/view/12/34 shows what article/download/12/34 sends.
func galleyFile(uri string) string {
	for _, page := range [...]string{"/article/view/", "/catalog/view/", "/preprint/view/"} {
		before, after, ok := strings.Cut(uri, page)
		if !ok {
			continue
		}
		id, galley, ok := strings.Cut(after, "/")
		if ok && id != "" && galley != "" {
			return before + strings.Replace(page, "/view/", "/download/", 1) + after
		}
	}
	return uri
}
