package linkset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// legalLinks draws link sets that Check accepts, whose values are as wild as
// that allows.
func legalLinks() *rapid.Generator[LinkSet] {
	wild := rapid.StringOf(rapid.RuneFrom([]rune("aZ09,;<>\"'[]{}|\\^`%#?&= /éß中.:-_~")))
	uriOf := func(normal func(string) (string, error), scheme string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			uri, err := normal(scheme + wild.Draw(t, "path"))
			if err != nil {
				t.Skip(err)
			}
			return uri
		})
	}
	target := uriOf(Target, "https://repo.example/")
	anchor := rapid.OneOf(rapid.SampledFrom([]string{"https://repo.example/page/7", "https://repo.example/page?id=1,2;3"}), uriOf(Anchor, "http://repo.example:8080/"))
	rel := rapid.OneOf(
		rapid.SampledFrom([]string{"cite-as", "type", "item", "item", "author", "describedby", "license", "linkset", "collection"}),
		rapid.StringMatching(`[a-z][a-z0-9.-]{0,8}`), uriOf(URI, "http://example.org/rel#"))
	mediaType := rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z0-9][a-z0-9!#$&^_.+-]{0,8}/[a-z0-9][a-z0-9!#$&^_.+-]{0,8}`))
	profile := rapid.OneOf(rapid.Just(""), uriOf(URI, "http://example.org/ns/"), uriOf(URI, "tag:example.org,2020:"))
	link := rapid.Custom(func(t *rapid.T) Link {
		l := Link{anchor.Draw(t, "anchor"), rel.Draw(t, "rel"), target.Draw(t, "href"), mediaType.Draw(t, "type"), profile.Draw(t, "profile")}
		if Check(l) != nil {
			t.Skip("anchor is no relation type")
		}
		return l
	})
	return rapid.Custom(func(t *rapid.T) LinkSet {
		return rapid.SliceOfN(link, 0, 30).Draw(t, "links")
	})
}

// TestFormsAgree: whatever is linked, each form says the same.
func TestFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := legalLinks().Draw(t, "set")
		agree(t, s)
	})
}

func agree(t rapid.TB, s LinkSet) {
	t.Helper()
	check := func(form string, want, got LinkSet, err error) {
		t.Helper()
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%s (-want +got): %v\n%s", form, err, diff)
		}
	}
	got, err := ParseText(s.Text())
	check("text", s, got, err)
	got, err = ParseJSON(s.JSON())
	check("JSON", grouped(s), got, err)
	for _, l := range s {
		got, err := ParseHeader([]string{l.Header()}, l.Anchor)
		check("header of one link", LinkSet{l}, got, err)
	}
	got, err = ParseHeader(s.HeaderWithAnchors(), "")
	check("header with anchors", s, got, err)
	for _, anchor := range anchors(s) {
		page := s.From(anchor)
		got, err = ParseHeader(page.Header(), anchor)
		check("header", page, got, err)
		got, err = ParseHeader([]string{page.Joined()}, anchor)
		check("joined", page, got, err)
		got, err = ParseHTML(bytes.NewReader(page.HTML()), anchor)
		check("HTML", page, got, err)
	}
}

// anchors returns the contexts of s in the order of their first appearance.
func anchors(s LinkSet) []string {
	var all []string
	for _, l := range s {
		if !slices.Contains(all, l.Anchor) {
			all = append(all, l.Anchor)
		}
	}
	return all
}

// grouped is what JSON promises of the order, said in the plainest way.
func grouped(s LinkSet) LinkSet {
	var out LinkSet
	for _, anchor := range anchors(s) {
		page := s.From(anchor)
		var rels []string
		for _, l := range page {
			if !slices.Contains(rels, l.Rel) {
				rels = append(rels, l.Rel)
				out = append(out, page.Rel(l.Rel)...)
			}
		}
	}
	return out
}

// TestFit holds Fit to its promises.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := legalLinks().Draw(t, "set")
		b := Budget{Bytes: rapid.IntRange(0, 3000).Draw(t, "bytes"), Lines: rapid.IntRange(0, 30).Draw(t, "lines")}
		kept, dropped := s.Fit(b)
		want := s
		var gone []string
		for _, step := range []struct {
			rel  string
			keep int
		}{{"describedby", 4}, {"item", 0}, {"author", 0}, {"describedby", 1}} {
			of := want.Rel(step.rel)
			if b.fits(want) || len(of) <= step.keep {
				continue
			}
			want = slices.Concat(of[:step.keep], want.Except(step.rel))
			if !slices.Contains(gone, step.rel) {
				gone = append(gone, step.rel)
			}
		}
		if !slices.Equal(dropped, gone) {
			t.Fatalf("want %q dropped, got %q", gone, dropped)
		}
		if diff := gocmp.Diff(sorted(want), sorted(kept), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("kept (-want +got):\n%s", diff)
		}
		if !b.fits(kept) && (len(kept.Rel("item")) > 0 || len(kept.Rel("author")) > 0 || len(kept.Rel("describedby")) > 1) {
			t.Fatalf("want nothing more to drop from what does not fit, got %v", kept)
		}
		if !slices.Equal(kept, s) && len(dropped) == 0 {
			t.Fatalf("want all links where nothing was dropped, got %v", kept)
		}
	})
}

func sorted(s LinkSet) LinkSet {
	return slices.SortedFunc(slices.Values(s), func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Anchor, b.Anchor), cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.Href, b.Href),
			cmp.Compare(a.Type, b.Type), cmp.Compare(a.Profile, b.Profile))
	})
}

