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
		{"by full stops", "", []string{"9.3.2014"}, "2014"},
		{"between words", "", []string{"um 1906, in Basel"}, "1906"},
		{"after a longer number", "", []string{"no. 20145 of 1906"}, "1906"},
		{"day and hour", "", []string{"2014-03-09 10:11:12"}, "2014-03-09"},
		{"nothing but an hour", "", []string{"T10:11:12"}, ""},
		{"a short year", "", []string{"201"}, ""},
		{"before all years", "", []string{"0999"}, ""},
		{"the first year", "", []string{"1000"}, "1000"},
		{"the last year", "", []string{"2199"}, "2199"},
		{"after all years", "", []string{"2200"}, ""},
		{"a month", "", []string{"2014-12"}, "2014-12"},
		{"the month 00", "", []string{"2014-00"}, "2014"},
		{"the day 00", "", []string{"2014-03-00"}, "2014"},
		{"the last day", "", []string{"2014-03-31"}, "2014-03-31"},
		{"no day", "", []string{"2014-03-32"}, "2014"},
		{"a year and a word", "", []string{"2014-ab"}, "2014"},
		{"a year and a number", "", []string{"2014003"}, ""},
		{"a hyphen too much", "", []string{"2014-3-"}, "2014"},
		{"a day and its month", "", []string{"2014-03-09", "2014-03"}, "2014-03"},
		{"a month and a day of it", "", []string{"2014-03", "2014-03-09"}, "2014-03"},
		{"a year that another begins with", "", []string{"201", "2014"}, "2014"},
		{"a range beside a year of it", "", []string{"1990-1995", "1990"}, ""},
		{"a deposit alone at DSpace", "dspace", []string{"2014-03-09T10:11:12Z"}, "2014-03-09"},
		{"the only day at DSpace", "dspace", []string{"2014-03-09"}, "2014-03-09"},
		{"two years elsewhere", "eprints", []string{"2015-01-01T00:00:00Z", "2014"}, ""},
		{"said to be it by MODS", "", []string{"dateCreated|1973", "dateIssued|2009"}, "2009"},
		{"said twice to be it", "", []string{"Issued|2009", "Issued|2010", "2009"}, ""},
		{"said to be it without a year", "", []string{"2014", "issued|soon", "2014"}, "2014"},
		{"a date of a later record", "", []string{"2014", "another record", "2015"}, "2014"},
		{"something else between", "", []string{"a title", "2014", "a title", "2014"}, "2014"},
		{"a title at DSpace", "dspace", []string{"2015-01-01T00:00:00Z", "a title", "2014"}, "2014"},
		{"a year that cannot be, and one that can", "", []string{"9999-03-04 of 2014"}, "2014"},
		{"no hyphen", "", []string{"2014x03"}, "2014"},
		{"a month with a letter", "", []string{"2014-0a"}, "2014"},
		{"an embargo", "", []string{"info:eu-repo/date/embargoEnd/2020-01-01", "2014"}, "2014"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var list []crosswalk.Statement
			var doc uint8
			for _, d := range tt.dates {
				st := crosswalk.Statement{Kind: crosswalk.Date, Doc: doc, Value: d}
				switch d {
				case "another record":
					doc++
					continue
				case "a title":
					st.Kind, st.Qualifier, st.Value = crosswalk.Title, "issued", "2001"
				}
				if before, after, ok := strings.Cut(d, "|"); ok {
					st.Qualifier, st.Value = before, after
				}
				list = append(list, st)
			}
			if got, _ := Issued(list, tt.platform); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestYear: where no date is sure, the year is the earliest of the best format.
func TestYear(t *testing.T) {
	for _, test := range []struct {
		dates string // of one record, and those of others after "|"
		want  int
		sure  bool
	}{
		{"2014-03-09", 2014, true},
		{"2015 2014 2016", 2014, false},
		{"2015 soon 2014 | 2001 2002", 2014, false},
		{"soon | 2016 2015", 2015, false},
		{"1990-1995", 1990, false},
		{"soon", 0, false},
		{"", 0, false},
	} {
		v := &view{mapping: &Mapping{}}
		for doc, dates := range strings.Split(test.dates, "|") {
			for d := range strings.FieldsSeq(dates) {
				v.statements.List = append(v.statements.List, crosswalk.Statement{Kind: crosswalk.Date, Doc: uint8(doc), Value: d})
			}
		}
		if got, sure := year(v); got != test.want || sure != test.sure {
			t.Errorf("of %q: %d, %v, want %d, %v", test.dates, got, sure, test.want, test.sure)
		}
	}
}
