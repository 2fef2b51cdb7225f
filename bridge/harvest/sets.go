package harvest

import (
	"context"
	"fmt"
	"slices"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// explainSet names the sets of the repository if the list is empty because its set
// does not exist. Repositories answer with noRecordsMatch, as for an empty set, or
// with badArgument.
func (r *reader) explainSet(ctx context.Context) {
	if r.at.Set == "" || !r.fruitless() || r.refusal != nil {
		return
	}
	if sets, err := r.client.ListSets(ctx); err == nil {
		if why := unknownSet(r.at.Set, sets); why != "" {
			r.end(store.Incomplete, why)
		}
	}
}

// unknownSet is a sentence about a set that is not among sets; "" if it is.
func unknownSet(wanted string, sets []oaipmh.Set) string {
	if slices.ContainsFunc(sets, func(has oaipmh.Set) bool { return has.Spec == wanted }) {
		return ""
	}
	if len(sets) == 0 {
		return fmt.Sprintf("the repository lists no set %q, and no other: harvest without sets", wanted)
	}
	specs := make([]string, len(sets))
	for i, s := range sets {
		specs[i] = s.Spec
	}
	return fmt.Sprintf("the repository lists no set %q, but %s: is it spelt as ListSets has it?", wanted, some(specs))
}
