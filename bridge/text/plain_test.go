package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	tests := []struct{ value, want string }{
		{"", ""},
		{"As it is", "As it is"},
		{"  a\n b\t c ", "a b c"},
		{"Salt &amp; water &#233;", "Salt & water é"},
		{"once: &amp;lt;", "once: &lt;"},
		{"<p>One</p><p>two</p>", "One two"},
		{"H<sub>2</sub>O and <jats:italic>E. coli</jats:italic>", "H2O and E. coli"},
		{"a < b > c", "a < b > c"},
		{"</script><!-- <x>", "</script><!-- <x>"},
		{"$x_{1} < y$", "$x_{1} < y$"},
		{"line\u2028end\u2029", "line end"},
		{"turned \u202eround\u202c", "turned round"},
		{"\x00nul\u0085", "nul"},
		{"<", "<"},
		{"<p", "<p"},
	}
	for _, tt := range tests {
		if got := Plain(tt.value, 100); got != tt.want {
			t.Errorf("Plain(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestPlainIsCutAtACharacterWithAMark(t *testing.T) {
	for _, value := range []string{strings.Repeat("ü", 5_000_000), strings.Repeat("<p>", 3_000_000), strings.Repeat("a ", 51), strings.Repeat("&", 10_000_000)} {
		got := Plain(value, 100)
		if len(got) > 100 || !utf8.ValidString(got) || !strings.HasSuffix(got, Cut) {
			t.Errorf("%d bytes became %q", len(value), got)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("<p>&amp;</p>\u2028\xff")
	f.Fuzz(func(t *testing.T, value string) {
		got := Plain(value, 200)
		if len(got) > 200 || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\t\x00\u2028\u202e") {
			t.Errorf("%q became %q", value, got)
		}
	})
}
