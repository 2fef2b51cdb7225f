package dashboard

import (
	"context"
	"fmt"
	"time"

	"fingerpost/bridge/store"
)

// moment is how far the newest run of a repository is. It is read from the store,
// where the process that makes the run saves it with each batch.
type moment struct {
	store.Run
	Paused bool      // the repository asked the run to wait
	Until  time.Time // when it goes on
	Behind bool      // the page that it is shown in has figures from before its end
	Quiet  time.Duration
	now    time.Time
}

func (d *Dashboard) momentOf(ctx context.Context, id string) (moment, error) {
	source, err := d.source(ctx, id)
	if err != nil {
		return moment{}, err
	}
	runs, err := d.store.Runs(ctx, id, 1)
	if err != nil || len(runs) == 0 {
		return moment{}, err
	}
	return momentAt(runs[0], source, d.Now()), nil
}

func momentAt(run store.Run, source store.Source, now time.Time) moment {
	return moment{Run: run, Paused: source.Why == "pause" && source.Due.After(now), Until: source.Due, now: now}
}

// Seen is the run and how it stood, for the page that shows it.
func (m moment) Seen() string { return fmt.Sprintf("%d-%s", m.ID, m.State) }

// UnderWay reports whether the run has not ended.
func (m moment) UnderWay() bool { return m.State == store.Running }

// Rate is in records per second.
func (m moment) Rate() float64 {
	return float64(m.Records) / max(m.now.Sub(m.Started).Seconds(), 1)
}

// Took is for how long the run has gone on.
func (m moment) Took() string { return took(m.Run, m.now) }

// Left is how many records are still to come; -1 if the list has no size.
func (m moment) Left() int {
	if m.Size == 0 {
		return -1
	}
	return max(m.Size-m.Read, 0)
}

// LastPage is the number of the last page, counted like Pages; 0 if the list has
// no size. It assumes that the next pages are as long as those so far.
func (m moment) LastPage() int {
	if m.Left() < 0 || m.Records == 0 {
		return 0
	}
	return m.Pages + (m.Left()*m.Pages+m.Records-1)/m.Records
}

// TimeLeft is how long the run still takes at its rate; "" if that is unknown.
func (m moment) TimeLeft() string {
	if m.Left() < 0 || m.Records == 0 {
		return ""
	}
	return span(time.Duration(float64(m.Left()) / m.Rate() * float64(time.Second)))
}

// Stalled is for how long nothing new was saved; "" unless that is a while.
func (m moment) Stalled() string {
	if m.Quiet < time.Minute {
		return ""
	}
	return span(m.Quiet.Truncate(time.Minute))
}
