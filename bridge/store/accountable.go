package store

import (
	"context"
	"errors"
	"iter"
	"slices"
)

// Accountable yields all that a repository could have links for: its live
// objects, in ascending ID, and then, for each identifier that is only in
// quarantine, an object without any.
func Accountable(ctx context.Context, r Reader, repository string) iter.Seq2[Object, error] {
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

func unlinked(ctx context.Context, r Reader, repository string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		seen := map[string]bool{"": true} // what has no identifier is no object
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

// setsOf are those of a record that could not be mapped; none if it could not
// even be read.
func setsOf(ctx context.Context, r Reader, repository, identifier string) ([]string, error) {
	records, err := r.Records(ctx, repository, identifier)
	var sets []string
	for _, record := range records {
		sets = append(sets, record.Sets...)
	}
	slices.Sort(sets)
	return slices.Compact(sets), err
}
