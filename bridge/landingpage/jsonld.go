package landingpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fingerpost/bridge/vocabulary"
)

// deepest is how deep objects of JSON-LD are read.
const deepest = 6

// properties are those of schema.org that count, at any depth. A work that is
// cited, or of which this is a part, is another.
var properties = map[string]bool{
	"id": true, "type": true, "identifier": true, "propertyID": true, "value": true, "url": true, "sameAs": true, "mainEntityOfPage": true, "license": true,
	"author": true, "creator": true, "distribution": true, "encoding": true, "associatedMedia": true, "hasPart": true,
	"contentUrl": true, "encodingFormat": true, "fileFormat": true, "isAccessibleForFree": true, "conditionsOfAccess": true,
}

// jsonLD keeps the works that a block of JSON-LD describes: at its top, in its
// graph, or as the main entity of a page. A block that is broken costs itself.
func (s *statements) jsonLD(block []byte) {
	var whole any
	if json.Unmarshal(block, &whole) != nil && json.Unmarshal(mend(block), &whole) != nil {
		return
	}
	s.nodes(whole, "", 0)
}

// nodes keeps the works among what stands as a property; "" is the top.
func (s *statements) nodes(v any, as string, depth int) {
	switch v := v.(type) {
	case []any:
		for _, n := range v[:min(len(v), 10*mostWorks)] {
			if depth < deepest {
				s.nodes(n, as, depth+1)
			}
		}
	case map[string]any:
		s.node(v, as, depth)
	}
}

func (s *statements) node(n map[string]any, as string, depth int) {
	for _, key := range slices.Sorted(maps.Keys(n)) {
		if name := property(key); (name == "graph" || name == "mainEntity") && depth < deepest {
			s.nodes(n[key], name, depth+1)
		}
	}
	if len(s.works) < mostWorks && isWork(n, as == "graph") {
		if w := s.object("json-ld", n, 0); len(w.parts) > 0 {
			s.works = append(s.works, w)
		}
	}
}

// isWork reports whether an object is of a class that repositories keep. What is a
// picture or a film in a graph mostly adorns the page.
func isWork(n map[string]any, inGraph bool) bool {
	for key, v := range n {
		if property(key) != "type" {
			continue
		}
		for _, class := range list(v) {
			name, _ := class.(string)
			if class, ok := vocabulary.Work(property(name)); ok && !(inGraph && strings.HasSuffix(class, "Object")) {
				return true
			}
		}
	}
	return false
}

// list returns a value as the list that it stands for.
func list(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// property returns the name of a property or a class without what stands before
// it: "@id", "schema:name", "https://schema.org/name".
func property(key string) string {
	key = strings.TrimPrefix(key, "@")
	return key[strings.LastIndexAny(key, ":/#")+1:]
}

// object returns the properties of an object that count, in the order of their
// names: JSON has none.
func (s *statements) object(name string, n map[string]any, depth int) statement {
	out := statement{name: name}
	for _, key := range slices.Sorted(maps.Keys(n)) {
		if name := property(key); properties[name] {
			for _, v := range list(n[key]) {
				out.parts = s.value(out.parts, name, v, depth)
			}
		}
	}
	return out
}

func (s *statements) value(to []statement, name string, v any, depth int) []statement {
	st := statement{name: name}
	switch v := v.(type) {
	case string:
		st.value = references.Replace(v)
	case bool:
		st.value = strconv.FormatBool(v)
	case float64:
		st.value = fmt.Sprint(v)
	case map[string]any:
		if depth < deepest {
			st = s.object(name, v, depth+1)
		}
	}
	if st.value == "" && len(st.parts) == 0 || len(st.value) > longestValue || !s.room(name) {
		return to
	}
	return append(to, st)
}

// references are those of HTML that a template has put into JSON.
var references = strings.NewReplacer("&amp;", "&", "&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&apos;", "'", "&lt;", "<", "&gt;", ">")

// markup is what stands around a script for browsers of old.
var markup = regexp.MustCompile(`(?m)^\s*(?://|/\*)?\s*(?:<!--|-->|<!\[CDATA\[|\]\]>)\s*(?:\*/)?|(?:-->|\]\]>)\s*$`)

// mend makes JSON of what is nearly JSON. What would be a guess is not mended:
// quotation marks, and blocks that are cut off.
func mend(block []byte) []byte {
	block = bytes.TrimPrefix(block, []byte("\uFEFF"))
	block = markup.ReplaceAll(block, nil)
	out := make([]byte, 0, len(block))
	quoted := false
	for i := 0; i < len(block); i++ {
		c := block[i]
		switch {
		case quoted && c == '\\' && i+1 < len(block):
			out = append(out, c)
			i++
			c = block[i]
		case c == '"':
			quoted = !quoted
		case quoted && c < ' ': // JSON has none in a string. RFC 8259, 7
			c = ' '
		case !quoted && c == ',' && closes(block[i+1:]):
			continue
		}
		out = append(out, c)
	}
	return out
}

// closes reports whether what follows is the end of an array or an object.
func closes(rest []byte) bool {
	rest = bytes.TrimLeft(rest[:min(len(rest), 1000)], " \t\r\n")
	return len(rest) > 0 && (rest[0] == ']' || rest[0] == '}')
}
