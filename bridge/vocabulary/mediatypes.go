package vocabulary

import (
	"strings"
	"sync"

	"fingerpost/bridge/text"
)

// MediaTypeOf returns the media type that a value of dc:format states, bare
// and in lower case: one that is written as such, or a label like "PDF". Sizes
// and extents are none.
func MediaTypeOf(value string) (string, bool) {
	v := strings.ToLower(text.Clean(value))
	v, _, _ = strings.Cut(v, ";") // parameters are not the type's
	v = strings.TrimSpace(v)
	if t, ok := mediaTypes().labels[v]; ok {
		return t, true
	}
	if IsMediaType(v) {
		return v, true
	}
	if t, ok := mediaTypes().labels[text.Fold(v)]; ok {
		return t, true
	}
	t, ok := mediaTypes().extensions[strings.TrimPrefix(v, ".")]
	if !ok || len(v) == 1 || t == OctetStream { // "R" and "DAT" may be anything
		return "", false
	}
	return t, true
}

// OctetStream is the media type that says nothing.
const OctetStream = "application/octet-stream"

// mediaTypeTable is tables/mediatypes.tsv.
type mediaTypeTable struct {
	extensions, labels map[string]string
}

var mediaTypes = sync.OnceValue(func() mediaTypeTable {
	t := mediaTypeTable{map[string]string{}, map[string]string{}}
	for _, row := range rows("mediatypes") {
		if row[0] == "extension" {
			t.extensions[row[1]] = row[2]
			continue
		}
		label := strings.ToLower(row[1])
		t.labels[label] = row[2]
		if !strings.Contains(label, "/") {
			t.labels[text.Fold(label)] = row[2]
		}
	}
	return t
})

// IsMediaType reports whether v, in lower case, is a type of the registry's
// top level and a subtype. RFC 6838, 4.2.
func IsMediaType(v string) bool {
	top, sub, ok := strings.Cut(v, "/")
	if !ok || sub == "" || len(sub) > 127 || sub == "*" {
		return false
	}
	switch top {
	case "application", "audio", "chemical", "font", "image", "message", "model", "multipart", "text", "video":
	default:
		return false
	}
	for i := 0; i < len(sub); i++ {
		if c := sub[i]; !text.IsLetter(c) && !text.IsDigit(c) && strings.IndexByte("!#$&-^_.+", c) < 0 {
			return false
		}
	}
	return text.IsLetter(sub[0]) || text.IsDigit(sub[0])
}
