package bridge

import (
	"strconv"
	"strings"
	"testing"
)

func TestMemo(t *testing.T) {
	var m memo[string]
	asked := 0
	find := func(value string) (string, bool) {
		asked++
		return strings.ToUpper(value), value != "unknown"
	}
	for _, value := range []string{"a", "unknown", ""} {
		asked = 0
		for range 3 {
			if got, ok := m.of(value, find); got != strings.ToUpper(value) || ok != (value != "unknown") {
				t.Errorf("of(%q) = %q, %v", value, got, ok)
			}
		}
		if asked != 1 {
			t.Errorf("%q was found out %d times, want once", value, asked)
		}
	}
	for i := range 10_000 {
		m.of(strconv.Itoa(i), find)
		m.of(strings.Repeat("long ", 200)+strconv.Itoa(i), find)
	}
	for value := range m.findings {
		if len(m.findings) > 256 || len(value) > 512 {
			t.Fatalf("%d values are remembered, one of %d bytes", len(m.findings), len(value))
		}
	}
}