func TestFitInTheDefaultBudget(t *testing.T) {
	const page = "https://repo.example/page/7"
	row := func(n int, rel, href string) LinkSet { return slices.Repeat(LinkSet{{page, rel, href, "", ""}}, n) }
	mandatory := LinkSet{
		{page, "cite-as", "https://doi.org/10.5555/7", "", ""},
		{page, "type", "https://schema.org/Dataset", "", ""},
		{page, "license", "https://spdx.org/licenses/MIT", "", ""},
		{page, "describedby", "https://repo.example/dc/7", "text/xml", ""},
		{page, "linkset", "https://links.example/7", "application/linkset", ""},
	}
	long := "https://repo.example/" + strings.Repeat("a", 2000)
	tests := []struct {
		name    string
		set     LinkSet
		dropped []string
	}{
		{"40 lines", slices.Concat(mandatory, row(35, "item", "https://a.example/")), nil},
		{"41 lines", slices.Concat(mandatory, row(36, "item", "https://a.example/")), []string{"item"}},
		{"few but long files", slices.Concat(mandatory, row(2, "item", long)), []string{"item"}},
		{"many authors", slices.Concat(mandatory, row(1, "item", "https://a.example/"), row(40, "author", "https://a.example/")), []string{"item", "author"}},
		{"formats go before files", slices.Concat(mandatory, row(30, "item", "https://a.example/"), row(9, "describedby", "https://a.example/")), []string{"describedby"}},
		{"many of all", slices.Concat(mandatory, row(50, "item", "https://a.example/"), row(40, "author", "https://a.example/"), row(9, "describedby", "https://a.example/")), []string{"describedby", "item", "author"}},
		{"many formats", slices.Concat(mandatory, row(40, "describedby", "https://a.example/")), []string{"describedby"}},
		{"too much that is mandatory", slices.Concat(mandatory, row(50, "type", "https://a.example/")), nil},
	}
	for _, test := range tests {
		kept, dropped := test.set.Fit(Budget{})
		if !slices.Equal(dropped, test.dropped) {
			t.Errorf("%s: want %q dropped, got %q", test.name, test.dropped, dropped)
		}
		if !slices.Equal(kept[:len(mandatory)], mandatory) {
			t.Errorf("%s: want the mandatory links first, got %v", test.name, kept)
		}
	}
	s := mandatory[:1]
	if want, got := len("Link: <https://doi.org/10.5555/7>; rel=\"cite-as\"\r\n"), s.HeaderBytes(); want != got {
		t.Errorf("HeaderBytes: want %d, got %d", want, got)
	}
}

// FuzzHostile: whatever is in a link that nobody checked, no writer lets it
// out of its place.
func FuzzHostile(f *testing.F) {
	f.Add("https://repo.example/7", "item", "https://repo.example/1", "text/html", "http://example.org/")
	f.Add("\"><script>", "a\" b=\"c", ">; rel=\"x\", <y", "\\\"", "\r\nSet-Cookie: x")
	f.Add("\x00", "&quot;", "&#34;", "é\xff", "</head>")
	f.Fuzz(func(t *testing.T, anchor, rel, href, mediaType, profile string) {
		l := Link{anchor, rel, href, mediaType, profile}
		s := LinkSet{l, {anchor, "type", "https://schema.org/Dataset", "", ""}, l}
		for _, value := range append(s.Header(), s.Joined(), s.HeaderWithAnchors()[0]) {
			if textproto.TrimString(value) != value || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Errorf("want a field value of printable ASCII, got %q", value)
			}
		}
		if want, got := 3, strings.Count(s.Joined(), "<"); want != got || strings.Count(s.Joined(), ">") != want {
			t.Errorf("want %d targets, got %q", want, s.Joined())
		}
		for _, form := range []form{headerForm, anchoredForm, joinedForm, textForm} {
			if want, got := len(form.append(nil, l)), form.bytes(l); want != got {
				t.Errorf("want %d bytes, got %d", want, got)
			}
		}
		if want, got := 2, strings.Count(string(s.Text()), "\n"); want != got {
			t.Errorf("want %d line breaks, got %q", want, s.Text())
		}
		if !json.Valid(s.JSON()) {
			t.Errorf("want JSON, got %q", s.JSON())
		}
		elements := 0
		for z := html.NewTokenizer(bytes.NewReader(s.HTML())); z.Next() != html.ErrorToken; {
			switch token := z.Token(); {
			case token.Type == html.SelfClosingTagToken && token.Data == "link" && len(token.Attr) <= 4:
				elements++
			case token.Type != html.TextToken || token.Data != "\n":
				t.Errorf("want link elements alone, got %q", token)
			}
		}
		if elements != len(s) {
			t.Errorf("want %d link elements, got %q", len(s), s.HTML())
		}
	})
}

// FuzzRoundTrip: what Check accepts is read as it was written.
func FuzzRoundTrip(f *testing.F) {
	f.Add("https://repo.example/7", "item", "https://repo.example/1,2", "text/html", "http://example.org/")
	f.Add("https://repo.example/7?a=1;b", "http://example.org/rel", "https://büro.example/ß", "a/b", "urn:x:y")
	f.Fuzz(func(t *testing.T, anchor, rel, href, mediaType, profile string) {
		anchor, _ = Anchor(anchor)
		href, _ = Target(href)
		mediaType, _ = MediaType(mediaType)
		l := Link{anchor, rel, href, mediaType, profile}
		if Check(l) != nil {
			return
		}
		agree(t, LinkSet{l, {anchor, "type", "https://schema.org/Dataset", "", ""}, l})
	})
}
