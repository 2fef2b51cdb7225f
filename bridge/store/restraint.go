package store

import (
	"context"
	"slices"

	"fingerpost/bridge/store/engine"
	"fingerpost/oaipmh"
)

type restraints struct{ *core }

// SaveRestraint saves what a host asks for, in place of what it asked for
// before.
func (s restraints) SaveRestraint(ctx context.Context, r oaipmh.Restraint) error {
	err := s.engine.Update(ctx, "", func(tx engine.Tx) error { return putDocument(tx, engine.Restraint, clean(r.Host), r) })
	return wrap(err, "save what the host %s asks for", r.Host)
}

// Restraints returns what hosts have asked for, by name.
func (s restraints) Restraints(ctx context.Context) (out []oaipmh.Restraint, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		out, err = readDocuments[oaipmh.Restraint](rows, engine.Restraint, everything)
		slices.Reverse(out)
		return err
	})
	return out, wrap(err, "read what hosts ask for")
}
