package linkset

import (
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/uri"
)

// What any reader promises of any input: it ends, it never panics, it says
// where it left something out, and the legal ones of the links it returns can
// be published again without loss.
func publishAgain(t *testing.T, s LinkSet) {
	legal := slices.DeleteFunc(slices.Clone(s), func(l Link) bool { return Check(l) != nil })
	agree(t, legal)
}

const fuzzBase = "https://repo.example/page/7"

func FuzzParseHeader(f *testing.F) {
	f.Add(strings.Join(object().Header(), ", "))
	f.Add(object().Joined())
	f.Add(`<a>;rel="x\"y" <b>;;rel=x;anchor="#c", , d; "<e>", <f>; rel="g`)
	f.Fuzz(func(t *testing.T, value string) {
		s, _ := ParseHeader([]string{value, value}, fuzzBase)
		publishAgain(t, s)
		for _, l := range s {
			if l.Rel == "" || l.Anchor == "" || schemeLen(l.Href) == 0 {
				t.Errorf("want a rel, an anchor and an absolute target, got %q", l)
			}
		}
	})
}

func FuzzParseText(f *testing.F) {
	f.Add(string(object().Text()))
	f.Add("<https://a.example/>\n;rel=\"a b\"\r\n;anchor='x'")
	f.Fuzz(func(t *testing.T, doc string) {
		s, err := ParseText([]byte(doc))
		publishAgain(t, s)
		if len(s) == 0 && err == nil && strings.Trim(doc, space+",") != "" {
			t.Errorf("want links or a fault, got none of %q", doc)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	f.Add(string(object().JSON()))
	f.Add(`{"linkset":{"anchor":"https://a.example/","x":[{"href":"https://b.example/","profile":["a"]},[],{}]}} `)
	f.Fuzz(func(t *testing.T, doc string) {
		s, err := ParseJSON([]byte(doc))
		publishAgain(t, s)
		if err == nil && !strings.Contains(doc, "linkset") && !strings.Contains(doc, `\u`) {
			t.Errorf("want a fault, got none of %q", doc)
		}
	})
}

func FuzzParseHTML(f *testing.F) {
	f.Add("<!DOCTYPE html><head><base href=/a/>" + string(object().HTML()) + "</head><body>")
	f.Add(`<template><link rel=a href=b></template><link rel="a b" href=c><script></script>x`)
	f.Fuzz(func(t *testing.T, page string) {
		s, _ := ParseHTML(strings.NewReader(page), fuzzBase)
		publishAgain(t, s)
		for _, l := range s {
			if l.Rel == "" || l.Anchor != fuzzBase || schemeLen(l.Href) == 0 {
				t.Errorf("want a rel, the page as anchor and an absolute target, got %q", l)
			}
		}
	})
}

// FuzzTarget: what Target and Anchor return is legal, and returned again as
// it is.
func FuzzTarget(f *testing.F) {
	f.Add("https://doi.org/10.1002/(SICI)1<1::AID>3.0.CO;2-#")
	f.Add("http://bücher.example:80/ü%zz#a#b")
	f.Add("http://[::1]/")
	f.Add("https://repo.example.org/a/b?c=d,e;f")
	f.Add("https://.repo..example/a")
	f.Fuzz(func(t *testing.T, raw string) {
		for _, e := range []*uri.Encoder{&inTarget, &inURI} {
			if got, err := encode(raw, true, e); isPlain(raw, e) && (got != raw || err != nil) {
				t.Errorf("%q is plain: want it as it is, got %q, %v", raw, got, err)
			}
		}
		target, err := Target(raw)
		if err != nil {
			return
		}
		if again, err := Target(target); again != target || err != nil {
			t.Errorf("Target(%q): want it as it is, got %q, %v", target, again, err)
		}
		anchor, err := Anchor(raw)
		if again, _ := Anchor(anchor); again != anchor || err != nil {
			t.Errorf("Anchor(%q): want it as it is, got %q, %v", anchor, again, err)
		}
		if strings.ContainsAny(target, ",; <>\"\\") || !isASCII(target) || len(target) > MaxURI {
			t.Errorf("want an encoded target, got %q", target)
		}
		if escapes := strings.Count(raw, "%"); strings.Count(target, "%25") > escapes {
			t.Errorf("%q: want nothing encoded twice, got %q", raw, target)
		}
	})
}
