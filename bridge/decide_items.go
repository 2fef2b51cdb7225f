package bridge

import (
	"slices"
	"strings"
)

// maxItems bounds the files of one object. Digitised newspapers come near it.
const maxItems = 10_000

// itemList is the files found so far, without doubles.
type itemList struct {
	list []ContentResource
	seen map[string]int // by decision.resourceKey; only used beyond a handful
	page string         // NormalURL of the landing page, which is no file of itself; "" before it is needed
}

// items returns the content files: those a rule names, those a format names
// (I1), then file addresses among the loose values (I2 to I4).
func (d *decision) items(o Object) []ContentResource {
	var l itemList
	for _, item := range d.ruled.items {
		d.addItem(&l, item)
	}
	d.pairStated()
	d.each(file, func(st *statement) { d.statedFile(&l, o, st) })
	for doc := range d.statements.docs {
		d.looseFiles(&l, uint8(doc))
	}
	return l.list
}

// addItem appends a file, or completes the one that is already there. It
// reports whether the file is new, and whether its media type was taken.
func (d *decision) addItem(l *itemList, item ContentResource) (added, typed bool) {
	if l.page == "" {
		l.page = NormalURL(d.page.URL)
	}
	if len(l.list) >= maxItems || NormalURL(item.URL) == l.page {
		return false, false
	}
	if len(l.list) > 0 { // most objects have one file
		key := d.resourceKey(item.URL)
		if i, ok := l.find(key, d.resourceKey); ok {
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

// resourceKey is that of an address; what shows a galley and what sends it are
// one file.
func (d *decision) resourceKey(uri string) string {
	if d.mapping.platform.galleys {
		uri = galleyFile(uri)
	}
	return resourceKey(uri)
}

func (l *itemList) find(key string, keyOf func(uri string) string) (int, bool) {
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

// statedFile is I1: a format says that this is a file of the object.
func (d *decision) statedFile(l *itemList, o Object, st *statement) {
	a, ok := parseAddress(st.value)
	switch {
	case !ok:
		d.reject(relItem, "I1", "not an absolute http URL that may be linked", st)
		return
	case isPlaceholder(a.host):
		d.reject(relItem, "I1", "the host is a placeholder", st)
		return
	case neverItem(a.raw):
		d.reject(relItem, "I1", "a preview, a licence text or a derived file, not a file of the object", st)
		return
	}
	item := ContentResource{URL: a.raw}
	var by typing
	item.MediaType, by = d.typeFile(st.media, a.raw, st, d.paired[st])
	t, ok := typeOf(st.scheme)
	if ok && t.uri != o.Type {
		item.Type = t.uri
	}
	if uri, err := licenceOf(st.licence); err == nil && uri != o.License {
		item.License = uri
	}
	added, typed := d.addItem(l, item)
	if !added {
		d.reject(relItem, "I1", "the same file, or the landing page, once more", st)
	} else {
		d.accept(relItem, a.raw, "I1", st)
		d.noteParts(item, t.vocabulary, st)
	}
	d.noteType(a.raw, item.MediaType, typed, by)
}

// noteParts notes what a format says of a file that is not so of the object.
func (d *decision) noteParts(item ContentResource, vocabulary string, st *statement) {
	if item.Type != "" {
		d.acceptOf(item.URL, relType, item.Type, vocabulary, st)
	}
	if item.License != "" {
		d.acceptOf(item.URL, relLicense, item.License, "licence", st)
	}
}

// looseFile is a loose value that is a file, and the rule that says so.
type looseFile struct {
	*candidate
	rule string
}

// looseFiles finds the files of one record among its loose values and pairs
// them with its dc:format values.
func (d *decision) looseFiles(l *itemList, doc uint8) {
	var few [8]looseFile
	files := few[:0]
	for i := range d.candidates {
		c := &d.candidates[i]
		if c.doc != doc || c.raw == d.page.URL {
			continue
		}
		if rule := d.fileRule(c); rule != "" && !neverItem(c.raw) {
			files = append(files, looseFile{c, rule})
		}
	}
	if files = d.withoutAliases(files); len(files) == 0 {
		return
	}
	var some [8]*statement
	formats := d.formats(doc, some[:0])
	galleys := len(formats) != len(files) // OJS gives a format to each galley, and none to supplementary files
	if galleys && len(formats) != countGalleys(files) {
		formats = nil
	}
	for _, f := range files {
		var format *statement
		if len(formats) > 0 && (!galleys || f.rule == "I3") {
			format, formats = formats[0], formats[1:]
		}
		d.looseFile(l, f, format)
	}
}

// withoutAliases drops the address under which a platform has the first of the
// files, whatever its name, where the files themselves are named.
func (d *decision) withoutAliases(files []looseFile) []looseFile {
	alias := d.mapping.platform.firstFile
	named := func(f looseFile) bool { return !strings.HasSuffix(f.raw, alias) }
	if alias == "" || !slices.ContainsFunc(files, named) {
		return files
	}
	return slices.DeleteFunc(files, func(f looseFile) bool {
		if named(f) {
			return false
		}
		d.reject(relItem, f.rule, "the same file once more", f.statement)
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

// looseFile adds a file, with the format that was paired with it, or nil.
func (d *decision) looseFile(l *itemList, f looseFile, format *statement) {
	stated := ""
	if format != nil {
		stated = format.value
	}
	item := ContentResource{URL: f.raw}
	var by typing
	item.MediaType, by = d.typeFile(stated, f.raw, f.statement, format)
	if d.mapping.platform.galleys && item.MediaType != "text/html" {
		item.URL = galleyFile(item.URL)
	}
	added, typed := d.addItem(l, item)
	if added {
		d.accept(relItem, item.URL, f.rule, f.statement)
	} else {
		d.reject(relItem, f.rule, "the same file once more", f.statement)
	}
	d.noteType(item.URL, item.MediaType, typed, by)
}

// fileRule names the rule by which a loose value is a file; "" if it is none.
func (d *decision) fileRule(c *candidate) string {
	if !c.isURL() || !c.file && !d.mapping.platform.galleys {
		return ""
	}
	near := c.own || sameHost(c.host, d.page.URL)
	switch {
	case c.kind == relation && d.mapping.platform.galleys && near && galleyFile(c.raw) != c.raw:
		return "I3"
	case !c.file:
		return ""
	case c.kind == identifier && (near || c.match >= fullMatch):
		return "I2"
	case c.kind == relation && near && c.match != noMatch:
		return "I4"
	}
	return ""
}

func sameHost(host, pageURL string) bool {
	a, ok := parseAddress(pageURL)
	return ok && hostKey(a.host) == hostKey(host)
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
