package edge

import (
	"net/http"
	"regexp"
	"strings"
)

// The entity tag "x" of a page into which links are written becomes
// W/"x-fps0123456789ab", the weak tag W/"x" becomes W/"x-fpw0123456789ab". The
// letter says which it was, because some servers compare tags as strings.
const tagMark = "-fp"

var entityTag = regexp.MustCompile(`(W/)?"([^"]*)"`)

// markTag turns the origin's entity tag into that of the page with links. An
// invalid tag is dropped. RFC 9110, 8.8.3.
func (p *page) markTag(h http.Header) {
	tag := p.marked(h.Get("Etag"))
	h.Del("Etag")
	if tag != "" {
		h.Set("Etag", tag)
	}
}

// confirmTag is markTag for the answer "not modified". The tag is marked only if
// the client sent the marked one: it may have the origin's. RFC 9110, 15.4.5.
func (p *page) confirmTag(h http.Header, sent []string) {
	tag := p.marked(h.Get("Etag"))
	if opaque := strings.TrimPrefix(tag, "W/"); tag != "" && strings.Contains(strings.Join(sent, ","), opaque) {
		h.Set("Etag", tag)
	}
}

// marked returns the tag of the page with links; "" if tag is invalid.
func (p *page) marked(tag string) string {
	part := entityTag.FindStringSubmatch(tag)
	if part == nil || part[0] != tag {
		return ""
	}
	kind := "s"
	if part[1] != "" {
		kind = "w"
	}
	return `W/"` + part[2] + tagMark + kind + p.version + `"`
}

// mark matches what markTag adds, for any links.
var mark = regexp.MustCompile(tagMark + `([sw])([0-9a-f]{12})$`)

// originTags turns the entity tags that a client sent into those of the origin.
// If a tag belongs to the page with other links, it is left out and stale is true.
func (p *page) originTags(sent string) (tags string, stale bool) {
	if strings.TrimSpace(sent) == "*" {
		return sent, false
	}
	var origins []string
	for _, part := range entityTag.FindAllStringSubmatch(sent, -1) {
		ours := mark.FindStringSubmatch(part[2])
		switch {
		case ours == nil:
			origins = append(origins, part[0])
		case ours[2] != p.version:
			stale = true
		default:
			tag := `"` + strings.TrimSuffix(part[2], ours[0]) + `"`
			if ours[1] == "w" {
				tag = "W/" + tag
			}
			origins = append(origins, tag)
		}
	}
	if origins == nil && !stale { // not entity tags: the origin decides
		return sent, false
	}
	return strings.Join(origins, ", "), stale
}
