package uri

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEncoder(t *testing.T) {
	for _, test := range []struct {
		encoder Encoder
		s, want string
	}{
		{Encoder{Keep: Bytes("-._~")}, "a b/ö%2f", "a%20b%2F%C3%B6%252f"},
		{Encoder{Keep: Bytes("-._~"), Lower: true}, "a b/ö%2f", "a%20b%2f%c3%b6%252f"},
		{Encoder{Keep: Bytes("/"), Escapes: true}, "a b/%2f%zz%", "a%20b/%2f%25zz%25"},
		{Encoder{Keep: Printable(`"`)}, "\x00 !\"~\x7f\x80", "%00%20!%22~%7F%80"},
		{Encoder{Keep: Bytes("")}, "", ""},
	} {
		if got := test.encoder.Encode(test.s); got != test.want {
			t.Errorf("Encode(%q) = %q, want %q", test.s, got, test.want)
		}
	}
}

func TestEncoderAgreesWithItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Encoder{Keep: Bytes(rapid.String().Draw(t, "keep")), Escapes: rapid.Bool().Draw(t, "escapes"), Lower: rapid.Bool().Draw(t, "lower")}
		s := string(rapid.SliceOf(rapid.SampledFrom([]byte("a%2F/ ?\x00\xff-%%zz"))).Draw(t, "s"))
		got := e.Encode(s)
		if len(got) != e.Len(s) || (got == s) != e.Keeps(s) {
			t.Errorf("Encode(%q) = %q, but Len is %d and Keeps %v", s, got, e.Len(s), e.Keeps(s))
		}
		if !e.Escapes && !e.Keep['%'] && Decode(got) != s {
			t.Errorf("Decode(Encode(%q)) = %q", s, Decode(got))
		}
	})
}

func TestDecode(t *testing.T) {
	for s, want := range map[string]string{
		"":          "",
		"a%20b%2fc": "a b/c",
		"100%":      "100%",
		"%zz%4":     "%zz%4",
		"%41%zz":    "A%zz",
		"%ff":       "\xff",
	} {
		if got := Decode(s); got != want {
			t.Errorf("Decode(%q) = %q, want %q", s, got, want)
		}
		if plain, err := url.PathUnescape(s); err == nil && plain != want {
			t.Errorf("net/url decodes %q to %q, not %q", s, plain, want)
		}
	}
}

func TestNormal(t *testing.T) {
	for u, want := range map[string]string{
		"https://repo.example.edu/records/1":         "https://repo.example.edu/records/1",
		"http://Repo.Example.EDU:80/records/1/":      "https://repo.example.edu/records/1",
		"HTTPS://repo.example.edu:443/records/1#top": "https://repo.example.edu/records/1",
		"https://repo.example.edu:8443/Records/1":    "https://repo.example.edu:8443/Records/1",
		"https://repo.example.edu":                   "https://repo.example.edu",
		"https://repo.example.edu/":                  "https://repo.example.edu",
		"https://me:secret@repo.example.edu/":        "https://repo.example.edu",
		"https://repo.example.edu/a?b=c/":            "https://repo.example.edu/a?b=c/",
		"https://repo.example.edu/a/?b=c&d=%2f":      "https://repo.example.edu/a?b=c&d=%2F",
		"https://repo.example.edu/a?":                "https://repo.example.edu/a",
		"https://repo.example.edu/%7Eada/%e4%b8%ad":  "https://repo.example.edu/~ada/%E4%B8%AD",
		"https://repo.example.edu/~ada/中":            "https://repo.example.edu/~ada/%E4%B8%AD",
		"https://repo.example.edu/a%2Cb,c;d":         "https://repo.example.edu/a%2Cb%2Cc%3Bd",
		"https://repo.example.edu/a%2Fb":             "https://repo.example.edu/a%2Fb",
		"https://repo.example.edu/100%":              "https://repo.example.edu/100%25",
		"https://repo.example.edu/ark%3A/12345/x":    "https://repo.example.edu/ark:/12345/x",
		"mailto:ada@shores.example.edu":              "",
		"":                                           "",
	} {
		if got, ok := Normal(u); got != want || ok != (want != "") {
			t.Errorf("Normal(%q) = %q, %v, want %q", u, got, ok, want)
		}
	}
}

func FuzzNormal(f *testing.F) {
	for _, s := range []string{
		"http://Repo.Example.edu:80/a/?b=%2f#c", "https://a/%zz", "http:///", "http://@:80:80/", "http://g .",
		"http://o.example.edu:80:80", "http://[::1]:80/a", "https://a/%2%25F",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, u string) {
		once, _ := Normal(u)
		if twice, _ := Normal(once); twice != once {
			t.Errorf("Normal(%q) = %q, of which it makes %q", u, once, twice)
		}
	})
}

func TestParse(t *testing.T) {
	for value, want := range map[string]Address{
		"https://repo.example.edu:8443/a?b#c":     {Host: "repo.example.edu", Rest: "/a?b#c"},
		"HTTP://Repo.example.edu":                 {Host: "Repo.example.edu"},
		"http://[::1]/a":                          {Host: "[::1]", Rest: "/a"},
		"https://me@repo.example.edu/":            {},
		"https:///a":                              {},
		"ftp://repo.example.edu/":                 {},
		"see https://repo.example.edu/":           {},
		`https://repo.example.edu/"`:              {},
		"https://repo.example.edu\\a":             {},
		"https://a/" + strings.Repeat("a", 8<<10): {},
	} {
		if want.Host != "" {
			want.URL = value
		}
		if got, ok := Parse(value); got != want || ok != (want.Host != "") {
			t.Errorf("Parse(%.60q) = %+v, %v, want %+v", value, got, ok, want)
		}
	}
}

func TestParseFile(t *testing.T) {
	for value, want := range map[string]string{
		"https://repo.example.edu/a b.pdf":                "https://repo.example.edu/a%20b.pdf",
		"https://repo.example.edu/get?file=a b c.pdf":     "https://repo.example.edu/get?file=a%20b%20c.pdf",
		"https://repo.example.edu/a.pdf":                  "https://repo.example.edu/a.pdf",
		"https://repo.example.edu is a host/a.pdf":        "",
		"https://repo.example.edu/a https://b.example/ c": "",
		"See https://repo.example.edu/a b.pdf":            "",
		"https://repo.example.edu/a\tb c.pdf":             "",
		"https://repo.example.edu/<a b>.pdf":              "",
		"ftp://repo.example.edu/a b.pdf":                  "",
		"a b.pdf":                                         "",
		"":                                                "",
	} {
		if got, ok := ParseFile(value); ok != (want != "") || got.URL != want {
			t.Errorf("ParseFile(%q) = %+v, %v, want %q", value, got, ok, want)
		}
	}
}
