package description

import (
	"strings"

	"fingerpost/bridge/text"
)

// bibTeXDocument is an entry of BibTeX. Its first field is the key.
func (d *Description) bibTeXDocument() node {
	c := &d.Container
	title, _ := d.names()
	month := Value{}
	if len(d.Issued.Text) >= len("2006-01") {
		month = Value{d.Issued.Text[5:7], d.Issued.From}
	}
	in := "journal"
	if d.Type.bibTeX == "inproceedings" || d.Type.bibTeX == "incollection" {
		in = "booktitle"
	}
	return object("",
		value(entryType, Value{d.Type.bibTeX, d.StatedType.From}),
		fixed(entryKey, bibTeXKey(d.Identifier)),
		value("title", title),
		bibTeXNames("author", named(d.Creators)),
		bibTeXNames("editor", named(d.withRole(true))),
		value(in, c.Title),
		value("volume", c.Volume),
		value("number", c.Issue),
		value("pages", c.pages("--")),
		value("publisher", first(d.Publishers)),
		value("year", d.year()),
		value("month", month),
		value("issn", first(c.ISSN)),
		value("isbn", d.ISBN),
		value("langid", d.language()),
		value("abstract", d.abstract()),
		d.keywords("keywords"),
		value("version", d.Version),
		value("copyright", first(d.Rights)),
		fixed("doi", d.doi()),
		fixed("url", d.Object.LandingPage.URL),
	)
}

// The names of what is no field of BibTeX.
const (
	entryType = "@"
	entryKey  = "key"
)

// bibTeXKey is the identifier of the record in the letters that every reader
// takes: a comma would end the key.
func bibTeXKey(id string) string {
	const longest = 100
	var b strings.Builder
	for i := 0; i < len(id) && b.Len() < longest; i++ {
		switch c := id[i] | 0x20; {
		case text.IsDigit(id[i]), id[i] == ':':
			b.WriteByte(id[i])
		case text.IsLetter(c):
			b.WriteByte(c)
		default:
			b.WriteByte('-')
		}
	}
	if b.Len() == 0 {
		return "record"
	}
	return b.String()
}

// bibTeXNames joins names with "and". One whose parts are not stated stands in
// braces, for "and" may be a word of it.
func bibTeXNames(name string, list []Agent) node {
	if len(list) == 0 {
		return node{}
	}
	names := make([]string, 0, len(list))
	for _, a := range list {
		switch {
		case a.Family.Text == "":
			names = append(names, "{"+bibTeXText(a.Name.Text)+"}")
		case a.Given.Text == "":
			names = append(names, "{"+bibTeXText(a.Family.Text)+"}")
		default:
			names = append(names, "{"+bibTeXText(a.Family.Text)+"}, {"+bibTeXText(a.Given.Text)+"}")
		}
	}
	return node{name: name, text: strings.Join(names, " and "), from: list[0].Name.From}
}

// bibTeX writes an entry.
func (n *node) bibTeX(b []byte) []byte {
	for i, f := range n.nodes {
		switch {
		case f.name == entryType:
			b = append(append(append(b, '@'), f.text...), '{')
			continue
		case f.name == entryKey && i == 1:
			b = append(b, f.text...)
			continue
		}
		b = append(append(append(b, ",\n  "...), f.name...), " = {"...)
		switch f.name {
		case "doi", "url":
			b = append(b, bibTeXAddress.Replace(f.text)...)
		case "author", "editor":
			b = append(b, f.text...)
		default:
			b = append(b, bibTeXText(f.text)...)
		}
		b = append(b, '}')
	}
	return append(b, "\n}\n"...)
}

// bibTeXText writes a text for LaTeX: it is shown as it was stated. Braces
// count even where a backslash is before them, so they have names.
func bibTeXText(s string) string { return bibTeXEscapes.Replace(s) }

var bibTeXEscapes = strings.NewReplacer(
	`\`, `{\textbackslash}`, "{", `{\textbraceleft}`, "}", `{\textbraceright}`, "%", `\%`, "&", `\&`, "_", `\_`, "#", `\#`, "$", `\$`,
	"~", `{\textasciitilde}`, "^", `{\textasciicircum}`)

// bibTeXAddress keeps an address from ending its field.
var bibTeXAddress = strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C", "\n", "", "\r", "")
