package bridge

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// Issued returns the date of publication that the best format states, as "2014",
// "2014-03" or "2014-03-09"; "" if it is not sure. It is the date that is called
// so, or else the only date, or what all dates have in common. DSpace writes the
// dates of deposit and release with a time: there, the only date without one
// counts too.
func Issued(list []crosswalk.Statement, platform string) (date string, from *crosswalk.Statement) {
	list = datesOf(list)
	for i := range list {
		if isSaidIssued(&list[i]) {
			return common(list, isSaidIssued)
		}
	}
	date, from = common(list, isDate)
	if date == "" && platform == "dspace" {
		return common(list, isDay)
	}
	return date, from
}

// datesOf is the part of the list from the first date to the last of the same
// record.
func datesOf(list []crosswalk.Statement) []crosswalk.Statement {
	first, last := -1, 0
	for i := range list {
		switch {
		case !isDate(&list[i]):
		case first < 0:
			first, last = i, i
		case list[i].Doc == list[first].Doc:
			last = i
		}
	}
	if first < 0 {
		return nil
	}
	return list[first : last+1]
}

func isDate(st *crosswalk.Statement) bool {
	return st.Kind == crosswalk.Date && yearIn(st.Value) != 0
}

// isSaidIssued reports whether a date is said to be that of publication, as in
// qualified Dublin Core and MODS.
func isSaidIssued(st *crosswalk.Statement) bool {
	return st.Kind == crosswalk.Date && (strings.EqualFold(st.Qualifier, "issued") || st.Qualifier == "dateIssued") && yearIn(st.Value) != 0
}

func isDay(st *crosswalk.Statement) bool { return isDate(st) && !strings.Contains(st.Value, "T") }

// common returns what the dates that fit have in common, down to the year; ""
// if not even that.
func common(list []crosswalk.Statement, fits func(*crosswalk.Statement) bool) (date string, from *crosswalk.Statement) {
	for i := range list {
		st := &list[i]
		if !fits(st) {
			continue
		}
		next := dayIn(st.Value)
		if from == nil {
			date, from = next, st
			continue
		}
		for !strings.HasPrefix(next, date) {
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
	if isISODate(value[:end]) {
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

// isISODate reports whether a value is a month or a day.
func isISODate(v string) bool {
	const form = "0000-00-00"
	if len(v) != 7 && len(v) != 10 || yearIn(v[:4]) == 0 {
		return false
	}
	for i := range len(v) {
		if (form[i] == '-') != (v[i] == '-') || form[i] == '0' && !text.IsDigit(v[i]) {
			return false
		}
	}
	return within(v[5:7], "01", "12") && (len(v) == 7 || within(v[8:10], "01", "31"))
}

func within(v, least, most string) bool { return least <= v && v <= most }

// year returns the year of publication, and whether it is sure: that of Issued,
// else the earliest that the best format states. Repositories put the dates of deposit and release
// beside it.
func year(v *view) (year int, sure bool) {
	if date, _ := Issued(v.statements.List, v.mapping.platform.Name); date != "" {
		return yearIn(date), true
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
	return best, false
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
