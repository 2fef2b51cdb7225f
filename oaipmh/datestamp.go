package oaipmh

import (
	"fmt"
	"strings"
	"time"
)

// parseGranularity reads the granularity that Identify declares. Servers spell
// it oddly or leave it out; without hours in it, it is Day, which every
// repository must accept (OAI-PMH 3.3.1).
func parseGranularity(s string) Granularity {
	if strings.Contains(strings.ToLower(s), "hh") {
		return Second
	}
	return Day
}

// Format writes t for from and until: in UTC, cut to the granularity.
func (g Granularity) Format(t time.Time) string {
	if g == Second {
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	return t.UTC().Format(time.DateOnly)
}

// datestamps are the forms in which servers print datestamps and dates, the
// two of OAI-PMH 3.3 first. A fraction of a second after "05" is read too.
var datestamps = []string{
	time.RFC3339, // with an offset too
	time.DateOnly,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01",
	"2006",
	"20060102T150405Z",
	"20060102",
}

// ParseDatestamp reads a datestamp leniently: fractions of seconds, offsets, a
// space for the T, a missing Z, reduced precision. Without a zone it
// is taken for UTC. The result is in UTC.
func ParseDatestamp(s string) (time.Time, error) {
	text := strings.TrimSpace(s)
	if len(text) < len("2006") || len(text) > 64 {
		return time.Time{}, fmt.Errorf("datestamp %q is not a date", clip(s))
	}
	text = strings.ToUpper(text)
	if i := len(time.DateOnly); len(text) > i && text[i] == ' ' {
		text = text[:i] + "T" + strings.TrimLeft(text[i:], " ")
	}
	text = strings.ReplaceAll(strings.TrimSuffix(text, "."), " ", "")
	text = strings.TrimSuffix(text, "UTC")
	for _, form := range datestamps {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("datestamp %q is not a date", clip(s))
}
