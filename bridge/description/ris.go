package description

import (
	"slices"
	"strings"

	"fingerpost/bridge/text"
)

// risDocument is a reference of RIS.
func (d *Description) risDocument() node {
	c := &d.Container
	title, _ := d.names()
	fields := []node{value("TY", Value{d.Type.ris, d.StatedType.From}), value("TI", title)}
	add := func(tag string, list []Value) {
		for _, v := range list {
			fields = append(fields, value(tag, v))
		}
	}
	for _, a := range named(d.Creators) {
		fields = append(fields, value("AU", a.Name))
	}
	for _, a := range named(d.withRole(true)) {
		fields = append(fields, value("A2", a.Name))
	}
	year := d.year()
	fields = append(fields, value("PY", year), value("DA", risDate(d.Issued)), value("T2", c.Title), value("VL", c.Volume), value("IS", c.Issue),
		value("SP", c.First), value("EP", c.Last), value("SN", firstOf(first(c.ISSN), d.ISBN)), value("PB", first(d.Publishers)),
		value("LA", d.language()), value("AB", d.abstract()))
	add("KW", d.Subjects)
	fields = append(fields, fixed("DO", d.doi()), fixed("UR", d.Object.LandingPage.URL))
	return object("", slices.Clip(fields)...)
}

func firstOf(a, b Value) Value {
	if a.Text != "" {
		return a
	}
	return b
}

// risDate has slashes, as many as there may be parts.
func risDate(v Value) Value {
	if v.Text == "" {
		return v
	}
	parts := strings.Split(v.Text, "-")
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	return Value{strings.Join(parts, "/"), v.From}
}

// ris writes a reference. No value has a line break, for that would begin a
// field, or another reference.
func (n *node) ris(b []byte) []byte {
	for _, f := range n.nodes {
		b = append(append(append(b, f.name...), "  - "...), text.Plain(f.text, longestText)...)
		b = append(b, "\r\n"...)
	}
	return append(b, "ER  - \r\n"...)
}
