package bridge

import "strings"

// mediaType is that of a file: as stated, else by its extension. The
// extension is believed before a bare word, such as the "text" with which
// EPrints files a PDF, and before the type that says nothing.
func (d *decision) mediaType(stated, uri string) (mediaType string, byName bool) {
	t, ok := d.known.mediaTypes.of(stated, mediaTypeOf)
	if ok && strings.Contains(stated, "/") && t != octetStream {
		return t, false
	}
	if byExtension, found := mediaTypeByExtension(uri); found {
		return byExtension, !ok || byExtension != t
	}
	if !ok {
		return "", false
	}
	return t, false
}

// pairStated gives files that a format names without their media types those
// which the same record lists, if there are as many.
func (d *decision) pairStated() {
	for doc := range d.statements.docs {
		var files []*statement
		d.each(file, func(st *statement) {
			if int(st.doc) == doc && st.media == "" {
				files = append(files, st)
			}
		})
		if len(files) == 0 {
			continue
		}
		formats := d.formats(uint8(doc), nil)
		if len(formats) != len(files) {
			continue
		}
		for i, st := range files {
			st.media = formats[i].value
			d.pair(st, formats[i])
		}
	}
}

// pair remembers, for the trace, from where a file has its media type.
func (d *decision) pair(st, format *statement) {
	if d.trace == nil {
		return
	}
	if d.paired == nil {
		d.paired = map[*statement]*statement{}
	}
	d.paired[st] = format
}

// typing is what the media type of a file was taken from.
type typing struct {
	rule   string
	from   *statement
	format *statement // that was paired with the file; nil if none was
}

// typeFile returns the media type of a file that st names: what is stated of
// it, there or by the format it was paired with, or what its name tells.
func (d *decision) typeFile(stated, uri string, st, format *statement) (string, typing) {
	t, byName := d.mediaType(stated, uri)
	switch {
	case byName:
		return t, typing{"ending of the name", st, format}
	case format != nil:
		return t, typing{"paired by order", format, format}
	}
	return t, typing{"stated", st, nil}
}

// noteType notes from where a file has its media type, and what became of the
// one that was paired with it.
func (d *decision) noteType(uri, media string, taken bool, by typing) {
	if d.trace == nil {
		return
	}
	if taken && media != "" {
		d.acceptOf(uri, MediaTypeEvidence, media, by.rule, by.from)
	}
	if by.format != nil && taken {
		d.reject(MediaTypeEvidence, by.rule, "the ending of the file's name says more", by.format)
	} else if by.format != nil {
		d.reject(MediaTypeEvidence, "paired by order", "goes with a file that is linked with its media type already, or not at all", by.format)
	}
}

// formats appends the values of dc:format in one record that are media types.
func (d *decision) formats(doc uint8, out []*statement) []*statement {
	for i := range d.statements.list {
		if st := &d.statements.list[i]; st.kind == format && st.doc == doc {
			if _, ok := d.known.mediaTypes.of(st.value, mediaTypeOf); ok {
				out = append(out, st)
			}
		}
	}
	return out
}
