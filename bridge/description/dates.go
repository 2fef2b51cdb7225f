package description

import (
	"strings"

	"fingerpost/bridge/text"
)

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
