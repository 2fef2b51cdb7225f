package sqlite

import (
	"strconv"
	"strings"

	"fingerpost/bridge"
)

// writer writes the JSON of an object as encoding/json does, at a fraction of
// what that takes. It fails on a text that needs escapes and on what few objects
// have; encoding/json writes it then. It is the counterpart of reader.
type writer struct {
	b      []byte
	failed bool
}

func (w *writer) object(o bridge.Object) {
	w.failed = w.failed || o.LandingPage.IsContent || len(o.DescribedBy) > 0
	w.b = append(w.b, '{')
	if o.LandingPage != (bridge.LandingPage{}) {
		w.name("landing_page")
		w.landingPage(o.LandingPage)
	}
	w.member("cite_as", o.CiteAs)
	w.member("license", o.License)
	w.member("type", o.Type)
	w.texts("authors", o.Authors)
	w.items(o.Items)
	w.texts("aliases", o.Aliases)
	if o.Year != 0 {
		w.name("year")
		w.b = strconv.AppendInt(w.b, int64(o.Year), 10)
	}
	w.b = append(w.b, '}')
}

func (w *writer) landingPage(p bridge.LandingPage) {
	w.b = append(w.b, '{')
	w.member("url", p.URL)
	if p.Resolve {
		w.name("resolve")
		w.b = append(w.b, "true"...)
	}
	w.b = append(w.b, '}')
}

func (w *writer) items(items []bridge.ContentResource) {
	if len(items) == 0 {
		return
	}
	w.name("items")
	for i, item := range items {
		w.failed = w.failed || item.Profile != "" || len(item.Authors)+len(item.DescribedBy) > 0
		w.b = append(w.b, "[,"[min(i, 1)], '{')
		w.name("url") // never left out
		w.text(item.URL)
		w.member("media_type", item.MediaType)
		w.member("type", item.Type)
		w.member("cite_as", item.CiteAs)
		w.member("license", item.License)
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']')
}

func (w *writer) texts(name string, texts []string) {
	if len(texts) == 0 {
		return
	}
	w.name(name)
	for i, text := range texts {
		w.b = append(w.b, "[,"[min(i, 1)])
		w.text(text)
	}
	w.b = append(w.b, ']')
}

// member writes a member, unless it is empty.
func (w *writer) member(name, text string) {
	if text != "" {
		w.name(name)
		w.text(text)
	}
}

func (w *writer) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

func (w *writer) text(text string) {
	w.failed = w.failed || strings.IndexByte(text, '"') >= 0 || strings.IndexByte(text, '\\') >= 0
	w.b = append(append(append(w.b, '"'), text...), '"')
}

// isPlain tells whether JSON has neither control characters nor letters
// beyond ASCII. To look at all of it at once is faster than at each text.
func isPlain(json []byte) bool {
	for _, c := range json {
		if c-' ' >= 0x80-' ' {
			return false
		}
	}
	return true
}
