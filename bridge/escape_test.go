package bridge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What looks at eight bytes at a time sees what one does that looks at each.
func TestAnyBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0x1F, ' ', '!', 'a', 0x7F, 0x80, 0x9F, 0xFF}), 0, 40).Draw(t, "bytes"))
		limit := rapid.SampledFrom([]byte{1, ' ', ' ' + 1, 0x7F, 0x80}).Draw(t, "limit")
		want := false
		for i := range len(s) {
			want = want || s[i] < limit
		}
		if got := anyBelow(s, limit); got != want {
			t.Errorf("anyBelow(%q, %#x) = %v, want %v", s, limit, got, want)
		}
	})
}

func TestPrefixWhateverTheCase(t *testing.T) {
	for _, s := range []string{"DOI:", "doi:", "Doi:x", "doi", "doi;", "\x04oi:", "dOI\x1a", "do\u0131:", "[@`{"} {
		for _, prefix := range []string{"doi:", "DOI:", "", "[@", "{`"} {
			want := len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
			if got := hasPrefixFold(s, prefix); got != want {
				t.Errorf("hasPrefixFold(%q, %q) = %v, want %v", s, prefix, got, want)
			}
		}
	}
}
