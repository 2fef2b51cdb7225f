package linkset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ParseJSON reads an application/linkset+json document: RFC 9264, 4.2. Targets
// and anchors must be absolute, as for ParseText. A profile may be a string or
// an array; several are joined by a space.
//
// What can be understood is returned with an error too, such as a target that
// stands without its array. The error joins a *FormError for each fault, with
// a JSON pointer to it.
func ParseJSON(doc []byte) (LinkSet, error) {
	r := &jsonReader{reader: &reader{}, budget: 10 * MaxLinks}
	if len(doc) > MaxDocument {
		r.fault("the document", "", errTooLarge)
		return r.result()
	}
	doc, marked := bytes.CutPrefix(doc, []byte("\xEF\xBB\xBF"))
	if marked {
		r.fault("the document", "", errMark)
	}
	var raw json.RawMessage
	if err := json.Unmarshal(doc, &raw); err != nil {
		r.fault("the document", err.Error(), errNotJSON)
		return r.result()
	}
	r.document(raw)
	return r.result()
}

type jsonReader struct {
	*reader
	budget int // members and elements still to be looked at
}

type member struct {
	name  string
	value json.RawMessage
}

func (r *jsonReader) document(raw json.RawMessage) {
	members, _ := r.members(raw)
	if len(members) != 1 || members[0].name != "linkset" {
		r.fault("the document", "", errSoleMember)
	}
	seen := make(map[string]bool)
	for _, m := range members {
		if m.name != "linkset" {
			continue
		}
		for i, context := range r.elements("/linkset", m.value) {
			r.context(fmt.Sprintf("/linkset/%d", i), context, seen)
		}
	}
}

// context reads a link context object. RFC 9264, 4.2.2.
func (r *jsonReader) context(where string, raw json.RawMessage, seen map[string]bool) {
	members, ok := r.members(raw)
	if !ok {
		r.fault(where, "", errNotObject)
		return
	}
	anchor, ok := r.anchor(where, members)
	if !ok {
		return
	}
	if seen[anchor] {
		r.fault(where+"/anchor", anchor, errTwice)
	}
	seen[anchor] = true
	names := make(map[string]bool, len(members))
	for _, m := range members {
		at := where + "/" + pointerToken.Replace(m.name)
		if names[m.name] {
			r.fault(at, "", errTwice)
		}
		names[m.name] = true
		if m.name == "anchor" {
			continue
		}
		for i, target := range r.elements(at, m.value) {
			if r.full() {
				return
			}
			r.target(fmt.Sprintf("%s/%d", at, i), target, Link{Anchor: anchor, Rel: foldRel(m.name)})
		}
	}
}

// pointerToken escapes a name in a JSON pointer. RFC 6901, 3.
var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

func (r *jsonReader) anchor(where string, members []member) (anchor string, ok bool) {
	for _, m := range members {
		if m.name != "anchor" {
			continue
		}
		value, ok := r.text(where+"/anchor", m.value)
		if !ok {
			return "", false
		}
		anchor, err := r.resolve(value)
		if err != nil {
			r.fault(where+"/anchor", value, err)
		}
		return anchor, err == nil
	}
	r.fault(where, "", errNoAnchor)
	return "", false
}

// target reads a link target object, and adds its link. RFC 9264, 4.2.3.
func (r *jsonReader) target(where string, raw json.RawMessage, link Link) {
	members, ok := r.members(raw)
	if !ok {
		r.fault(where, "", errNotObject)
		return
	}
	href, found := "", false
	for _, m := range members {
		at := where + "/" + pointerToken.Replace(m.name)
		switch m.name {
		case "href":
			href, found = r.text(at, m.value)
			if !found {
				return
			}
		case "type":
			link.Type, _ = r.text(at, m.value)
		case "profile":
			link.Profile = r.profile(at, m.value)
		case "media", "title":
			r.text(at, m.value)
		default:
			r.attribute(at, m)
		}
	}
	if !found {
		r.fault(where, "", errNoHref)
		return
	}
	resolved, err := r.resolve(href)
	if err != nil {
		r.fault(where+"/href", href, err)
		return
	}
	link.Href = resolved
	r.links = append(r.links, link)
}

// attribute checks a target attribute that has several values, such as
// hreflang: strings, or where its name ends in "*", strings with a language.
// RFC 9264, 4.2.4.
func (r *jsonReader) attribute(where string, m member) {
	for i, element := range r.elements(where, m.value) {
		at := fmt.Sprintf("%s/%d", where, i)
		if !strings.HasSuffix(m.name, "*") {
			r.text(at, element)
			continue
		}
		parts, ok := r.members(element)
		if !ok {
			r.fault(at, "", errNotObject)
		} else if !slices.ContainsFunc(parts, func(p member) bool { return p.name == "value" }) {
			r.fault(at, "", errNoValue)
		}
		for _, part := range parts {
			r.text(at+"/"+pointerToken.Replace(part.name), part.value)
		}
	}
}

// profile reads both forms that are in use: RFC 9264, 4.2.4.3 has an array.
func (r *jsonReader) profile(where string, raw json.RawMessage) string {
	if raw[0] != '[' {
		s, _ := r.text(where, raw)
		return s
	}
	var all []string
	for i, element := range r.elements(where, raw) {
		if s, ok := r.text(fmt.Sprintf("%s/%d", where, i), element); ok {
			all = append(all, s)
		}
	}
	return strings.Join(all, " ")
}

func (r *jsonReader) text(where string, raw json.RawMessage) (string, bool) {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		r.fault(where, "", errNotString)
		return "", false
	}
	return strings.Trim(s, space), true
}

// elements returns the elements of an array. What stands without its array is
// read as the only element, and is a fault.
func (r *jsonReader) elements(where string, raw json.RawMessage) []json.RawMessage {
	if raw[0] != '[' {
		r.fault(where, "", errNotArray)
		return []json.RawMessage{raw}
	}
	var out []json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(raw))
	for _, err := dec.Token(); err == nil && dec.More() && r.spend(); {
		var element json.RawMessage
		if err = dec.Decode(&element); err == nil {
			out = append(out, element)
		}
	}
	return out
}

// members returns the members of an object in their order, repeated ones too;
// false if raw is no object.
func (r *jsonReader) members(raw json.RawMessage) ([]member, bool) {
	if raw[0] != '{' {
		return nil, false
	}
	var out []member
	dec := json.NewDecoder(bytes.NewReader(raw))
	for _, err := dec.Token(); err == nil && dec.More() && r.spend(); {
		name, _ := dec.Token()
		m := member{}
		m.name, _ = name.(string)
		if err = dec.Decode(&m.value); err == nil {
			out = append(out, m)
		}
	}
	return out, true
}

// spend counts what is looked at, so that a document of empty objects costs
// no more than one of links.
func (r *jsonReader) spend() bool {
	if r.budget == 0 && !r.over {
		r.over = true
		r.fault("the document", "", errTooMany)
	}
	r.budget--
	return r.budget >= 0
}
