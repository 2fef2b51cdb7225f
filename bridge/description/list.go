package description

import (
	"strconv"

	"fingerpost/bridge"
)

// List is a file with the CDIF metadata of many objects: an ItemList of
// schema.org under one context. CDIF, metadata publication, option 3. It is
// written piece by piece, for there may be more objects than memory holds.
type List struct {
	URL     string // of the file
	Name    string
	Page    string // for people, about the whole collection
	Changed string // the day on which the file last changed
}

// ListContentType is the media type of a List, ListProfile the profile in it
// and in links. The text of CDIF wants a word there.
const (
	ListProfile     = "CDIF-list-1.0"
	ListContentType = `application/ld+json; profile="` + ListProfile + `"`
)

// listRights is what a list says of its own rights, as CDIF core demands.
const listRights = "This list can be read by everybody. The rights in each object are stated with it."

// Begin appends what stands before the first object.
func (l List) Begin(b []byte) []byte {
	head := object("",
		context(),
		fixed("@id", l.URL),
		array("@type", fixed("", "schema:Collection"), fixed("", "schema:ItemList")),
		fixed("schema:name", l.Name),
		array("schema:identifier", fixed("", l.URL)),
		fixed("schema:url", l.Page),
		fixed("schema:dateModified", l.Changed),
		array("schema:conditionsOfAccess", fixed("", listRights)),
		catalogRecord(l.URL, l.Changed),
	)
	b = head.json(b, 0)
	b = append(b[:len(b)-len("\n}")], ',')
	return append(appendQuoted(newLine(b, 1), "schema:itemListElement"), ": ["...)
}

// Append appends an object, the first or a further one, or nothing: false if
// its record does not state what CDIF asks for.
func (l List) Append(b []byte, d *Description, first bool) ([]byte, bool) {
	if d.Complete()&bridge.CDIF == 0 {
		return b, false
	}
	if !first {
		b = append(b, ',')
	}
	n := schemaOrg(d)
	n.nodes = n.nodes[1:] // the context: the list has it
	return n.json(newLine(b, 2), 2), true
}

// End appends what stands behind the last of n objects.
func (l List) End(b []byte, n int) []byte {
	b = append(newLine(b, 1), "],"...)
	b = append(appendQuoted(newLine(b, 1), "schema:numberOfItems"), ": "...)
	return append(strconv.AppendInt(b, int64(n), 10), "\n}\n"...)
}
