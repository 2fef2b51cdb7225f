package harvest

import (
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// oldest is where windows begin if a repository does not say, or not
// credibly, when its first record is from.
var oldest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// windows cuts w into its years, or its months, days or hours if it has only
// one of the larger. It returns nil where no smaller window can be asked for.
func windows(w store.Window, by oaipmh.Granularity) []store.Window {
	for _, p := range periods(by) {
		if out := cut(w, by, p); len(out) > 1 {
			return out
		}
	}
	return nil
}

// period is a unit of the calendar: where the one with a time in it starts, and
// where the one after that does.
type period struct {
	floor func(time.Time) time.Time
	next  func(time.Time) time.Time
}

func periods(by oaipmh.Granularity) []period {
	date := func(y int, m time.Month, d, h int) time.Time { return time.Date(y, m, d, h, 0, 0, 0, time.UTC) }
	out := []period{
		{func(t time.Time) time.Time { return date(t.Year(), 1, 1, 0) }, func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
		{func(t time.Time) time.Time { return date(t.Year(), t.Month(), 1, 0) }, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
		{func(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), 0) }, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	}
	if by == oaipmh.Second {
		out = append(out, period{func(t time.Time) time.Time { return t.Truncate(time.Hour) }, func(t time.Time) time.Time { return t.Add(time.Hour) }})
	}
	return out
}

// cut cuts w at the borders of periods. Both ends of a window are included
// (OAI-PMH 2.7.1), so one ends a unit of the granularity before the next.
func cut(w store.Window, by oaipmh.Granularity, p period) []store.Window {
	unit := time.Second
	if by == oaipmh.Day {
		unit = 24 * time.Hour
	}
	var out []store.Window
	for from := w.From; !from.After(w.Until); {
		border := p.next(p.floor(from))
		until := border.Add(-unit)
		if until.After(w.Until) {
			until = w.Until
		}
		out = append(out, store.Window{From: from, Until: until})
		from = border
	}
	return out
}
