package verify

import (
	"bytes"
	"net/http"
	"testing"
	"unicode/utf8"

	"fingerpost/bridge/linkset"
)

// FuzzPage: whatever a page sends, it is looked at to the end, and what is
// said of it may be printed.
func FuzzPage(f *testing.F) {
	f.Add("text/html", `<https://doi.org/10.5555/7>; rel="cite-as"; anchor="http://repo.example/page/7/"`, []byte(`<title>7</title><link rel="type item" href="/a,b">`))
	f.Add("text/html; charset=utf-16", `</a>;rel=item;profile="a b";rel=,<"`, []byte("<\x00m\x00e\x00t\x00a\x00"))
	f.Add("text/html; charset=iso-2022-kr", "<\x9b>;rel=\"type item\"", []byte(`<meta http-equiv=refresh content="0;url=//[">`))
	f.Fuzz(func(t *testing.T, contentType, link string, body []byte) {
		a := &answer{url: page, status: 200, header: http.Header{"Content-Type": {contentType}, "Link": {link}}, body: body}
		c := &check{Landing: Landing{URL: page, FinalURL: page, Status: 200, Header: a.links(), got: a, headed: a}}
		c.HTML, _ = linkset.ParseHTML(bytes.NewReader(a.html()), page)
		c.own = merged(c.Header.From(page), c.HTML)
		c.links = c.own
		c.page()
		headerCheck{c}.examine()
		c.html()
		c.cardinalities("FP-L1-", c.own, "On the page")
		agreementOf(c).examine()
		c.quality()
		for _, f := range c.finish().Findings {
			if f.Remedy == "" {
				t.Errorf("%s has no remedy", f.Code)
			}
			if !utf8.ValidString(f.Message) || bytes.ContainsAny([]byte(f.Message), "\x00\x1b\u009b\u202e") || utf8.RuneCountInString(f.Message) > 1501 {
				t.Errorf("%s cannot be printed: %q", f.Code, f.Message)
			}
		}
	})
}
