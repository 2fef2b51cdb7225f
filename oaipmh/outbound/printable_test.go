package outbound

import (
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"Ebbe und Flut, Bd. 2", "Ebbe und Flut, Bd. 2"},
		{"潮汐 è", "潮汐 è"},
		{"a\x1b[31mred\x07\r\n", "a [31mred   "},
		{"c1 \u009b2J", "c1  2J"},
		{"turned \u202egnp.exe", "turned  gnp.exe"},
		{"isolated \u2067x\u2069", "isolated  x "},
		{"unseen\u200b\ufeff", "unseen  "},
		{"\u2028\u2029", "  "},
		{"not UTF-8 \xff", "not UTF-8 \ufffd"},
		{strings.Repeat("潮", 201), strings.Repeat("潮", 200) + "…"},
	} {
		if got := Printable(tt.value, 200); got != tt.want {
			t.Errorf("Printable(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}

// FuzzPrintable: what is printed has no control characters, and is not long.
func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m\u202e\x9b\xff\u2028", 3)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = min(max(most, 0), 1000)
		got := []rune(Printable(s, most))
		if len(got) > most+1 {
			t.Errorf("%d characters, want %d", len(got), most)
		}
		for _, r := range got {
			if r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
				t.Errorf("%U is left in %q", r, string(got))
			}
		}
	})
}
