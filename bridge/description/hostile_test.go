package description

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"fingerpost/bridge"
	"fingerpost/bridge/text"
)

var hostile = []string{
	`</script><script>alert(1)</script>`, `</ScRiPt>`, `<!--`, `]]>`, "a\u2028b\u2029c", "{", "}", `\`, `%`, "x % y", `{\input{/etc/passwd}}`, `$^_~#&`,
	"one\nTY  - JOUR\nER  - ", "one\r\n\r\nTY  - BOOK", "@article{x,\n}", "turned \u202eround\u202c \u2066in\u2069", `"quoted"`, `'`, ",", "and", "Doe and Roe, and Co",
	"\u0000", strings.Repeat("ü", 5_000_000), strings.Repeat("{", 20_000), "\U0001F4A9", "  ", "a\tb",
}

// elements are those of Dublin Core.
var elements = strings.Fields(`title creator contributor publisher subject description date type format identifier language relation coverage rights source`)

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for i, s := range hostileSources(t) {
		h := hostile[i]
		d := describe(t, s)
		for _, doc := range Documents {
			if got, ok := d.Render(doc); ok {
				checkForm(t, h[:min(len(h), 30)], doc, string(got))
			}
		}
		if len(h) > 1<<20 { // cut at a character, with a mark
			if got := abstract(d.Descriptions).Text; len(got) > longestText || !strings.HasSuffix(got, "ü"+text.Cut) {
				t.Errorf("a description of %d bytes ends with %q", len(got), got[max(0, len(got)-10):])
			}
		}
	}
}

// hostileSources have each hostile text in every element of Dublin Core.
func hostileSources(t *testing.T) (out []Source) {
	for _, h := range hostile {
		var escaped strings.Builder
		if err := xml.EscapeText(&escaped, []byte(h)); err != nil {
			t.Fatal(err)
		}
		var record strings.Builder
		for _, e := range elements {
			if len(h) > 1<<20 && e != "description" {
				continue // as large as a record may be
			}
			record.WriteString("<dc:" + e + ">" + escaped.String() + "</dc:" + e + ">")
		}
		s := oaiDC(`<dc:title>T</dc:title><dc:date>2014</dc:date>` + record.String())
		s.Object.Type = "https://schema.org/Dataset"
		s.Identifier = h[:min(len(h), 100)]
		out = append(out, s)
	}
	return out
}

// Everything that others chose can be in a link too.
func TestHostileLinks(t *testing.T) {
	s := oaiDC(`<dc:title>T</dc:title>`)
	s.Object = bridge.Object{LandingPage: bridge.LandingPage{URL: "https://x.example/{a}%\\\n</script>"}, CiteAs: "https://doi.org/10.5555/}{,%"}
	d := describe(t, s)
	for _, doc := range Documents {
		if got, ok := d.Render(doc); ok {
			checkForm(t, "links", doc, string(got))
		}
	}
}

var risLine = regexp.MustCompile(`^[A-Z][A-Z0-9]  - [^\r\n\t\x00-\x1f\x{2028}\x{2029}\x{202e}]*$`)

func checkForm(t *testing.T, of string, doc Document, got string) {
	t.Helper()
	for _, wrong := range formOf(doc, got) {
		t.Errorf("%q: %s", of, wrong)
	}
}

// formOf says what is wrong with the form of a document.
func formOf(doc Document, got string) (out []string) {
	if !utf8.ValidString(got) || len(got) > 100*longestText {
		out = append(out, fmt.Sprintf("%s: %d bytes, valid %v", doc.Name, len(got), utf8.ValidString(got)))
	}
	switch {
	case strings.Contains(doc.Name, "json"):
		var v map[string]any
		if err := json.Unmarshal([]byte(got), &v); err != nil {
			out = append(out, fmt.Sprintf("%s: %v", doc.Name, err))
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r > '~' || r == '<' || r == '>' || r == '&' }); i >= 0 {
			out = append(out, fmt.Sprintf("%s: %q is not escaped", doc.Name, got[i:min(i+10, len(got))]))
		}
	case doc.Name == "citation.ris":
		lines := strings.Split(strings.TrimSuffix(got, "\r\n"), "\r\n")
		for i, line := range lines {
			if !risLine.MatchString(line) || strings.HasPrefix(line, "TY  - ") != (i == 0) || strings.HasPrefix(line, "ER  - ") != (i == len(lines)-1) {
				out = append(out, fmt.Sprintf("line %d of RIS is %q", i, line[:min(len(line), 80)]))
			}
		}
	case doc.Name == "citation.bib":
		out = append(out, formOfBibTeX(got)...)
	}
	return out
}

var bibTeXBegins = regexp.MustCompile(`^@[a-z]+\{[a-z0-9:-]+,\n`)

// formOfBibTeX counts braces as BibTeX does: those after a backslash too.
func formOfBibTeX(got string) (out []string) {
	depth, closed := 0, 0
	for i := range len(got) {
		switch got[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				closed++
			}
		case '%':
			line := got[strings.LastIndexByte(got[:i], '\n')+1 : i]
			if depth > 0 && got[i-1] != '\\' && !strings.Contains(line, "url = ") && !strings.Contains(line, "doi = ") {
				out = append(out, fmt.Sprintf("a bare %% in BibTeX: %q", got[max(0, i-20):i]))
			}
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 || closed != 1 || strings.Count(got, "\n@") > 0 || !bibTeXBegins.MatchString(got) {
		out = append(out, fmt.Sprintf("BibTeX has %d entries, and %d braces open: %.300s", closed, depth, got))
	}
	return out
}

// A text in an element of any format gives documents of the right form.
func FuzzDocuments(f *testing.F) {
	list, err := formats()
	if err != nil {
		f.Fatal(err)
	}
	names := formatNames(f)
	for i, h := range hostile {
		if len(h) < 1000 {
			f.Add(h, uint(i), uint(i))
		}
	}
	f.Fuzz(func(t *testing.T, h string, format, element uint) {
		record := list[names[format%uint(len(names))]]
		elements := leaf.FindAllStringIndex(record, -1)
		if len(elements) == 0 {
			return
		}
		at := elements[element%uint(len(elements))]
		s := record[:at[0]] + withText(record[at[0]:at[1]], h) + record[at[1]:]
		d, err := Read(Source{Identifier: h, Object: article().Object, Records: []bridge.Record{{Prefix: "m", Metadata: []byte(s)}}})
		if err != nil {
			return
		}
		for _, doc := range Documents {
			if got, ok := d.Render(doc); ok {
				checkForm(t, h, doc, string(got))
			}
		}
	})
}
