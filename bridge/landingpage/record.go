package landingpage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/uri"
)

// record writes what was stated.
func (s *statements) record() []byte {
	var w writer
	page := withoutLeftovers(s.page.URL)
	base := page
	if s.base != "" {
		base = Resolve(page, s.base)
	}
	w.WriteString(`<page xmlns="` + Namespace + `"`)
	w.attribute("url", page)
	if asked := withoutLeftovers(s.page.Asked); asked != page {
		w.attribute("asked", asked)
	}
	if base != page {
		w.attribute("base", base)
	}
	w.attribute("type", s.page.Header.Get("Content-Type"))
	w.WriteString(">\n")
	w.section("header", s.headers)
	w.section("link", s.links)
	w.section("meta", s.metas)
	for _, work := range s.works {
		w.statement(work, " ")
	}
	w.section("a", s.licences)
	w.WriteString(end)
	return w.Bytes()
}

const end = "</page>\n"

type writer struct{ bytes.Buffer }

func (w *writer) section(name string, list []statement) {
	if len(list) > 0 {
		w.statement(statement{name: name, parts: list}, " ")
	}
}

// statement writes a statement in lines of its own.
func (w *writer) statement(s statement, indent string) {
	w.WriteString(indent + "<" + s.name)
	w.attribute("type", s.typ)
	w.attribute("scheme", s.scheme)
	w.attribute("profile", s.profile)
	w.attribute("title", s.title)
	w.WriteByte('>')
	if len(s.parts) > 0 {
		w.WriteByte('\n')
		for _, p := range s.parts {
			w.statement(p, indent+" ")
		}
		w.WriteString(indent)
	}
	w.text(s.value)
	w.WriteString("</" + s.name + ">\n")
}

func (w *writer) attribute(name, value string) {
	if value == "" || len(value) > longestValue {
		return
	}
	w.WriteString(" " + name + `="`)
	w.text(value)
	w.WriteByte('"')
}

// text writes a value. What XML cannot have is replaced. XML 1.0, 2.2
func (w *writer) text(value string) {
	_ = xml.EscapeText(w, []byte(value)) // a buffer takes all
}

// LinkSetOf returns the address of the link set that the page of a record leads
// to, and the media type to ask for; "" if it leads to none.
func LinkSetOf(record []byte) (address, mediaType string) {
	root, err := element.Parse(record)
	if err != nil {
		return "", ""
	}
	base := BaseOf(root)
	for _, section := range [...]string{"header", "link"} {
		for e := range root.Child(section).Children() {
			a, t := Resolve(base, e.Text()), e.Attr("type")
			switch {
			case e.Local() != "linkset" || a == "":
			case t == "" || t == typeJSON:
				return a, typeJSON // the first in JSON, which more write without a fault
			case address == "" && t == typeText:
				address, mediaType = a, t
			}
		}
	}
	return address, mediaType
}

// The media types of link sets. RFC 9264, 7.2.
const (
	typeJSON = "application/linkset+json"
	typeText = "application/linkset"
)

// BaseOf returns the address against which the references of a record are
// resolved.
func BaseOf(root element.Element) string {
	if base := root.Attr("base"); base != "" {
		return base
	}
	return root.Attr("url")
}

// ErrNoLinks says that a link set has no link of the page that leads to it.
var ErrNoLinks = errors.New("has no link of the landing page")

// AddLinkSet returns a record with the links of the link set that LinkSetOf
// named. The error says why no link could be read.
func AddLinkSet(record []byte, mediaType string, linkSet []byte) ([]byte, error) {
	root, err := element.Parse(record)
	if err != nil {
		return nil, fmt.Errorf("read the record of a landing page: %w", err)
	}
	var set linkset.LinkSet
	if strings.Contains(mediaType, "json") {
		set, err = linkset.ParseJSON(linkSet)
	} else {
		set, err = linkset.ParseText(linkSet)
	}
	var s statements
	for _, l := range set {
		if isPage(root, l.Anchor) {
			s.links = s.link(s.links, l.Rel, l.Href, l.Type, l.Profile, "")
		}
	}
	if len(s.links) == 0 {
		return nil, errors.Join(ErrNoLinks, err)
	}
	var w writer
	w.Write(bytes.TrimSuffix(record, []byte(end)))
	w.section("linkset", s.links)
	w.WriteString(end)
	return w.Bytes(), nil
}

// isPage reports whether an address is the page's: where it was asked, where it
// was shown, or what it calls itself.
func isPage(root element.Element, address string) bool {
	key, ok := uri.Normal(address)
	names := []string{root.Attr("url"), root.Attr("asked")}
	for _, section := range [...]string{"header", "link"} {
		names = append(names, Resolve(BaseOf(root), root.Child(section).Child("canonical").Text()))
	}
	for _, n := range names {
		if k, isURL := uri.Normal(n); ok && isURL && k == key {
			return true
		}
	}
	return false
}
