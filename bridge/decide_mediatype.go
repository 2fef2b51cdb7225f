package bridge

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/vocabulary"
)

// mediaType is that of a file: as stated, else by its extension. The
// extension is believed before a bare word, such as the "text" with which
// EPrints files a PDF, before the type that says nothing, and before one of
// which it tells the newer form.
func (v *view) mediaType(stated, url string) (mediaType string, byName bool) {
	t, ok := vocabulary.MediaTypeOf(stated)
	byExtension, found := vocabulary.MediaTypeByExtension(url)
	says := ok && strings.Contains(stated, "/") && t != vocabulary.OctetStream
	if !found || says && !vocabulary.IsOutdated(t, byExtension) {
		return t, false
	}
	return byExtension, !ok || byExtension != t
}

// formats returns the values of dc:format in one record that are media types.
func (v *view) formats(doc uint8) (out []*crosswalk.Statement) {
	for i := range v.statements.List {
		if st := &v.statements.List[i]; st.Kind == crosswalk.Format && st.Doc == doc {
			if _, ok := vocabulary.MediaTypeOf(st.Value); ok {
				out = append(out, st)
			}
		}
	}
	return out
}

// pairFormats gives files that a format names without their media types those
// which the same record lists, if there are as many.
func (f *filing) pairFormats() map[*crosswalk.Statement]*crosswalk.Statement {
	var paired map[*crosswalk.Statement]*crosswalk.Statement // few objects need it
	for doc := range f.statements.Docs {
		var files []*crosswalk.Statement
		f.each(crosswalk.File, func(st *crosswalk.Statement) {
			if int(st.Doc) == doc && st.Media == "" {
				files = append(files, st)
			}
		})
		if len(files) == 0 {
			continue
		}
		formats := f.formats(uint8(doc))
		if len(formats) != len(files) || f.contradicted(formats, func(i int) string { return files[i].Value }) {
			continue
		}
		if paired == nil {
			paired = map[*crosswalk.Statement]*crosswalk.Statement{}
		}
		for i, st := range files {
			paired[st] = formats[i]
		}
	}
	return paired
}

// contradicted reports whether formats that would be paired with files by order
// are in another order: one of them contradicts the ending of its file's name.
// None of them says anything then.
func (f *filing) contradicted(formats []*crosswalk.Statement, file func(i int) string) bool {
	for i, format := range formats {
		stated, _ := vocabulary.MediaTypeOf(format.Value)
		ending, ok := vocabulary.MediaTypeByExtension(file(i))
		if ok && strings.Contains(format.Value, "/") && vocabulary.Contradicts(stated, ending) {
			for _, format := range formats {
				f.notes.reject(MediaTypeEvidence, "paired by order", "not paired: by order it would contradict the ending of a file's name", format)
			}
			return true
		}
	}
	return false
}

// typing is what the media type of a file was taken from.
type typing struct {
	rule   string
	from   *crosswalk.Statement
	format *crosswalk.Statement // that was paired with the file; nil if none was
}

// typeFile returns the media type of a file that st names: what is stated of
// it, there or by the format it was paired with, or what its name tells.
func (v *view) typeFile(stated, url string, st, format *crosswalk.Statement) (string, typing) {
	t, byName := v.mediaType(stated, url)
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
func (v *view) noteType(url, media string, taken bool, by typing) {
	if !v.notes.wanted() {
		return
	}
	if taken && media != "" {
		v.notes.acceptOf(url, MediaTypeEvidence, media, by.rule, by.from)
	}
	if by.format != nil && taken {
		v.notes.reject(MediaTypeEvidence, by.rule, "the ending of the file's name says more", by.format)
	} else if by.format != nil {
		v.notes.reject(MediaTypeEvidence, "paired by order", "goes with a file that is linked with its media type already, or not at all", by.format)
	}
}
