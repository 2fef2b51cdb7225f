package description

import (
	"strconv"
	"strings"
)

// cslDocument is one item of CSL-JSON 1.0.
func (d *Description) cslDocument() node {
	c := &d.Container
	title, _ := d.names()
	return object("",
		fixed("id", d.id()),
		value("type", Value{d.Type.csl, d.StatedType.From}),
		value("title", title),
		each("author", named(d.Creators), cslName),
		each("editor", named(d.withRole(true)), cslName),
		value("publisher", first(d.Publishers)),
		d.cslDate(),
		value("container-title", c.Title),
		value("volume", c.Volume),
		value("issue", c.Issue),
		value("page", c.pages("-")),
		value("number", c.Number),
		value("ISSN", first(c.ISSN)),
		value("ISBN", d.ISBN),
		value("language", d.language()),
		value("abstract", d.abstract()),
		d.keywords("keyword"),
		value("version", d.Version),
		fixed("DOI", d.doi()),
		fixed("URL", d.Object.LandingPage.URL),
	)
}

// cslName parts a name only where the parts are stated, or a person's comma
// says them: else "Curriculum Council, Wesleyan University" had a first name.
func cslName(a Agent) node {
	if a.Family.Text == "" {
		return object("", value("literal", a.Name))
	}
	return object("", value("family", a.Family), value("given", a.Given))
}

func (d *Description) cslDate() node {
	var parts []node
	for _, p := range strings.Split(d.Issued.Text, "-") {
		if n, err := strconv.Atoi(p); err == nil {
			parts = append(parts, node{form: aNumber, text: strconv.Itoa(n), from: d.Issued.From})
		}
	}
	return object("issued", array("date-parts", array("", parts...)))
}

// pages are the first and the last, as the format has them.
func (c *Container) pages(between string) Value {
	if c.First.Text == "" || c.Last.Text == "" || c.First.Text == c.Last.Text {
		return c.First
	}
	return Value{c.First.Text + between + c.Last.Text, c.First.From}
}

// abstract is the description that is said to be it; else the first one.
func (d *Description) abstract() Value {
	for _, v := range d.Descriptions {
		if descriptionType(v) == "Abstract" {
			return v
		}
	}
	return first(d.Descriptions)
}

func (d *Description) keywords(name string) node {
	if len(d.Subjects) == 0 {
		return node{}
	}
	words := make([]string, 0, len(d.Subjects))
	for _, v := range d.Subjects {
		words = append(words, v.Text)
	}
	return node{name: name, text: strings.Join(words, ", "), from: d.Subjects[0].From}
}
