package text

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
)

func TestAppendXML(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"plain ä \U0001F600":   "plain ä \U0001F600",
		`<a b="c">&'`:          `&lt;a b=&quot;c&quot;&gt;&amp;'`,
		"a\tb\nc\rd":           "a&#9;b&#10;c&#13;d",
		"\x00\x0B\x1F":         "\uFFFD\uFFFD\uFFFD",
		"\xFF\xFEa":            "\uFFFD\uFFFDa",
		"\uFFFE\uFFFF\uFFFD":   "\uFFFD\uFFFD\uFFFD",
		"a\xED\xA0\x80b":       "a\uFFFD\uFFFD\uFFFDb", // half of a surrogate pair
		"]]>":                  "]]&gt;",
		strings.Repeat("&", 3): "&amp;&amp;&amp;",
	} {
		if got := string(AppendXML(nil, in)); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// What is appended is read as it was, but for what XML cannot have.
func FuzzAppendXML(f *testing.F) {
	f.Add("a\r\n<b>\x00\xFF")
	f.Fuzz(func(t *testing.T, s string) {
		var got struct {
			Attr string `xml:"a,attr"`
			Text string `xml:",chardata"`
		}
		document := append([]byte(`<x a="`), AppendXML(nil, s)...)
		document = append(append(append(document, `">`...), AppendXML(nil, s)...), `</x>`...)
		if err := xml.Unmarshal(document, &got); err != nil {
			t.Fatalf("%q: %v", document, err)
		}
		if again := AppendXML(nil, got.Text); got.Attr != got.Text || !bytes.Equal(again, AppendXML(nil, s)) {
			t.Errorf("%q is read as %q and %q", s, got.Attr, got.Text)
		}
	})
}
