package text

import (
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
