package description

import (
	"strings"
)

// csl is one item of CSL-JSON 1.0.
func csl(d *Description) node {
	c := &d.Container
	return object("",
		fixed("id", idOf(&d.Object)),
		value("type", d.StatedType.as(d.Type.csl)),
		value("title", first(d.Titles)),
		each("author", named(d.Creators), cslName),
		each("editor", named(editors(d.Contributors)), cslName),
		value("publisher", firstOf(first(d.Publishers), d.Thesis.Grantor)),
		value("publisher-place", d.PublishedIn),
		cslDate("issued", d.Issued),
		cslDate("submitted", dated(d.Dates, "Submitted")),
		cslDate("available-date", dated(d.Dates, "Available")),
		value("container-title", c.Title),
		value("volume", c.Volume),
		value("issue", c.Issue),
		value("page", pages(c, "-")),
		value("number", c.Number),
		value("collection-title", c.Series),
		value("event", c.Event),
		value("event-place", c.EventPlace),
		value("edition", d.Edition),
		value("genre", d.Thesis.Degree),
		value("ISSN", first(c.ISSN)),
		value("ISBN", d.ISBN),
		value("language", only(d.Languages)),
		value("abstract", abstract(d.Descriptions)),
		keywords("keyword", d.Subjects),
		value("version", d.Version),
		fixed("DOI", doiOf(&d.Object)),
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

func cslDate(name string, date Value) node {
	day := dayOf(date.Text)
	if day == "" {
		return node{}
	}
	var parts []node
	for part := range strings.SplitSeq(day, "-") {
		parts = append(parts, number("", date.as(strings.TrimLeft(part, "0"))))
	}
	return object(name, array("date-parts", array("", parts...)))
}

// pages are the first and the last, as the format has them.
func pages(c *Container, between string) Value {
	if c.First.Text == "" || c.Last.Text == "" || c.First.Text == c.Last.Text {
		return firstOf(c.First, c.Pages)
	}
	return joined(between, c.First, c.Last)
}

// abstract is the description that is said to be it; else the first one.
func abstract(list []Value) Value {
	for _, v := range list {
		if descriptionType(v) == "Abstract" {
			return v
		}
	}
	return first(list)
}

func keywords(name string, list []Value) node { return value(name, joined(", ", list...)) }
