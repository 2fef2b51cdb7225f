package look

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := Number(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// All and none are said only of all and none.
func TestShare(t *testing.T) {
	tests := []struct {
		n, all int
		want   string
	}{
		{0, 0, "0 %"}, {0, 5, "0 %"}, {5, 5, "100 %"}, {1, 3, "33.3 %"},
		{999_999, 1_000_000, "99.9 %"}, {1, 1_000_000, "under 0.1 %"}, {1, 1000, "0.1 %"},
	}
	for _, tt := range tests {
		if got := Share(tt.n, tt.all); got != tt.want {
			t.Errorf("%d of %d: got %q, want %q", tt.n, tt.all, got, tt.want)
		}
	}
}

// Lines stay, whatever they are shown after.
func TestRaw(t *testing.T) {
	long := strings.Repeat("<dc:title>\tüber</dc:title>\n", textLimit)
	if got := Raw(long); got != long {
		t.Errorf("got %d bytes, want %d", len(got), len(long))
	}
	if got, want := Raw("a\u202e\r\n\xffb"), "a\ufffd\ufffd\n\ufffdb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestText(t *testing.T) {
	long := strings.Repeat("ü", textLimit)
	tests := []struct{ in, want string }{
		{"Zeitschrift für Größen – 日本語", "Zeitschrift für Größen – 日本語"},
		{"می\u200cخواهم 👩\u200d🔬 Zeit\u00adschrift", "می\u200cخواهم 👩\u200d🔬 Zeit\u00adschrift"},
		{"a\u202eb", "a\ufffdb"}, {"a\x00\x1bb\r\n", "a\ufffd\ufffdb\ufffd\ufffd"}, {"a\xffb", "a\ufffdb"},
		{strings.Repeat("x", textLimit), strings.Repeat("x", textLimit)},
		{long, strings.Repeat("ü", textLimit/2) + " …"},
		{"x" + long, "x" + strings.Repeat("ü", textLimit/2-1) + " …"},
	}
	for _, tt := range tests {
		if got := Text(tt.in); got != tt.want {
			t.Errorf("%.40q:\ngot  %q\nwant %q", tt.in, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOfN(rapid.Byte(), 0, 2*textLimit).Draw(t, "in"))
		got := Text(in)
		if utf8.RuneCountInString(got) > textLimit+2 || !utf8.ValidString(got) {
			t.Fatalf("%q: got %d characters: %q", in, utf8.RuneCountInString(got), got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q: got %q in %q", in, r, got)
			}
		}
	})
}
