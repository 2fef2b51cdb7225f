package verify

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// Links in HTML are read in whichever encoding the page is. A target beyond
// ASCII shows whether it was the right one.
func TestPageEncodings(t *testing.T) {
	utf16 := func(e unicode.Endianness, mark unicode.BOMPolicy) encoding.Encoding { return unicode.UTF16(e, mark) }
	tests := []struct {
		name, contentType, meta string
		encoding                encoding.Encoding
		want                    []string // beyond what UTF-8 gets
	}{
		{"UTF-8", "text/html; charset=utf-8", "", encoding.Nop, nil},
		{"UTF-8, marked", "text/html", "", unicode.UTF8BOM, nil},
		{"UTF-8, not said", "text/html", "", encoding.Nop, nil},
		{"UTF-8, not said until late", "text/html", strings.Repeat("<!-- a plain comment -->", 50), encoding.Nop, nil},
		{"Latin 1, by its header", "text/html; charset=ISO-8859-1", "", charmap.ISO8859_1, nil},
		{"Latin 1, by its meta element", "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">`, charmap.ISO8859_1, nil},
		{"Latin 1, not said", "text/html", "", charmap.ISO8859_1, nil},
		{"Shift_JIS", "text/html; charset=Shift_JIS", "", japanese.ShiftJIS, nil},
		{"UTF-16, little end first, marked", "text/html", "", utf16(unicode.LittleEndian, unicode.UseBOM), []string{"FP-HTML-UTF-16"}},
		{"UTF-16, big end first, marked", "text/html; charset=utf-8", "", utf16(unicode.BigEndian, unicode.UseBOM), []string{"FP-HTML-UTF-16"}},
		{"UTF-16, by its header", "text/html; charset=utf-16", "", utf16(unicode.LittleEndian, unicode.IgnoreBOM), []string{"FP-HTML-UTF-16"}},
		{"UTF-16BE, by its header", "text/html; charset=UTF-16BE", "", utf16(unicode.BigEndian, unicode.IgnoreBOM), []string{"FP-HTML-UTF-16"}},
		{"an encoding that is none", "text/html; charset=none", "", encoding.Nop, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			letter, escaped := "é", "%C3%A9"
			if tt.encoding == japanese.ShiftJIS {
				letter, escaped = "雨", "%E9%9B%A8"
			}
			report := encodedPage(t, tt.encoding, tt.contentType, tt.meta, letter)
			var hrefs []string
			for _, l := range report.Links {
				hrefs = append(hrefs, normal(l.Href))
			}
			want := []string{"https://repo.example/file/" + escaped, "https://repo.example/meta"}
			if diff := cmp.Diff(want, hrefs); diff != "" {
				t.Errorf("links, -want +got:\n%s", diff)
			}
			got := slices.DeleteFunc(codes(report), func(code string) bool { return !strings.HasPrefix(code, "FP-HTML-") })
			if !slices.Equal(got, tt.want) {
				t.Errorf("of its HTML it is said: %q, want %q", got, tt.want)
			}
			if f := has(t, report, "FP-COAR-METADATA"); !strings.Contains(f.Message, "/meta") {
				t.Errorf("got %q", f.Message)
			}
		})
	}
}

// encodedPage is what is said of a page in an encoding, in which letter is part
// of a target.
func encodedPage(t *testing.T, e encoding.Encoding, contentType, meta, letter string) Report {
	t.Helper()
	const url = "https://repo.example/page/7"
	body, err := e.NewEncoder().String(`<!doctype html><html><head>` + meta + `<title>` + letter + `</title>
<link rel="item" href="/file/` + letter + `" type="text/csv"><link rel="describedby" href="/meta" type="application/x-bibtex"></head><body>`)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.pages["GET "+url] = answered{200, http.Header{"Content-Type": {contentType}}, body}
	report, err := Page(context.Background(), w.client(), url, Options{NoTargets: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
