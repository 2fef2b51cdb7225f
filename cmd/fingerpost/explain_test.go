package main

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
		{strings.Repeat("潮", 300), strings.Repeat("潮", 200) + "…"},
	} {
		if got := printable(tt.value); got != tt.want {
			t.Errorf("printable(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}
