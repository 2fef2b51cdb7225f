package harvest

import (
	"context"
	"errors"
	"fmt"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// census collects the live records of all lists in one format while a repository
// is read again in full. Some repositories delete records without a tombstone,
// whatever their Identify declares (OAI-PMH 2.5.1).
type census struct {
	identifierSet
	left int // lists that were not read to their end yet
}

// censuses returns a census for each format if the run reads everything. What it
// collects lies in memory: such a run is one turn, however long.
func (h *harvestRun) censuses() map[string]*census {
	out := map[string]*census{}
	if !h.options.Full && !h.source.repository.FullOnly || len(h.options.Sets) > 0 || h.source.untaught || h.source.left.Run != 0 {
		return out
	}
	h.source.h.turn.without()
	for _, prefix := range h.source.prefixes {
		out[prefix] = &census{identifierSet: *newIdentifierSet(), left: len(h.sets)}
	}
	return out
}

// note adds the records of a page. A record that cannot be read is alive, too.
func (c *census) note(page oaipmh.Page) {
	if c == nil {
		return
	}
	for _, r := range page.Records {
		if !r.Deleted {
			c.add(r.Identifier)
		}
	}
	for _, b := range page.Bad {
		c.add(b.Identifier)
		c.doubtful = c.doubtful || b.Identifier == ""
	}
}

// markGone marks the records that are no longer listed, after the last list. A
// doubtful list proves nothing.
func (l *listRun) markGone(ctx context.Context, allowShrink bool) error {
	if l.census == nil || l.run.State != store.Complete || !l.reader.whole || l.run.Remark != "" {
		return nil
	}
	l.census.doubtful = l.census.doubtful || l.reader.closing.Unclosed
	l.census.endList()
	if l.census.left--; l.census.left > 0 {
		return nil
	}
	l.census.compact()
	m := &marker{store: l.source.h.Store, client: l.source.client, run: l.run, mapper: l.mapper, saver: l.saver}
	_, err := m.markGone(ctx, &l.census.identifierSet, allowShrink)
	var own *storeError
	var shrink *ShrinkError
	switch {
	case err == nil:
	case errors.As(err, &own):
		return err
	case errors.As(err, &shrink):
		l.run.end(store.Incomplete, err.Error())
	default:
		l.run.end(store.Incomplete, fmt.Sprintf("all was read, but which records are gone could not be found out: %v", err))
	}
	return nil
}
