package store

import (
	"context"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// PagesADay bounds the landing pages of a repository that are asked for in a day.
const PagesADay = 10_000

// Pages is how far the landing pages of a repository are read, and what they
// brought.
type Pages struct {
	Began time.Time // of the pass through all objects
	After int64     // ID of the object that the pass has come to
	Ended time.Time // of the last pass that came to its end; the zero time if none did
	// Modified is the newest Object.Modified at Ended: while it stays, nothing has
	// changed but what pages state.
	Modified int64
	Due      int // pages that the pass has to ask for, as far as could be told when it began
	Asked    int // of those, asked for

	Day   time.Time // since when Today counts
	Today int       // pages asked for

	Read   int             // different pages that stated something
	Lacked bridge.Coverage // of the objects whose pages were asked for: those without a link
	Gained bridge.Coverage // of those: the ones that have it from their page

	Pace  time.Duration // the least time between two requests
	Pause Pause         // the zero Pause if pages may be asked for
	// Shut is until when hosts are not asked that are not the repository's, by
	// host and port: they refused or failed.
	Shut  map[string]time.Time `json:",omitempty"`
	Files string               // what the files are that the pages name, a sentence; "" before some were asked for
	At    time.Time            // of Files
}

// Left is how many pages the pass still has to ask for.
func (p Pages) Left() int {
	if !p.Ended.IsZero() {
		return 0
	}
	return max(p.Due-p.Asked, 0)
}

// TimeLeft is how long that takes if nothing keeps it from going on.
func (p Pages) TimeLeft() time.Duration { return TimeFor(p.Left(), p.Pace) }

// TimeFor is how long it takes to ask for so many landing pages, no more than
// PagesADay of them in a day.
func TimeFor(pages int, pace time.Duration) time.Duration {
	inTurn := time.Duration(pages) * pace
	return max(inTurn, time.Duration(pages/PagesADay)*24*time.Hour+time.Duration(pages%PagesADay)*pace)
}

// Limited reports whether as many pages were asked for as a day allows.
func (p Pages) Limited(now time.Time) bool {
	return p.Today >= PagesADay && now.Before(p.Day.Add(24*time.Hour))
}

// Pages returns how far the landing pages of a repository are read; the zero
// Pages if none was.
func (s probes) Pages(ctx context.Context, repository string) (p Pages, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		_, err := readDocument(rows, engine.Pages, pagesName, &p)
		return err
	})
	return p, wrap(err, "read how far the landing pages of %s are read", repository)
}

// pagesName is the name of the one document of its kind.
const pagesName = "landing pages"
