package bridge

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// Issued returns the date of publication that the best format states, if it is
// sure, as "2014", "2014-03" or "2014-03-09": the date that is said to be it;
// else the only one, or the year that all have; at DSpace the only one without
// a time, for it states those of deposit and release with it.
func Issued(list []crosswalk.Statement, platform string) (date string, from *crosswalk.Statement) {
	dates, doc := make([]*crosswalk.Statement, 0, 8), uint8(0)
	for i := range list {
		st := &list[i]
		if st.Kind != crosswalk.Date || yearIn(st.Value) == 0 {
			continue
		}
		if len(dates) > 0 && st.Doc != doc {
			break
		}
		doc = st.Doc
		dates = append(dates, st)
	}
	if said := those(dates, isSaidIssued); len(said) > 0 {
		return common(said)
	}
	date, from = common(dates)
	if date == "" && platform == "dspace" {
		return common(those(dates, isDay))
	}
	return date, from
}

func those(dates []*crosswalk.Statement, fits func(*crosswalk.Statement) bool) (out []*crosswalk.Statement) {
	for _, st := range dates {
		if fits(st) {
			out = append(out, st)
		}
	}
	return out
}

// isSaidIssued reports whether a date is said to be that of publication, as in
// qualified Dublin Core and MODS.
func isSaidIssued(st *crosswalk.Statement) bool {
	return strings.EqualFold(st.Qualifier, "issued") || st.Qualifier == "dateIssued"
}

func isDay(st *crosswalk.Statement) bool { return !strings.Contains(st.Value, "T") }

// common returns what dates have in common, down to the year; "" if not even
// that.
func common(dates []*crosswalk.Statement) (date string, from *crosswalk.Statement) {
	for _, st := range dates {
		next := dayIn(st.Value)
		if from == nil {
			date, from = next, st
			continue
		}
		for !strings.HasPrefix(next+"-", date+"-") {
			cut := strings.LastIndexByte(date, '-')
			if cut < 0 {
				return "", nil
			}
			date = date[:cut]
		}
	}
	return date, from
}

// dayIn returns the date at the beginning of a value as ISO 8601 has it, or the
// year in it; "" if there is none, or more than one.
func dayIn(value string) string {
	value = strings.TrimSpace(value)
	end := strings.IndexAny(value, "T ")
	if end < 0 {
		end = len(value)
	}
	if isDate(value[:end]) {
		return value[:end]
	}
	year := yearIn(value)
	if year == 0 {
		return ""
	}
	at := indexYear(value)
	if yearIn(value[at+4:]) != 0 { // a range
		return ""
	}
	return value[at : at+4]
}

// indexYear is where the number begins that yearIn returns.
func indexYear(value string) int {
	for i := 0; i+4 <= len(value); i++ {
		if yearIn(value[i:min(i+5, len(value))]) != 0 && (i == 0 || !text.IsDigit(value[i-1])) && text.IsDigit(value[i]) {
			return i
		}
	}
	return 0
}

// isDate reports whether a value is a year, a month or a day.
func isDate(v string) bool {
	const form = "0000-00-00"
	if len(v) != 4 && len(v) != 7 && len(v) != 10 || yearIn(v[:4]) == 0 {
		return false
	}
	for i := range len(v) {
		if (form[i] == '-') != (v[i] == '-') || form[i] == '0' && !text.IsDigit(v[i]) {
			return false
		}
	}
	return (len(v) < 7 || within(v[5:7], "01", "12")) && (len(v) < 10 || within(v[8:10], "01", "31"))
}

func within(v, least, most string) bool { return least <= v && v <= most }

// year returns the year of publication: that of Issued, else the earliest that
// the best format states. Repositories put the dates of deposit and release
// beside it.
func year(v *view) int {
	if date, _ := Issued(v.statements.List, v.mapping.platform.Name); date != "" {
		return yearIn(date)
	}
	best, doc := 0, uint8(0)
	v.each(crosswalk.Date, func(st *crosswalk.Statement) {
		y := yearIn(st.Value)
		switch {
		case y == 0 || best != 0 && st.Doc != doc:
		case best == 0 || y < best:
			best, doc = y, st.Doc
		}
	})
	return best
}

// yearIn returns the first number of four digits that can be a year.
func yearIn(value string) int {
	if strings.HasPrefix(value, "info:") { // an embargo's end, not a publication
		return 0
	}
	digits, n := 0, 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && text.IsDigit(value[i]) {
			if digits++; digits <= 4 {
				n = n*10 + int(value[i]-'0')
			}
			continue
		}
		if digits == 4 && 1000 <= n && n < 2200 {
			return n
		}
		digits, n = 0, 0
	}
	return 0
}
