package description

import (
	"slices"
	"strings"

	"fingerpost/bridge/text"
)

// ris is a reference of RIS.
func ris(d *Description) node {
	c := &d.Container
	fields := []node{value("TY", d.StatedType.as(d.Type.ris)), value("TI", first(d.Titles))}
	add := func(tag string, list []Value) {
		for _, v := range list {
			fields = append(fields, value(tag, v))
		}
	}
	for _, a := range named(d.Creators) {
		fields = append(fields, value("AU", a.Name))
	}
	for _, a := range named(editors(d.Contributors)) {
		fields = append(fields, value("A2", a.Name))
	}
	fields = append(fields, value("PY", yearOf(d.Issued)), value("DA", risDate(d.Issued)), value("T2", c.Title), value("VL", c.Volume), value("IS", c.Issue),
		value("SP", firstOf(c.First, c.Pages)), value("EP", c.Last), value("SN", firstOf(first(c.ISSN), d.ISBN)), value("PB", firstOf(first(d.Publishers), d.Thesis.Grantor)),
		value("CY", d.PublishedIn), value("ET", d.Edition), value("M3", d.Thesis.Degree), value("T3", c.Series),

		value("LA", only(d.Languages)), value("AB", abstract(d.Descriptions)))
	add("KW", d.Subjects)
	add("N1", d.Citations)
	fields = append(fields, fixed("DO", doiOf(&d.Object)), fixed("UR", d.Object.LandingPage.URL))
	return object("", slices.Clip(fields)...)
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
	v.Text = strings.Join(parts, "/")
	return v
}

// writeRIS writes a reference. No value has a line break, for that would begin a
// field, or another reference.
func writeRIS(n *node, b []byte) []byte {
	for _, f := range n.nodes {
		b = append(append(append(b, f.name...), "  - "...), text.Plain(f.Text, longestText)...)
		b = append(b, "\r\n"...)
	}
	return append(b, "ER  - \r\n"...)
}
