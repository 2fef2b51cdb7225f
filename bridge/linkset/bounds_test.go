package linkset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestReadersAreBounded(t *testing.T) {
	const page = "https://repo.example/7"
	rel := strings.Repeat("a ", MaxLinks+1)
	tests := []struct {
		name  string
		read  func() (LinkSet, error)
		links int
		want  error
	}{
		{"a large header", func() (LinkSet, error) {
			return ParseHeader([]string{`<https://a.example/>; rel="item"`, strings.Repeat(" ", MaxHeader)}, page)
		}, 1, errTooLarge},
		{"a header with many relation types", func() (LinkSet, error) {
			return ParseHeader([]string{`<https://a.example/>; rel="` + rel + `"`}, page)
		}, MaxLinks, errTooMany},
		{"a large text", func() (LinkSet, error) { return ParseText(bytes.Repeat([]byte(" "), MaxDocument+1)) }, 0, errTooLarge},
		{"a text with many links", func() (LinkSet, error) {
			return ParseText(bytes.Repeat([]byte(`<a:b>;rel=c;anchor="a:d",`), MaxLinks+1))
		}, MaxLinks, errTooMany},
		{"a text of quotes", func() (LinkSet, error) { return ParseText(bytes.Repeat([]byte(`"\`), MaxDocument/2)) }, 0, errSyntax},
		{"a text of brackets", func() (LinkSet, error) { return ParseText(bytes.Repeat([]byte(`<`), MaxDocument)) }, 0, errUnclosed},
		{"large JSON", func() (LinkSet, error) { return ParseJSON(bytes.Repeat([]byte(" "), MaxDocument+1)) }, 0, errTooLarge},
		{"JSON with many links", func() (LinkSet, error) {
			return ParseJSON(fmt.Appendf(nil, `{"linkset":[{"anchor":"a:b","item":[%s{"href":"a:c"}]}]}`,
				bytes.Repeat([]byte(`{"href":"a:c"},`), MaxLinks)))
		}, MaxLinks, errTooMany},
		{"JSON of empty objects", func() (LinkSet, error) {
			return ParseJSON(fmt.Appendf(nil, `{"linkset":[%s{}]}`, bytes.Repeat([]byte(`{},`), MaxDocument/4)))
		}, 0, errTooMany},
		{"deep JSON", func() (LinkSet, error) { return ParseJSON(bytes.Repeat([]byte(`[`), MaxDocument)) }, 0, errNotJSON},
		{"a page that is all head", func() (LinkSet, error) {
			return ParseHTML(strings.NewReader(`<head><link rel="item" href="/1"><style>`+strings.Repeat(" ", MaxDocument)), page)
		}, 1, errTooLarge},
		{"a page with many links", func() (LinkSet, error) {
			return ParseHTML(strings.NewReader(`<link rel="`+rel+`" href="/1">`), page)
		}, MaxLinks, errTooMany},
		{"a page that cannot be read", func() (LinkSet, error) {
			return ParseHTML(io.MultiReader(strings.NewReader(`<link rel="item" href="/1">`), failing{}), page)
		}, 1, io.ErrUnexpectedEOF},
		{"a header without a base", func() (LinkSet, error) { return ParseHeader([]string{`<a:b>; rel="item"`}, "") }, 0, errNoAnchor},
		{"a base that is relative", func() (LinkSet, error) { return ParseHeader(nil, "/page") }, 0, ErrRelative},
		{"a page without a base", func() (LinkSet, error) { return ParseHTML(strings.NewReader(""), "") }, 0, ErrEmpty},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := test.read()
			if !errors.Is(err, test.want) || len(s) != test.links {
				t.Errorf("want %d links and %v, got %d and %.200v", test.links, test.want, len(s), err)
			}
		})
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestBoundsAreAlwaysSaid: not even many faults hide that not all was read.
func TestBoundsAreAlwaysSaid(t *testing.T) {
	_, err := ParseHeader([]string{strings.Repeat("x,", 1000), strings.Repeat(" ", MaxHeader)}, "https://repo.example/7")
	if !errors.Is(err, errTooLarge) {
		t.Errorf("want %v, got %.200v", errTooLarge, err)
	}
}

// TestFaultsAreBounded: a hostile input has more faults than anybody reads.
func TestFaultsAreBounded(t *testing.T) {
	_, err := ParseHeader([]string{strings.Repeat("x,", 100_000)}, "https://repo.example/7")
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 101 {
		t.Fatalf("want 100 faults and one on the rest, got %.200v", err)
	}
	if want, got := "and 99900 more faults", joined.Unwrap()[100].Error(); got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
