package description

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// bibTeX is an entry of BibTeX. Its first field is the key.
func bibTeX(d *Description) node {
	c := &d.Container
	in := "journal"
	if d.Type.bibTeX == "inproceedings" || d.Type.bibTeX == "incollection" {
		in = "booktitle"
	}
	return object("",
		value(entryType, d.StatedType.as(d.Type.bibTeX)),
		fixed(entryKey, bibTeXKey(d.Identifier)),
		value("title", first(d.Titles)),
		bibTeXNames("author", named(d.Creators)),
		bibTeXNames("editor", named(editors(d.Contributors))),
		value(in, c.Title),
		value("series", c.Series),
		value("volume", c.Volume),
		value("number", c.Issue),
		value("pages", pages(c, "--")),
		value("eid", c.Number),
		value("publisher", first(d.Publishers)),
		value("address", d.PublishedIn),
		value("school", d.Thesis.Grantor),
		value("type", d.Thesis.Degree),
		value("edition", d.Edition),
		value("year", yearOf(d.Issued)),
		value("month", monthOf(d.Issued)),
		value("issn", first(c.ISSN)),
		value("isbn", d.ISBN),
		value("langid", only(d.Languages)),
		value("abstract", abstract(d.Descriptions)),
		keywords("keywords", d.Subjects),
		value("version", d.Version),
		value("copyright", inWords(d.Rights)),
		fixed("doi", doiOf(&d.Object)),
		fixed("url", d.Object.LandingPage.URL),
	)
}

// inWords is the first text about rights that is no code or address.
func inWords(rights []Value) Value {
	for _, v := range rights {
		if v.From.Kind == crosswalk.Rights {
			return v
		}
	}
	return first(rights)
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
	var parts []Value
	names := make([]string, 0, len(list))
	for _, a := range list {
		switch {
		case a.Family.Text == "":
			parts, names = append(parts, a.Name), append(names, "{"+bibTeXText(a.Name.Text)+"}")
		case a.Given.Text == "":
			parts, names = append(parts, a.Family), append(names, "{"+bibTeXText(a.Family.Text)+"}")
		default:
			parts, names = append(parts, a.Family, a.Given), append(names, "{"+bibTeXText(a.Family.Text)+"}, {"+bibTeXText(a.Given.Text)+"}")
		}
	}
	return value(name, joined(" ", parts...).as(strings.Join(names, " and ")))
}

// writeBibTeX writes an entry.
func writeBibTeX(n *node, b []byte) []byte {
	for i, f := range n.nodes {
		switch {
		case f.name == entryType:
			b = append(append(append(b, '@'), f.Text...), '{')
			continue
		case f.name == entryKey && i == 1:
			b = append(b, f.Text...)
			continue
		}
		b = append(append(append(b, ",\n  "...), f.name...), " = {"...)
		b = append(b, bibTeXField(f.name, f.Text)...)
		b = append(b, '}')
	}
	return append(b, "\n}\n"...)
}

// bibTeXField writes the text of a field.
func bibTeXField(name, s string) string {
	switch name {
	case "doi", "url":
		return bibTeXAddress.Replace(s)
	case "author", "editor":
		return s
	case "pages": // with a dash between them
		return bibTeXEscapes.Replace(s)
	case "publisher", "address", "school": // BibLaTeX has lists of them
		if text.IndexFold(s, " and ") >= 0 {
			return "{" + bibTeXText(s) + "}"
		}
	}
	return bibTeXText(s)
}

// bibTeXText writes a text for LaTeX: it is shown as it was stated. Braces
// count even where a backslash is before them, so they have names. Signs that
// LaTeX would join are kept apart.
func bibTeXText(s string) string {
	s = bibTeXEscapes.Replace(s)
	for _, pair := range []string{"--", "''", "``", "?`", "!`", ",,", "<<", ">>"} {
		for strings.Contains(s, pair) {
			s = strings.ReplaceAll(s, pair, pair[:1]+"{}"+pair[1:])
		}
	}
	return s
}

var bibTeXEscapes = strings.NewReplacer(
	`\`, `{\textbackslash}`, "{", `{\textbraceleft}`, "}", `{\textbraceright}`, "%", `\%`, "&", `\&`, "_", `\_`, "#", `\#`, "$", `\$`,
	"~", `{\textasciitilde}`, "^", `{\textasciicircum}`)

// bibTeXAddress keeps an address from ending its field.
var bibTeXAddress = strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C", "\n", "", "\r", "")
