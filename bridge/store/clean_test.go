package store

import "testing"

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "ä": "ä", "a\tb": "a\tb", "a\x00b\x00": "a\uFFFDb\uFFFD", "a\xffb": "a\uFFFDb", "\x00\xc3": "\uFFFD\uFFFD", "\uFFFD": "\uFFFD",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
