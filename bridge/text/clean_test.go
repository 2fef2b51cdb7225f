package text

import "testing"

func TestClean(t *testing.T) {
	for value, want := range map[string]string{
		"":                                 "",
		" a":                               "a",
		"\n  doi:10.5555/1 \n":             "doi:10.5555/1",
		"ISSN:\n   1539-3755":              "ISSN: 1539-3755",
		`https://doi.org/10.5555/1"`:       "https://doi.org/10.5555/1",
		"https://repo.example.edu/1).":     "https://repo.example.edu/1",
		"https://repo.example.edu/a_(b)":   "https://repo.example.edu/a_(b)",
		"https://repo.example.edu/a_(b));": "https://repo.example.edu/a_(b)",
		"https://dc.example.edu/viewcontent.cgi?article=1003&amp;context=oceans":     "https://dc.example.edu/viewcontent.cgi?article=1003&context=oceans",
		"https://dc.example.edu/viewcontent.cgi?article=1003&amp;amp;context=oceans": "https://dc.example.edu/viewcontent.cgi?article=1003&context=oceans",
		"https://dc.example.edu/viewcontent.cgi?article=1003&#38;context=oceans":     "https://dc.example.edu/viewcontent.cgi?article=1003&context=oceans",
		"https://a.example.edu/?a=1&copy=2":                                          "https://a.example.edu/?a=1&copy=2",
		`BSD 3-Clause "New"`:                                                         `BSD 3-Clause "New"`,
		"[a]":                                                                        "[a]",
		"a]":                                                                         "a",
		"<a>>":                                                                       "<a>",
		"{a}":                                                                        "{a}",
		"a}":                                                                         "a",
		"a  b":                                                                       "a b",
		"a b\x00":                                                                    "a b\x00",
		"\u00e4 a\u00e4":                                                             "\u00e4 a\u00e4",
		"\ufeffhttps://a.example.edu/\u200b":                                         "https://a.example.edu/",
	} {
		if got := Clean(value); got != want {
			t.Errorf("Clean(%q) = %q, want %q", value, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a&amp;amp;b", "(a))", " a . ", `"a"`, "a\u00a0 b", "&amp;lt;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := Clean(value)
		if len(got) > len(value) {
			t.Errorf("Clean(%q) = %q is longer", value, got)
		}
	})
}

func TestBare(t *testing.T) {
	for value, want := range map[string]string{
		"<https://a.example.edu/>": "https://a.example.edu/",
		`("a")`:                    "a",
		"[a](b)":                   "[a](b)",
		"(a) b":                    "(a) b",
		"(a":                       "a",
		"(DE-588)118540238":        "(DE-588)118540238",
		"":                         "",
	} {
		if got := Bare(value); got != want {
			t.Errorf("Bare(%q) = %q, want %q", value, got, want)
		}
	}
}
