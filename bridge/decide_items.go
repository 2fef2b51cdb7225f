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
	object   Object             // with its landing page, type and licence
	metadata []MetadataResource // that describes it, on the repository's side
	licences []statedLicence    // that differ, of one record: the files', if there is one for each
	list     itemList
	// harvested are the loose values of the harvested metadata, where those of the
	// landing page are looked at.
	harvested []candidate
	paired    map[*crosswalk.Statement]*crosswalk.Statement // stated files and the formats that go with them
}

// itemList is the files found so far, without doubles.
type itemList struct {
	list []ContentResource
	seen map[string]int // by filing.key; only used beyond a handful
	of   []string       // addresses of the files of the record that states the licences, in its order
	page string         // NormalURL of the landing page, which is no file of itself; "" before it is needed
}

// items returns the content files: those a rule names, those a format names
// (I1), then file addresses among the loose values (I2 to I5), and those
// that the landing page names (I6).
func (f *filing) items() []ContentResource {
	for _, item := range f.ruled.items {
		f.add(item)
	}
	f.paired = f.pairFormats()
	f.each(crosswalk.File, f.stated)
	f.each(crosswalk.Offered, f.offered)
	for doc := range f.statements.Docs {
		f.loose(uint8(doc))
	}
	f.license()
	f.parts()
	return f.list.list
}

// parts gives the files what the administrator's rules say of each.
func (f *filing) parts() {
	for _, p := range f.ruled.parts {
		at, ok := f.list.find(f.key(p.item), f.key)
		if !ok {
			f.notes.refuse(p.rel, p.rule, "the object has no such file", p.from)
			continue
		}
		item := &f.list.list[at]
		if p.rel == relDescribedBy {
			item.DescribedBy = append(item.DescribedBy, p.describedBy)
		} else {
			item.Authors = append(item.Authors, p.author)
		}
	}
}

// license gives the files of a record the licences that it states, in their
// order, if there are as many.
func (f *filing) license() {
	if len(f.licences) == 0 {
		return
	}
	if len(f.list.of) != len(f.licences) {
		licensing{f.view}.rejectAll(f.licences)
		return
	}
	for i, s := range f.licences {
		at, ok := f.list.find(f.key(f.list.of[i]), f.key)
		if ok && f.list.list[at].License == "" {
			f.list.list[at].License = s.uri
			f.notes.acceptOf(f.list.list[at].URL, relLicense, s.uri, "licences by order", s.from)
		}
	}
}

// inOrder notes a file of the record that states the licences.
func (f *filing) inOrder(url string, doc uint8) {
	if len(f.licences) > 0 && doc == f.licences[0].from.Doc {
		f.list.of = append(f.list.of, url)
	}
}

