package edge

import (
	"net/http"
	"regexp"
	"strings"
)

// An entity tag "x" of the origin becomes W/"x-fps0123456789ab" where links
// were written into its page, a weak one W/"x-fpw0123456789ab". The letter
// keeps which it was, because there are servers that compare tags as strings.
const tagMark = "-fp"

var entityTag = regexp.MustCompile(`(W/)?"([^"]*)"`)

// markTag makes the origin's entity tag that of the page with links. A tag
// that is none is dropped: nothing can be made of it. RFC 9110, 8.8.3.
func (p *page) markTag(h http.Header) {
	tag := p.marked(h.Get("Etag"))
	h.Del("Etag")
	if tag != "" {
		h.Set("Etag", tag)
	}
}

// confirmTag is markTag for an answer that the page has not changed, if a tag
// that the client holds is the marked one: it may hold the origin's own.
// RFC 9110, 15.4.5.
func (p *page) confirmTag(h http.Header, held []string) {
	tag := p.marked(h.Get("Etag"))
	if opaque := strings.TrimPrefix(tag, "W/"); tag != "" && strings.Contains(strings.Join(held, ","), opaque) {
		h.Set("Etag", tag)
	}
}

// marked is the tag of the page with links; "" if tag is none.
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

// mark matches what markTag added, with whatever links.
var mark = regexp.MustCompile(tagMark + `([sw])([0-9a-f]{12})$`)

// originTags turns the entity tags that a client holds into those that the
// origin knows. Tags of the page with other links than today's are left out,
// and stale is true.
func (p *page) originTags(held string) (tags string, stale bool) {
	if strings.TrimSpace(held) == "*" {
		return held, false
	}
	var known []string
	for _, part := range entityTag.FindAllStringSubmatch(held, -1) {
		ours := mark.FindStringSubmatch(part[2])
		switch {
		case ours == nil:
			known = append(known, part[0])
		case ours[2] != p.version:
			stale = true
		default:
			tag := `"` + strings.TrimSuffix(part[2], ours[0]) + `"`
			if ours[1] == "w" {
				tag = "W/" + tag
			}
			known = append(known, tag)
		}
	}
	if known == nil && !stale { // no entity tags: not ours to judge
		return held, false
	}
	return strings.Join(known, ", "), stale
}
