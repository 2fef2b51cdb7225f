package store

import (
	"fmt"
	"strings"
	"testing"
)

func TestStem(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"https://repository.example/handle/20.500.12345/678", "https://repository.example/handle/20.500.12345/6"},
		{"https://doi.org/10.5555/repository.12345", "https://doi.org/10.5555/repository.123"},
		{"https://repository.example/bitstream/20.500.12345/678/1/Smith2019.pdf", "https://repository.example/bitstream/20.500.12345/6"},
		{"https://repository.example/index.php?id=678", "https://repository.example/index.php?id=6"},
		{"oai:repository.example:678", "oai:repository.example:6"},
		{"oai:repository.example:67", "oai:repository.example:67"},
		{"https://repository.example/a/Smith2019.pdf", "https://repository.example/a/Smith2019.pdf"},
		{"12/345x", "12/3"},
		{"no number", "no number"},
		{"", ""},
	} {
		if got := stem(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestHashesOfOnePageLieTogether(t *testing.T) {
	heads := map[string]bool{}
	for i := range 200 {
		h := Hash(fmt.Sprint("oai:repository.example:20.500.12345/", 70_000+i))
		heads[string(h[:3])] = true
	}
	if len(heads) != 2 {
		t.Errorf("got %d places in an index for 200 consecutive numbers, want 2", len(heads))
	}
}

func TestHashesDiffer(t *testing.T) {
	seen := map[[10]byte]string{}
	for i := range 100_000 {
		text := fmt.Sprint("oai:repository.example:", i)
		h := Hash(text)
		if was, ok := seen[h]; ok {
			t.Fatalf("got the same hash for %q and %q", was, text)
		}
		seen[h] = text
	}
}

// Keys stand in URLs that others have kept: they never change.
func TestKeyOf(t *testing.T) {
	for identifier, want := range map[string]string{
		"oai:repository.example:12345": "nnzmpklrw4oiamtz",
		"":                             "aaaaby5qyrbjr7a4",
		"oai:x:<ü>/%2F\n":              "zqjkgy4y7wlrgv67",
	} {
		if hash, ok := HashOfKey(want); !ok || hash != Hash(identifier) {
			t.Errorf("HashOfKey(%s) = %x, %v, want %x", want, hash, ok, Hash(identifier))
		}
		if got := KeyOf(identifier); got != want {
			t.Errorf("%q: got key %s, want %s", identifier, got, want)
		}
	}
	if key := KeyOf(strings.Repeat("/", 5000)); len(key) != 16 || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("got key %q, want 16 letters and digits", key)
	}
}

func FuzzStem(f *testing.F) {
	f.Add("https://repository.example/bitstream/20.500.12345/678/1/Smith2019.pdf")
	f.Add("/.pdf/123.ab")
	f.Fuzz(func(t *testing.T, text string) {
		if got := stem(text); !strings.HasPrefix(text, got) {
			t.Errorf("got %q, want a beginning of %q", got, text)
		}
	})
}
