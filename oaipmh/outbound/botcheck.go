package outbound

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
)

// headerMarks are the bot checks that show themselves in a header. Some headers
// of theirs go with every answer and count only when access is refused.
var headerMarks = []struct {
	header, contains, name string
	refused                bool
}{
	{"Cf-Mitigated", "", "Cloudflare", false},
	{"X-Amzn-Waf-Action", "", "AWS WAF", false},
	{"X-Datadome", "", "DataDome", false},
	{"Set-Cookie", "anubis", "Anubis", false},
	{"X-Iinfo", "", "Imperva", true},
	{"X-Sucuri-Id", "", "Sucuri", true},
	{"Server", "akamaighost", "Akamai", true},
	{"Server", "cloudflare", "Cloudflare", true},
}

// pageMarks are the bot checks that show themselves in a page, which they
// answer with status 200 too.
var pageMarks = []struct {
	page *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`(?i)id=["']anubis_challenge["']|/\.within\.website/`), "Anubis"},
	{regexp.MustCompile(`(?is)<title>\s*(Just a moment\.\.\.|Attention Required! \| Cloudflare).*/cdn-cgi/`), "Cloudflare"},
	{regexp.MustCompile(`(?i)<altcha-widget`), "ALTCHA"},
}

// catalogued marks a page that describes an object, whatever else is in it.
var catalogued = regexp.MustCompile(`(?i)<meta[^>]+name=["']?(citation_|dc\.|dcterms\.|eprints\.|bepress_)`)

// BotCheck names the bot check that answered in place of a server; "" if none
// is seen. Ask for answers that are not what was to be expected: a header that
// some check sends also goes with real pages.
func BotCheck(status int, header http.Header, body []byte) string {
	for _, m := range headerMarks {
		value := strings.ToLower(strings.Join(header.Values(m.header), " "))
		if value != "" && strings.Contains(value, m.contains) && (!m.refused || status == http.StatusForbidden) {
			return m.name
		}
	}
	body = body[:min(len(body), 128<<10)]
	if catalogued.Match(body) {
		return ""
	}
	for _, m := range pageMarks {
		if m.page.Match(body) {
			return m.name
		}
	}
	if bytes.Contains(body, []byte("window.__CF$cv")) && !bytes.Contains(bytes.ToLower(body), []byte("<title")) {
		return "Cloudflare"
	}
	return ""
}
