package element

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForm(t *testing.T) {
	const comment = "<!-- the scanner leaves it to the other reader -->"
	tests := []struct {
		document string
		want     Form
		refused  bool
	}{
		{document: `<t:a xmlns:t="urn:t" xml:lang="en">&amp;</t:a>`},
		{document: `<a xmlns="urn:t"><b/></a>`},
		{document: `<a/>`, want: Form{Bare: true}},
		{document: `<t:a xmlns:t="urn:t"><b/></t:a>`, want: Form{Bare: true}},
		{document: `<a xmlns="urn:t"><b xmlns=""/></a>`, want: Form{Bare: true}},
		{document: `<t:a><t:b u:c="1"/></t:a>`, want: Form{Unbound: []string{"t", "u"}}},
		{document: `<t:a xmlns:t="urn:t"><u:b xmlns:u="urn:u"/><u:c/></t:a>`, want: Form{Unbound: []string{"u"}}},
		{document: ``, refused: true},
		{document: `text`, refused: true},
		{document: `<a>`, refused: true},
		{document: `<a></b>`, refused: true},
		{document: `<a/><b/>`, refused: true},
		{document: `<a/>text`, refused: true},
		{document: `<a b="1" b="2"/>`, refused: true},
		{document: `<a b="1"c="2"/>`, refused: true},
		{document: `<a b='<'/>`, refused: true},
		{document: `<a>&nbsp;</a>`, refused: true},
		{document: `<a>&#1;</a>`, refused: true},
		{document: `<a>]]></a>`, refused: true},
		{document: "<a>\x0B</a>", refused: true},
		{document: "<a>\xFF</a>", refused: true},
		{document: "<a>\uFFFE</a>", refused: true},
		{document: `<!DOCTYPE a><a/>`, refused: true},
		{document: `<a>` + strings.Repeat("<b>", 1000) + `</a>`, refused: true},
		{document: `<a>` + strings.Repeat(`<p1:a/>`, 3) + manyPrefixes(20) + `</a>`, refused: true},
	}
	for _, tt := range tests {
		for _, document := range []string{tt.document, tt.document + comment} {
			got, err := new(Parser).Form([]byte(document))
			if refused := err != nil; refused != tt.refused {
				t.Errorf("%.100s: error %v", document, err)
			}
			if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
				t.Errorf("%.100s (-want +got):\n%s", document, diff)
			}
		}
	}
}

func manyPrefixes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("<" + strings.Repeat("q", i+1) + ":a/>")
	}
	return b.String()
}

// What Form accepts is read by a strict parser, with either reader.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`<t:a xmlns:t="urn:t" b="1"><b/></t:a>`))
	f.Add([]byte(`<a><![CDATA[x]]>&#xE4;</a>`))
	f.Fuzz(func(t *testing.T, document []byte) {
		if _, err := new(Parser).Form(document); err != nil {
			return
		}
		d := xml.NewDecoder(strings.NewReader("<x>" + string(document) + "</x>"))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%q: %v", document, err)
			}
		}
	})
}
