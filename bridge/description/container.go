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
	ISSN                                      []Value
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
	c.ISSN = numbers(s, crosswalk.ISSN, identifier.ISSN)
	if len(c.ISSN) == 0 {
		c.ISSN = distinct(s.richest(crosswalk.Source), issnIn)
	}
	return c
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
