package text

import (
	"strings"
	"testing"
)

func TestXML(t *testing.T) {
	for around := range 20 {
		for _, c := range []struct {
			s              string
			control, ascii bool
		}{
			{"", false, true}, {"a\n\t\r ~", false, true}, {"é", false, false}, {"\x7F", false, true},
			{"\x00", true, true}, {"\x1F", true, true}, {"\n\x0B", true, true},
		} {
			s := strings.Repeat("a", around) + c.s + strings.Repeat("b", 19-around)
			control, ascii := XML([]byte(s))
			if control != c.control || !control && ascii != c.ascii {
				t.Errorf("%q: got %v, %v", s, control, ascii)
			}
		}
	}
}