// add appends a file, or completes the one that is already there. It reports
// whether the file is new, and whether its media type was taken.
func (f *filing) add(item ContentResource) (added, typed bool) {
	l := &f.list
	if l.page == "" {
		l.page = NormalURL(f.object.LandingPage.URL)
	}
	if len(l.list) >= maxItems || NormalURL(item.URL) == l.page || f.describes(item.URL) {
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

// describes reports whether an address is that of metadata that is linked as such.
func (f *filing) describes(url string) bool {
	return slices.ContainsFunc(f.metadata, func(m MetadataResource) bool { return SameURL(m.URL, url) })
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
	a, ok := uri.ParseFile(st.Value)
	switch {
	case !ok:
		f.notes.reject(relItem, "I1", "not an absolute http URL that may be linked", st)
		return
	case isPlaceholder(a.Host):
		f.notes.reject(relItem, "I1", "the host is a placeholder", st)
		return
	}
	if why := vocabulary.NotContent(a); why != "" {
		f.describe(a.URL, st.Media, "I1", st)
		f.notes.reject(relItem, "I1", why, st)
		return
	}
	f.inOrder(a.URL, st.Doc)
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

// describe keeps a document that describes the object, if others can read it.
func (f *filing) describe(url, media, rule string, st *crosswalk.Statement) {
	format, ok := vocabulary.DescriptionOf(url)
	if !ok || len(f.metadata) == maxDescriptions {
		return
	}
	if strings.HasSuffix(media, "json") {
		format.MediaType = media
	}
	f.metadata = append(f.metadata, MetadataResource{url, format.MediaType, format.Profile})
	f.notes.accept(relDescribedBy, url, rule, st)
}

// maxDescriptions is more documents than describe any object.
const maxDescriptions = 100

// looseFile is a loose value that is a file, and the rule that says so.
type looseFile struct {
	*candidate
	rule string
}

// loose finds the files of one record among its loose values and pairs them
// with its dc:format values.
func (f *filing) loose(doc uint8) {
	var files []looseFile
	for i := range f.candidates {
		c := &f.candidates[i]
		if c.Doc != doc || c.URL == f.object.LandingPage.URL {
			continue
		}
		switch rule := f.rule(c); {
		case rule == "":
		case c.refused == "":
			files = append(files, looseFile{c, rule})
		default:
			f.describe(c.URL, "", rule, c.Statement)
		}
	}
	if files = f.withoutAliases(f.withoutSources(files)); len(files) == 0 {
		return
	}
	formats := f.formats(doc)
	galleys := len(formats) != len(files) // OJS gives a format to each galley, and none to supplementary files
	paired := files
	if galleys {
		paired = galleysAmong(files)
	}
	if len(formats) != len(paired) || f.contradicted(formats, func(i int) string { return paired[i].URL }) {
		formats = nil
	}
	if len(formats) == 0 {
		galleys = false
	}
	formatNames := len(f.list.of) > 0 // in so many words, which goes before
	for _, file := range files {
		if !formatNames {
			f.inOrder(file.URL, doc)
		}
		var format *crosswalk.Statement
		if len(formats) > 0 && (!galleys || file.rule == "I3") {
			format, formats = formats[0], formats[1:]
		}
		f.addLoose(file, format)
	}
}

// withoutSources drops the files that an object was made of where its own are
// named. Where none is, some repositories name its own in dc:source.
func (f *filing) withoutSources(files []looseFile) []looseFile {
	isSource := func(l looseFile) bool { return l.rule == "I5" }
	if len(f.list.list) == 0 && !slices.ContainsFunc(files, func(l looseFile) bool { return !isSource(l) }) {
		return files
	}
	return slices.DeleteFunc(files, isSource)
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

func galleysAmong(files []looseFile) []looseFile {
	var out []looseFile
	for _, f := range files {
		if f.rule == "I3" {
			out = append(out, f)
		}
	}
	return out
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
	if c.URL == "" || !c.file && c.refused != vocabulary.ADescription {
		return ""
	}
	near := c.own || sameHost(c.Host, f.object.LandingPage.URL)
	switch {
	case c.Kind == crosswalk.Relation && f.isGalley(c):
		switch {
		case !near || !f.isOwnGalley(c):
		case isSupplement(c):
			return "I4"
		default:
			return "I3"
		}
	case isIdentifier(c) && (near || c.match >= identifier.FullMatch):
		return "I2"
	case c.Kind == crosswalk.Relation && near && c.match != identifier.NoMatch:
		return "I4"
	case c.Kind == crosswalk.Source && c.own:
		return "I5"
	}
	return ""
}

func sameHost(host, pageURL string) bool {
	a, ok := uri.Parse(pageURL)
	return ok && uri.HostKey(a.Host) == uri.HostKey(host)
}

// isSupplement reports whether an address is that of a supplementary file of OJS 2.
func isSupplement(c *candidate) bool {
	return strings.Contains(c.Rest, "/downloadSuppFile/")
}

// isOwnGalley reports whether a galley is one of the article: its address goes
// on after that of the landing page, or after the local part.
func (f *filing) isOwnGalley(c *candidate) bool {
	article, _ := articleAt(f.object.LandingPage.URL)
	own, _ := articleAt(c.URL)
	return article == "" || c.match >= identifier.FullMatch || SameURL(article, own)
}

// articleAt takes an address of OJS, OMP or OPS apart: that of the article, or
// the book, and its galley. A public name may stand for its number.
func articleAt(url string) (article, galley string) {
	for _, kind := range [...]string{"/article/", "/catalog/", "/preprint/"} {
		before, after, ok := strings.Cut(url, kind)
		verb, path, found := strings.Cut(after, "/")
		id, galley, _ := strings.Cut(path, "/")
		if !ok || !found || id == "" {
			continue
		}
		switch verb {
		case "view", "download", "book", "downloadSuppFile":
			return before + kind + id, galley
		}
	}
	return "", ""
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
