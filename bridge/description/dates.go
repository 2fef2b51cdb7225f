package description

import (
	"strings"
	"time"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// datesOf are all dates. One day may be that of several kinds.
func datesOf(s said) (out []Value) {
	type date struct{ text, kind string }
	met := map[date]bool{}
	for _, st := range s.richest(crosswalk.OtherDate, crosswalk.Date) {
		v := stated(st, longestValue)
		if of := (date{v.Text, st.Qualifier}); v.Text != "" && !met[of] && len(out) < mostValues {
			met[of] = true
			out = append(out, v)
		}
	}
	return out
}

// yearOf and monthOf are parts of a date that is sure, as in "2014-03-09".
func yearOf(date Value) Value { return date.as(date.Text[:min(len(date.Text), len("2006"))]) }

func monthOf(date Value) Value {
	if !isMonth(date.Text) {
		return Value{}
	}
	return date.as(date.Text[len("2006-"):len("2006-01")])
}

// isMonth reports whether a date begins with a year and a month.
func isMonth(date string) bool {
	const form = "0000-00"
	return len(date) >= len(form) && text.IsDigits(date[:4]) && date[4] == '-' && text.IsDigits(date[5:7])
}

// dated is the first date of a kind, as DataCite calls it.
func dated(dates []Value, kind string) Value {
	for _, v := range dates {
		if dateType(v) == kind {
			return v
		}
	}
	return Value{}
}

func dateType(v Value) string { return dateTypes[strings.ToLower(v.From.Qualifier)] }

// dayOf is a date of the form "2014", "2014-03" or "2014-03-09", without the
// time after it; "" if it has another form, as a range has, or is no date.
func dayOf(date string) string {
	date, _, _ = strings.Cut(date, "T")
	for _, form := range []string{time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(form, date); err == nil && at.Year() >= 1000 {
			return date
		}
	}
	return ""
}

// isRange reports whether a date is one that DataCite takes: a day, or two with
// a slash between, of which one may be left out. DataCite 4.5, 8.
func isRange(date string) bool {
	from, to, ok := strings.Cut(date, "/")
	switch {
	case !ok:
		return dayOf(date) != ""
	case from == "":
		return dayOf(to) != ""
	}
	return dayOf(from) != "" && (to == "" || dayOf(to) != "")
}
