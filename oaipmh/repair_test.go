package oaipmh

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func FuzzMend(f *testing.F) {
	for _, s := range []string{
		"<a>é</a>", "<a>\xE9</a>", "\xEF\xBB\xBF<a/>", "\xFF\xFE<\x00a\x00", "a\x00\x0B\uFFFE",
		`<?xml version="1.0" encoding="ISO-8859-2"?><a>` + "\xB1", "\xE2\x82<b>\x81\xC3\xA9",
	} {
		f.Add([]byte(s), "text/xml; charset=iso-8859-1")
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, b []byte, contentType string) {
		before := bytes.Clone(b)
		out, mended := mend(decode(b, contentType, math.MaxInt32), math.MaxInt32)
		if !bytes.Equal(b, before) {
			t.Fatal("the bytes received were changed")
		}
		if !utf8.Valid(out) || hasNonChar(out) {
			t.Fatalf("%q is not fit for XML", out)
		}
		if utf8.Valid(b) && !hasNonChar(b) && contentType == "" && !bytes.Contains(b, []byte("<?xml")) &&
			(mended != 0 || !bytes.Equal(out, bytes.TrimPrefix(b, []byte("\uFEFF")))) {
			t.Fatalf("%q was mended in %d places to %q", b, mended, out)
		}
	})
}

func FuzzMendReferences(f *testing.F) {
	for _, s := range []string{"a & b", "&nbsp;&#x1;&#55349;&#56320;&amp;", "<a b='&'/> < 5 <", "<![CDATA[&]]>&<!--&", "&#99999999999;&#x;&;&a;"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		once, n, _ := mendReferences(b, math.MaxInt32)
		twice, again, _ := mendReferences(once, math.MaxInt32)
		if again != 0 || !bytes.Equal(once, twice) {
			t.Fatalf("%q was mended to %q and then to %q", b, once, twice)
		}
		if n == 0 && !bytes.Equal(once, b) {
			t.Fatalf("%q became %q without a repair", b, once)
		}
		if !bytes.ContainsAny(b, "<") && hasBadReference(once) {
			t.Fatalf("%q still has a bad reference", once)
		}
	})
}

func FuzzParseDatestamp(f *testing.F) {
	for _, s := range []string{"2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01 00:00:00.5+01:00", "2026", "20260101", " 2026-01 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := ParseDatestamp(s)
		if err != nil {
			if !at.IsZero() || len(err.Error()) > 400 {
				t.Fatalf("%q: %s, %v", s, at, err)
			}
			return
		}
		if at.Location() != time.UTC {
			t.Fatalf("%q: %s is not in UTC", s, at)
		}
		if at.Year() < 1 || at.Year() > 9999 {
			return // an offset moved it there
		}
		again, err := ParseDatestamp(Second.Format(at))
		if err != nil || !again.Equal(at.Truncate(time.Second)) {
			t.Fatalf("%q is %s, which reads as %s, %v", s, at, again, err)
		}
	})
}

func FuzzPlainText(f *testing.F) {
	for _, s := range []string{"a", "<b>a</b>&amp;", "<![CDATA[<]]>", "<", "&#", "<!--"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := plainText(b); got != strings.TrimSpace(got) {
			t.Fatalf("%q gives %q, which is not trimmed", b, got)
		}
	})
}

func TestClip(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                   "plain",
		" a\n\tb \x00\x1b[31mred": "a b \uFFFD\uFFFD[31mred",
		strings.Repeat("é", 200):  strings.Repeat("é", 100) + "…",
	} {
		if got := clip(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func BenchmarkMend(b *testing.B) {
	page := samplePage(100)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = mend(decode(page, "text/xml", math.MaxInt32), math.MaxInt32)
	}
}
