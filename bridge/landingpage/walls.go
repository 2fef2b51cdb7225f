package landingpage

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
)

// shortPage is how long a page is at most with which a server refuses.
const shortPage = 20_000

// longForm is how many letters a page has at least that is more than a form.
const longForm = 1000

// refusal returns the mark by which an answer is a wall whatever its page says;
// "" if there is none.
func refusal(p Page, length int) string {
	switch {
	case strings.EqualFold(p.Header.Get("Cf-Mitigated"), "challenge"):
		return "the header cf-mitigated, of Cloudflare"
	case p.Header.Get("X-Amzn-Waf-Action") != "":
		return "the header x-amzn-waf-action, of Amazon"
	case p.Status == http.StatusForbidden && length < shortPage:
		return "403 with a short page"
	case p.Status == http.StatusTooManyRequests && length < shortPage && p.Header.Get("Retry-After") == "":
		return "429 with a short page, which does not say when to come back"
	}
	return ""
}

// why says why a page gives no record; nil if it gives one. A page that states
// anything of a work is no wall: Open Graph alone proves nothing, since walls
// copy it.
func (s *statements) why(body []byte) error {
	if s.several() {
		return ErrSeveral
	}
	if s.states() {
		return nil
	}
	if mark := s.wall(body); mark != "" {
		return &WallError{mark}
	}
	switch {
	case s.form && textIn(body) < longForm: // a page may have a form beside its text
		return ErrLogin
	case isShell(body):
		return ErrShell
	}
	return ErrEmpty
}

// states reports whether anything was stated that is the object's. What every
// page of a site may have is not: its own address, its feeds, a licence.
func (s *statements) states() bool {
	if len(s.metas)+len(s.works) > 0 {
		return true
	}
	for _, list := range [...][]statement{s.headers, s.links} {
		for _, l := range list {
			switch l.name {
			case "cite-as", "item", "describedby", "linkset":
				return true
			case "alternate":
				if l.typ == "application/pdf" {
					return true
				}
			}
		}
	}
	return false
}

// wall returns the mark by which a page that states nothing is a wall.
func (s *statements) wall(body []byte) string {
	has := func(mark string) bool { return bytes.Contains(body, []byte(mark)) }
	switch {
	case has(`id="anubis_challenge"`), has("/.within.website/"):
		return "Anubis"
	case (s.title == "Just a moment..." || s.title == "Attention Required! | Cloudflare") && (has("/cdn-cgi/") || has("__cf_chl_")):
		return "the title " + s.title
	case s.title == "" && has("__CF$cv$params"):
		return "a script of Cloudflare, and no title"
	case has("altcha-widget"):
		return "ALTCHA"
	}
	return ""
}

// several reports whether a page is about more than one work: it states DOIs, or
// numbers of an EPrints, that differ.
func (s *statements) several() bool {
	first := map[string]string{}
	for _, m := range s.metas {
		name, value := strings.TrimPrefix(strings.ToLower(m.name), "bepress_"), ""
		switch name {
		case "citation_doi":
			value = strings.ToLower(m.value)
			if i := strings.Index(value, "10."); i >= 0 {
				value = value[i:]
			}
		case "eprints.eprintid":
			value = m.value
		default:
			continue
		}
		if before := first[name]; before != "" && before != value {
			return true
		}
		first[name] = value
	}
	return false
}

// isShell reports whether a page is one that scripts fill: it has scripts, and
// next to no text for people.
func isShell(body []byte) bool {
	return bytes.Contains(body, []byte("<ds-app></ds-app>")) || bytes.Contains(body, []byte("<script")) && textIn(body) < shellText
}

// shellText is how many letters a page has at least that shows something.
const shellText = 100

// isFront reports whether an address is that of a site's first page.
func isFront(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}
