package dashboard

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// spans is in how many spans of equal length a chart parts the time.
const spans = 60

// chart shows runs over time. A bar is all that began in one span.
type chart struct {
	From, To time.Time
	Rows     []chartRow
	Spans    []charted // those in which runs began: the same in figures
}

// chartRow is a figure over time.
type chartRow struct {
	Name string
	Most string // the highest bar in words
	Bars []bar
}

// bar is a bar in a field of spans to 100, from the bottom.
type bar struct {
	X           int
	Y, Height   float64
	Class, Says string
}

// charted is what began in one span.
type charted struct {
	Begin                time.Time
	Runs, Records, Wrong int
	took                 time.Duration
}

// Took is how long these runs took together.
func (s charted) Took() string { return span(s.took) }

// chartOf charts runs, newest first; nil if there are too few.
func chartOf(runs []store.Run, now time.Time) *chart {
	if len(runs) < 2 {
		return nil
	}
	c := &chart{From: runs[len(runs)-1].Started, To: runs[0].Started}
	var in [spans]charted
	for _, r := range runs {
		s := &in[c.span(r.Started)]
		s.Runs++
		s.Records += r.Records
		s.took += max(ended(r, now).Sub(r.Started), 0)
		if r.State != store.Complete && r.State != store.Running {
			s.Wrong++
		}
	}
	for i, s := range in {
		if s.Begin = c.begin(i); s.Runs > 0 {
			c.Spans = append(c.Spans, s)
		}
	}
	c.Rows = []chartRow{
		c.row("Records", in, func(s charted) float64 { return float64(s.Records) }, func(n float64) string { return count(int(n), "record") }),
		c.row("Duration", in, func(s charted) float64 { return s.took.Seconds() }, func(n float64) string { return span(time.Duration(n * float64(time.Second))) }),
		c.row("Not complete", in, func(s charted) float64 { return float64(s.Wrong) }, func(n float64) string { return count(int(n), "run") + " not complete" }),
	}
	return c
}

func ended(r store.Run, now time.Time) time.Time {
	if r.Finished.IsZero() {
		return now
	}
	return r.Finished
}

// span is the number of the span that a time is in.
func (c *chart) span(t time.Time) int {
	whole := max(c.To.Sub(c.From), 1)
	return min(max(int(float64(spans)*float64(t.Sub(c.From))/float64(whole)), 0), spans-1)
}

// begin is when a span begins.
func (c *chart) begin(i int) time.Time {
	return c.From.Add(c.To.Sub(c.From) / spans * time.Duration(i))
}

// row makes bars whose heights are logarithmic: a first harvest is a thousand times
// as long as the daily ones.
func (c *chart) row(name string, in [spans]charted, of func(charted) float64, words func(float64) string) chartRow {
	most := 0.0
	for _, s := range in {
		most = max(most, of(s))
	}
	out := chartRow{Name: name, Most: "at most " + words(most)}
	for i, s := range in {
		n := of(s)
		if n == 0 {
			continue
		}
		b := bar{X: i, Height: round(100 * math.Log1p(n) / math.Log1p(most)), Says: look.When(c.begin(i)) + ": " + words(n)}
		if b.Y = round(100 - b.Height); s.Wrong > 0 {
			b.Class = "bad"
		}
		out.Bars = append(out.Bars, b)
	}
	return out
}

// round keeps a tenth.
func round(f float64) float64 { return math.Round(f*10) / 10 }

// course is how a share of the objects went over time, as a line in a field of 100
// to 100.
type course struct {
	Points string // of a polyline; "" before there are two
	From   string // the first share
	Says   string
}

// courseOf is the course of a column at the ends of runs, newest first.
func courseOf(runs []store.Run, column string) (c course) {
	var ends []store.Run
	for _, r := range slices.Backward(runs) {
		if r.Coverage.Of(column) > 0 && !r.Finished.IsZero() {
			ends = append(ends, r)
		}
	}
	if len(ends) < 2 {
		return c
	}
	first, last := ends[0], ends[len(ends)-1]
	whole := max(last.Finished.Sub(first.Finished), 1)
	var points []string
	for _, r := range ends {
		x := 100 * float64(r.Finished.Sub(first.Finished)) / float64(whole)
		points = append(points, fmt.Sprintf("%g,%g", round(x), round(100-percent(r.Coverage, column))))
	}
	c.Points = strings.Join(slices.Compact(points), " ")
	c.From = shareOf(first.Coverage, column)
	c.Says = fmt.Sprintf("%s on %s, %s on %s", c.From, look.When(first.Finished), shareOf(last.Coverage, column), look.When(last.Finished))
	return c
}

func percent(c bridge.Coverage, column string) float64 {
	return 100 * float64(c.Count(column)) / float64(max(c.Of(column), 1))
}

func shareOf(c bridge.Coverage, column string) string {
	return look.Share(c.Count(column), c.Of(column))
}
