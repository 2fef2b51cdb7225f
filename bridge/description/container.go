package description

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

// Container is what an object was published in.
type Container struct {
	Title, Volume, Issue, First, Last, Number Value
	Pages                                     Value // as stated, where they are no range
	ISSN                                      []Value
	Series                                    Value
	Event, EventPlace                         Value // such as a conference
}

func containerOf(s said) (c Container) {
	one := func(k crosswalk.Kind) Value {
		for _, v := range s.values(longestValue, k) {
			if v.From.Qualifier == "" || v.From.Qualifier == "host" {
				return v
			}
		}
		return Value{}
	}
	c.Title, c.Volume, c.Issue = one(crosswalk.Journal), one(crosswalk.Volume), one(crosswalk.Issue)
	c.First, c.Last, c.Number = one(crosswalk.FirstPage), one(crosswalk.LastPage), one(crosswalk.ArticleNumber)
	c.pages(one(crosswalk.Pages))
	c.Series = seriesOf(s)
	event := s.values(longestValue, crosswalk.Event)
	c.Event, c.EventPlace = firstOf(first(qualified(event, "")), first(qualified(event, "name"))), first(qualified(event, "place"))
	c.ISSN = numbers(s, crosswalk.ISSN, identifier.ISSN)
	if len(c.ISSN) == 0 {
		c.ISSN = distinct(s.richest(crosswalk.Source), issnIn)
	}
	return c
}

// pages parts a range such as "12-14" where the format states no first page.
func (c *Container) pages(stated Value) {
	if c.First.Text != "" || stated.Text == "" {
		return
	}
	from, to, ok := strings.Cut(plainDash.Replace(stated.Text), "-")
	if from, to = strings.TrimSpace(from), strings.TrimSpace(to); ok && isPage(from) && isPage(to) {
		c.First, c.Last = stated.as(from), stated.as(to)
		return
	}
	c.Pages = stated
}

// plainDash has a hyphen for every dash.
var plainDash = strings.NewReplacer("--", "-", "\u2013", "-", "\u2014", "-")

// isPage reports whether a text is the number of a page, such as "12", "e12" or
// "xiv".
func isPage(v string) bool { return len(v) > 0 && len(v) <= 10 && text.IsAlphanumeric(v) }

// seriesOf is the title of the series, which some formats have among those of
// related objects.
func seriesOf(s said) Value {
	return firstOf(first(qualified(s.values(longestValue, crosswalk.Journal), "series")),
		first(qualified(s.values(longestValue, crosswalk.RelatedTitle), "series")))
}

// isbnOf is the ISBN, as the element for it states it or an identifier.
func isbnOf(s said) Value {
	return firstOf(first(numbers(s, crosswalk.ISBN, identifier.ISBN)),
		first(distinct(s.richest(crosswalk.Identifier), func(st *crosswalk.Statement) []Value {
			if id, ok := identifier.Parse(st.Value); ok && id.Scheme == identifier.ISBN {
				return []Value{of(st, id.Value)}
			}
			return nil
		})))
}

// checked returns a number whose check digit is right.
func checked(st *crosswalk.Statement, value string, scheme identifier.Scheme) []Value {
	id, ok := identifier.Parse(value)
	if !ok {
		id, ok = identifier.Parse(string(scheme) + ":" + value)
	}
	if !ok || id.Scheme != scheme {
		return nil
	}
	return []Value{of(st, id.Value)}
}

func numbers(s said, k crosswalk.Kind, scheme identifier.Scheme) []Value {
	return distinct(s.richest(k), func(st *crosswalk.Statement) []Value { return checked(st, st.Value, scheme) })
}

// issnIn reads an ISSN after that very word: numbers alone may be pages.
func issnIn(st *crosswalk.Statement) []Value {
	at := text.IndexFold(st.Value, "issn")
	if at < 0 {
		return nil
	}
	rest := strings.TrimLeft(st.Value[at+len("issn"):], " :.)-(eEpPlL")
	if len(rest) < len("0000-0000") {
		return nil
	}
	return checked(st, rest[:len("0000-0000")], identifier.ISSN)
}
