package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// State says how a run ended, or that it goes on.
type State string

// The states of a run.
const (
	Running     State = "running"
	Complete    State = "complete"
	Incomplete  State = "incomplete"
	Failed      State = "failed"
	Interrupted State = "interrupted"
)

// Class is the kind of a failure.
type Class string

// The classes of failures of a repository.
const (
	Refused Class = "refused" // it denies access, or shows a bot check
	Gone    Class = "gone"    // there is no such host or address, or nothing answers there
	Broken  Class = "broken"  // it answers with an error of its server, or with what is no OAI-PMH
	Slow    Class = "slow"    // it does not answer in time, or asks to be left alone
)

// Run is one harvest of one list. Its JSON is what `harvest --json` prints.
type Run struct {
	ID          int64     `json:"-"` // ascending within a repository
	Repository  string    `json:"repository"`
	Prefix      string    `json:"prefix"`
	Set         string    `json:"set,omitempty"`
	Sweep       bool      `json:"sweep,omitempty"` // it compared identifiers only
	State       State     `json:"state"`
	Reason      string    `json:"reason"`
	Class       Class     `json:"class,omitempty"`  // of a failed run; "" if the failure was not the repository's
	Remark      string    `json:"remark,omitempty"` // what is doubtful although it is complete, a sentence
	Records     int       `json:"records"`
	New         int       `json:"new"`
	Changed     int       `json:"changed"`
	Unchanged   int       `json:"unchanged"`
	Deleted     int       `json:"deleted"`
	Quarantined int       `json:"quarantined"`
	Pages       int       `json:"pages"`
	Requests    int       `json:"requests"`
	Retries     int       `json:"retries"` // of the requests, those that repeated a failed one
	Repairs     int       `json:"repairs"`
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"`
	Listed      int       `json:"listed,omitempty"` // live records of the list, if this run has read all of it
	Closed      bool      `json:"closed,omitempty"` // the list had several pages, and its end was shown
	Size        int       `json:"size,omitempty"`   // of the list, as the repository announces it
	Read        int       `json:"read,omitempty"`   // records of the list so far, those before an interruption included

	// Coverage is that of the repository when the run ended. SaveRun sets it.
	Coverage bridge.Coverage `json:"coverage,omitzero"`
}

// Checkpoint is how far the harvest of one list has come. It is keyed
// (Repository, Prefix, Set).
type Checkpoint struct {
	Repository string
	Prefix     string
	Set        string
	// Watermark is the responseDate from which the next incremental run
	// asks. It moves only when a list ended as the protocol says.
	Watermark time.Time
	// Token and those below describe the list that an interrupted run left, to
	// be resumed at Token. They are zero if there is none.
	Token        string
	From         time.Time
	Until        time.Time
	ResponseDate time.Time // of the run's first answer
	Pages        int
	Records      int
	Pending      []Window // windows still to be asked for after this one
	// Gap is the first window of the list that could not be read, and why; ""
	// while there is none. The end of a list with a gap moves no watermark.
	Gap string
	// Remark is what is doubtful about the list although it was complete, a
	// sentence; "" if nothing is. It stays until the whole list is read again.
	Remark string
	// OAIURL is the address that was harvested: the checkpoint means nothing
	// for another. "" before the first answer.
	OAIURL string
}

// Window is a span of datestamps, both ends included. OAI-PMH 2.7.1.
type Window struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

type runs struct{ *core }

// SaveRun saves a run: a new one (ID 0, which it sets) or its new state.
func (s runs) SaveRun(ctx context.Context, r *Run) error {
	var run Run
	err := s.engine.Update(ctx, r.Repository, func(tx engine.Tx) error {
		run = *r
		if run.State != Running {
			t, err := tx.Totals()
			if err != nil {
				return err
			}
			run.Coverage = bridge.CoverageOf(int(t.Objects), t.Linked)
		}
		return putRun(tx, &run)
	})
	if err != nil {
		return fmt.Errorf("save a run of %s: %w", r.Repository, err)
	}
	*r = run
	return nil
}

// putRun gives a new run its ID.
func putRun(tx engine.Tx, r *Run) error {
	last, err := readRuns(tx, 1)
	if err != nil {
		return err
	}
	newest := int64(0)
	if len(last) > 0 {
		newest = last[0].ID
	}
	switch {
	case r.ID == 0:
		r.ID = newest + 1
	case r.ID > newest:
		return fmt.Errorf("run %d: %w", r.ID, ErrNotFound)
	}
	return putDocument(tx, engine.Run, fmt.Sprintf("%019d", r.ID), storedRun{r.ID, *r})
}

// storedRun is a run with its ID in its JSON.
type storedRun struct {
	Number int64 `json:"id"`
	Run
}

func readRuns(rows engine.Rows, n int) ([]Run, error) {
	stored, err := readDocuments[storedRun](rows, engine.Run, max(n, 0))
	var out []Run
	for _, r := range stored {
		r.Run.ID = r.Number
		out = append(out, r.Run)
	}
	return out, err
}

// Runs returns the newest n runs of a repository, newest first.
func (s runs) Runs(ctx context.Context, repository string, n int) (out []Run, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		out, err = readRuns(rows, n)
		return err
	})
	return out, wrap(err, "read the runs of %s", repository)
}

// Checkpoint returns how far the harvest of a list has come: the zero
// Checkpoint, with its key, if none is stored.
func (s runs) Checkpoint(ctx context.Context, repository, prefix, set string) (Checkpoint, error) {
	c := Checkpoint{Repository: repository, Prefix: prefix, Set: set}
	err := s.engine.View(ctx, repository, func(rows engine.Rows) error {
		_, err := readDocument(rows, engine.Checkpoint, checkpointName(prefix, set), &c)
		return err
	})
	return c, wrap(err, "read the checkpoint of %s in %s", repository, prefix)
}

func putCheckpoint(tx engine.Tx, repository string, c Checkpoint) error {
	c.Repository = repository
	return putDocument(tx, engine.Checkpoint, checkpointName(c.Prefix, c.Set), c)
}

// SaveUnfinished saves, as JSON, what a run whose turn is over leaves to its next
// turn. The store does not read it.
func (s runs) SaveUnfinished(ctx context.Context, repository string, value any) error {
	err := s.engine.Update(ctx, repository, func(tx engine.Tx) error {
		return putDocument(tx, engine.Unfinished, unfinishedName, value)
	})
	return wrap(err, "save where the run of %s goes on", repository)
}

// Unfinished reads into a value what SaveUnfinished saved last, if anything.
func (s runs) Unfinished(ctx context.Context, repository string, into any) error {
	err := s.engine.View(ctx, repository, func(rows engine.Rows) error {
		_, err := readDocument(rows, engine.Unfinished, unfinishedName, into)
		return err
	})
	return wrap(err, "read where the run of %s goes on", repository)
}

// unfinishedName is the name of the one document of its kind.
const unfinishedName = "unfinished"

// checkpointName joins two texts so that they can be told apart.
func checkpointName(prefix, set string) string {
	name, _ := json.Marshal([...]string{prefix, set}) // texts always have JSON
	return string(name)
}
