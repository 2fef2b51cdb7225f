package bridge

import (
	"strings"
	"testing"

	"fingerpost/bridge/crosswalk"
)

func TestIssued(t *testing.T) {
	tests := []struct {
		name, platform string
		dates          []string // "qualifier|value"
		want           string
	}{
		{"a year", "", []string{"2014"}, "2014"},
		{"a day", "", []string{"2014-03-09"}, "2014-03-09"},
		{"a dateTime is a day", "", []string{"2014-03-09T10:11:12Z"}, "2014-03-09"},
		{"in words", "", []string{"(1906)"}, "1906"},
		{"by slashes", "", []string{"09/03/2014"}, "2014"},
		{"a range", "", []string{"1990-1995"}, ""},
		{"no date", "", []string{"NO_RESTRICTION"}, ""},
		{"no month", "", []string{"2014-13"}, "2014"},
		{"two days of a month", "", []string{"2014-03-09", "2014-03-10"}, "2014-03"},
		{"two of a year", "", []string{"2014-03-09", "2014"}, "2014"},
		{"two years", "", []string{"2014", "2015-01-01T00:00:00Z"}, ""},
		{"two years at DSpace", "dspace", []string{"2015-01-01T00:00:00Z", "2015-01-02T00:00:00Z", "2014"}, "2014"},
		{"two days at DSpace", "dspace", []string{"2015-01-01T00:00:00Z", "2013", "2014"}, ""},
		{"said to be it", "", []string{"created|2011", "issued|2014-03"}, "2014-03"},
		{"an embargo", "", []string{"info:eu-repo/date/embargoEnd/2020-01-01", "2014"}, "2014"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var list []crosswalk.Statement
			for _, d := range tt.dates {
				st := crosswalk.Statement{Kind: crosswalk.Date, Value: d}
				if i := strings.IndexByte(d, '|'); i >= 0 {
					st.Qualifier, st.Value = d[:i], d[i+1:]
				}
				list = append(list, st)
			}
			if got, _ := Issued(list, tt.platform); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
