package main

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/landingpage"
)

// logEvery is how often a run tells of itself where there is no terminal.
const logEvery = 10 * time.Second

// progress shows where runs stand: a bar for each list on a terminal, a log
// line now and then elsewhere.
type progress struct {
	log    *slog.Logger
	mu     sync.Mutex
	screen *mpb.Progress // nil without a terminal
	bars   map[string]*bar
	pauses map[string]time.Time // until when, by repository
	told   time.Time
	once   sync.Once
}

// bar is the bar of one list.
type bar struct {
	*mpb.Bar
	latest  harvest.Progress
	started time.Time
	over    bool // nothing more comes: no time is left, whatever there is to read
}

// newProgress draws on a terminal. Above the bars it logs only what goes wrong:
// everything else is printed when a run has ended.
func newProgress(to output, log *slog.Logger) *progress {
	p := &progress{log: log, bars: map[string]*bar{}, pauses: map[string]time.Time{}}
	if to.json || !terminal(to.err) {
		return p
	}
	p.screen = mpb.New(mpb.WithOutput(to.err), mpb.WithRefreshRate(200*time.Millisecond))
	p.log = slog.New(slog.NewTextHandler(p.screen, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return p
}

// show is called after every page.
func (p *progress) show(now harvest.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen == nil {
		p.tell(now)
		return
	}
	key := now.Repository + " " + now.Prefix + " " + now.Set
	b := p.bars[key]
	if b == nil {
		b = &bar{started: time.Now()}
		b.Bar = p.add(key, b)
		p.bars[key] = b
	}
	b.latest = now
	// While nobody knows how long the list is, the bar stays empty.
	b.SetTotal(max(int64(now.Total), int64(now.Read)+1), false)
	b.SetCurrent(int64(min(now.Read, max(now.Total, 0))))
}

// pause is called when a run waits until the end of a pause, and with the zero
// time when it goes on.
func (p *progress) pause(repository string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pauses, repository)
	if !until.IsZero() {
		p.pauses[repository] = until
	}
}

// pausedUntil says why nothing happens.
func pausedUntil(until time.Time) string {
	layout := "15:04"
	if time.Until(until) > 12*time.Hour {
		layout = "Mon 2 Jan 2006 15:04"
	}
	return "paused until " + until.Local().Format(layout) + ", asked by the repository with Retry-After"
}

func (p *progress) add(key string, b *bar) *mpb.Bar {
	text := func(decor.Statistics) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		if until, paused := p.pauses[b.latest.Repository]; paused && !b.over {
			return " " + pausedUntil(until)
		}
		return b.text(time.Since(b.started))
	}
	return p.screen.New(0, mpb.BarStyle().Lbound("[").Rbound("]"),
		mpb.PrependDecorators(decor.Name(key, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Any(text)))
}

// text is what stands behind a bar.
func (b *bar) text(took time.Duration) string {
	n := b.latest
	rate := float64(n.Records) / max(took.Seconds(), 0.001)
	text := fmt.Sprintf(" page %d, %d", n.Pages, n.Read)
	if n.Prefix == landingpage.Prefix {
		text = fmt.Sprintf(" %d", n.Read)
	}
	if n.Total >= 0 {
		text += fmt.Sprintf(" of about %d", n.Total)
	}
	text += fmt.Sprintf(" %s, %s/s", unit(n.Run), perSecond(rate))
	for _, c := range []struct { // terminals are narrow: what there is none of is left out
		outcome string
		n       int
	}{{"quarantined", n.Quarantined}, {"new", n.New}, {"changed", n.Changed}, {"unchanged", n.Unchanged}, {"deleted", n.Deleted}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %d %s", c.n, c.outcome)
		}
	}
	if left := n.Total - n.Read; n.Total >= 0 && left > 0 && rate > 0 && !b.over {
		text += fmt.Sprintf(", %s left", (time.Duration(float64(left)/rate) * time.Second).Round(time.Second))
	}
	return text
}

// perSecond is a rate for people.
func perSecond(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

func (p *progress) tell(now harvest.Progress) {
	if now.Pages == 0 || time.Since(p.told) < logEvery {
		return
	}
	p.told = time.Now()
	p.log.Info("harvest: page kept", "run", now.ID, "repository", now.Repository, "prefix", now.Prefix, "set", now.Set,
		"page", now.Pages, "read", now.Read, "total", now.Total, "new", now.New, "changed", now.Changed,
		"unchanged", now.Unchanged, "deleted", now.Deleted, "quarantined", now.Quarantined)
}

// stop leaves the screen as it is, for what is printed next.
func (p *progress) stop() {
	if p.screen == nil {
		return
	}
	p.once.Do(func() {
		p.mu.Lock()
		bars := p.bars
		for _, b := range bars {
			b.over = true
		}
		p.mu.Unlock()
		for _, b := range bars {
			b.Abort(false)
		}
		p.screen.Wait()
	})
}
