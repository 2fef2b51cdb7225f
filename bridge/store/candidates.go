package store

import (
	"context"
	"errors"
	"iter"
	"slices"
)

// CandidateSource is what Candidates reads.
type CandidateSource interface {
	Objects(ctx context.Context, repository string, after int64) iter.Seq2[Object, error]
	Quarantined(ctx context.Context, repository string) iter.Seq2[Quarantined, error]
	ByIdentifier(ctx context.Context, repository, identifier string) (Object, error)
	Records(ctx context.Context, repository string, identifiers ...string) ([]Record, error)
}

// Candidates yields all that could have links in a repository: its live
// objects, in ascending ID, and then, for each identifier that is in quarantine
// alone, an object without links.
func Candidates(ctx context.Context, r CandidateSource, repository string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for o, err := range r.Objects(ctx, repository, 0) {
			if err == nil && o.Deleted {
				continue
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
		for o, err := range unlinked(ctx, r, repository) {
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

func unlinked(ctx context.Context, r CandidateSource, repository string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		seen := map[string]bool{"": true} // an object has an identifier
		for q, err := range r.Quarantined(ctx, repository) {
			if err != nil {
				yield(Object{}, err)
				return
			}
			if seen[q.Identifier] {
				continue
			}
			seen[q.Identifier] = true
			_, err := r.ByIdentifier(ctx, repository, q.Identifier)
			if err == nil {
				continue
			}
			o := Object{Repository: repository, Identifier: q.Identifier}
			if errors.Is(err, ErrNotFound) {
				o.Sets, err = setsOf(ctx, r, repository, q.Identifier)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// setsOf returns the sets of a record that could not be mapped; none if it could
// not even be read.
func setsOf(ctx context.Context, r CandidateSource, repository, identifier string) ([]string, error) {
	records, err := r.Records(ctx, repository, identifier)
	var sets []string
	for _, record := range records {
		sets = append(sets, record.Sets...)
	}
	slices.Sort(sets)
	return slices.Compact(sets), err
}
