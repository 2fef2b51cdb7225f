package store

import (
	"slices"
	"time"
)

// Standing is how a repository stands by its runs.
type Standing struct {
	Newest   Run       // the zero Run if there is none
	Worst    Run       // of the newest of each list, the one that went worst
	Before   Run       // while one is running, the worst before it; else the zero Run
	Lists    []Run     // the newest of each list, and of the sweeps of each format
	Failures int       // harvests in a row that failed
	Class    Class     // of the newest of them
	Complete time.Time // by which every list had been complete once; the zero time if one was not
}

// StandingOf judges runs, newest first, of the lists that are configured: of these
// formats and sets. No formats are any, no sets the whole repository.
func StandingOf(runs []Run, prefixes, sets []string) (s Standing) {
	if len(runs) == 0 {
		return s
	}
	s.Newest = runs[0]
	runs = settled(configured(runs, prefixes, sets))
	s.Lists = newestOfEach(runs)
	fails := FailingOf(runs)
	s.Worst, s.Complete, s.Failures, s.Class = worst(s.Lists), allComplete(runs), fails.Times, fails.Class
	if s.Worst.State == Running {
		if ended := newestOfEach(runs[1:]); len(ended) > 0 {
			s.Before = worst(ended)
		}
	}
	return s
}

// configured are the runs of lists that are still configured, and those that are
// under way or were of no list; all, if there are no others.
func configured(runs []Run, prefixes, sets []string) (out []Run) {
	lists := false
	for _, r := range runs {
		set := len(sets) == 0 && r.Set == "" || slices.Contains(sets, r.Set) || r.Sweep
		list := set && (len(prefixes) == 0 || slices.Contains(prefixes, r.Prefix))
		lists = lists || list
		if list || r.Prefix == "" || r.State == Running {
			out = append(out, r)
		}
	}
	if !lists {
		return runs
	}
	return out
}

// settled returns runs, newest first, in which a list that was read to its end is
// complete if a later sweep has found which of its records are gone.
func settled(runs []Run) []Run {
	swept := map[string]bool{} // by prefix
	out := slices.Clone(runs)
	for i, r := range out {
		switch {
		case r.Sweep && r.State == Complete:
			swept[r.Prefix] = true
		case swept[r.Prefix] && r.State == Incomplete && (r.Listed > 0 || r.Closed):
			out[i].State, out[i].Reason = Complete, ""
		}
	}
	return out
}

// newestOfEach returns the newest run of each list, newest first, and of the
// sweeps of each format. A run without a prefix belongs to no list: the repository
// did not answer, or it is a remap. It counts only if it is the newest and did not
// end complete.
func newestOfEach(runs []Run) []Run {
	type list struct {
		prefix, set string
		sweep       bool
	}
	seen := map[list]bool{}
	var out []Run
	for i, r := range runs {
		key := list{r.Prefix, r.Set, r.Sweep}
		if seen[key] || r.Prefix == "" && len(runs) > 1 && (i > 0 || r.State == Complete) {
			continue
		}
		seen[key] = true
		out = append(out, r)
	}
	if len(out) == 0 { // remaps alone
		return runs[:min(len(runs), 1)]
	}
	return out
}

// worst is the first of the runs that went worst. One that is running comes
// first: its result is still open.
func worst(runs []Run) Run {
	rank := map[State]int{Running: 4, Failed: 3, Incomplete: 2, Interrupted: 1}
	out := runs[0]
	for _, r := range runs[1:] {
		if rank[r.State] > rank[out.State] {
			out = r
		}
	}
	return out
}

// allComplete is the time at which the list that has waited longest was
// complete; zero if one was not within the runs.
func allComplete(runs []Run) (at time.Time) {
	var complete []Run
	for _, r := range runs {
		if r.State == Complete {
			complete = append(complete, r)
		}
	}
	newest := newestOfEach(complete)
	lists := newestOfEach(runs)
	if lists[0].Prefix == "" {
		lists = lists[1:]
	}
	if len(newest) < len(lists) || len(lists) == 0 {
		return time.Time{}
	}
	for _, r := range newest {
		if at.IsZero() || r.Finished.Before(at) {
			at = r.Finished
		}
	}
	return at
}
