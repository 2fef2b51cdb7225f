package sqlite

import (
	"encoding/json"
	"strings"

	"fingerpost/bridge"
)

// decode reads what encode made.
func decode(value string) (bridge.Object, error) {
	text := lengthen(value)
	r := reader{rest: text}
	if o := r.object(); !r.failed && r.rest == "" {
		return o, nil
	}
	var o bridge.Object
	err := json.Unmarshal([]byte(text), &o)
	return o, err
}

// reader reads JSON as encode writes it, without white space or escapes, at an
// eighth of what encoding/json takes: each answer that is not in a cache waits
// for it. Whatever else it meets, it fails, and encoding/json decides.
type reader struct {
	rest   string
	failed bool
}

func (r *reader) object() (o bridge.Object) {
	r.members(func(name string) {
		switch name {
		case "landing_page":
			o.LandingPage = r.landingPage()
		case "cite_as":
			o.CiteAs = r.text()
		case "license":
			o.License = r.text()
		case "type":
			o.Type = r.text()
		case "authors":
			o.Authors = r.texts()
		case "items":
			o.Items = make([]bridge.ContentResource, 0, 1+strings.Count(r.rest, "},{"))
			r.elements(func() { o.Items = append(o.Items, r.item()) })
		case "aliases":
			o.Aliases = r.texts()
		case "year":
			o.Year = r.number()
		default:
			r.failed = true
		}
	})
	return o
}

func (r *reader) landingPage() (p bridge.LandingPage) {
	r.members(func(name string) {
		switch name {
		case "url":
			p.URL = r.text()
		case "resolve":
			r.want("true") // left out if it is false
			p.Resolve = true
		default:
			r.failed = true
		}
	})
	return p
}

func (r *reader) item() (c bridge.ContentResource) {
	r.members(func(name string) {
		switch name {
		case "url":
			c.URL = r.text()
		case "media_type":
			c.MediaType = r.text()
		case "type":
			c.Type = r.text()
		case "cite_as":
			c.CiteAs = r.text()
		case "license":
			c.License = r.text()
		default:
			r.failed = true
		}
	})
	return c
}

// members has value read the value behind each name of an object.
func (r *reader) members(value func(name string)) {
	r.want("{")
	for more := true; more && !r.failed; more = r.took(",") {
		name := r.text()
		r.want(":")
		value(name)
	}
	r.want("}")
}

// elements has value read each element of an array.
func (r *reader) elements(value func()) {
	r.want("[")
	for more := true; more && !r.failed; more = r.took(",") {
		value()
	}
	r.want("]")
}

func (r *reader) texts() (list []string) {
	r.elements(func() { list = append(list, r.text()) })
	return list
}

func (r *reader) text() string {
	r.want(`"`)
	end := strings.IndexByte(r.rest, '"')
	if r.failed || end < 0 || strings.IndexByte(r.rest[:end], '\\') >= 0 {
		r.failed = true
		return ""
	}
	text := r.rest[:end]
	r.rest = r.rest[end+1:]
	return text
}

// number reads a year.
func (r *reader) number() (n int) {
	digits := 0
	for ; digits < len(r.rest) && digits < 9 && '0' <= r.rest[digits] && r.rest[digits] <= '9'; digits++ {
		n = 10*n + int(r.rest[digits]-'0')
	}
	r.rest = r.rest[digits:]
	r.failed = r.failed || digits == 0
	return n
}

func (r *reader) took(text string) bool {
	rest, ok := strings.CutPrefix(r.rest, text)
	r.rest = rest
	return ok
}

func (r *reader) want(text string) { r.failed = !r.took(text) || r.failed }
