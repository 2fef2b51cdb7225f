package store

import "time"

// Failing is how a source has failed in its newest harvests; the zero Failing if
// it has not.
type Failing struct {
	Class Class     // of the newest
	Times int       // harvests in a row
	Since time.Time // the start of the first of them
	Last  time.Time // the end of the newest
}

// FailingOf looks at the runs of a repository, newest first. The lists of one
// harvest that failed are one failure. A list that was read, wholly or in part, ends
// the row; a run that was stopped, a sweep and a remap say nothing.
func FailingOf(runs []Run) (f Failing) {
	lists := map[[2]string]bool{} // of one harvest
	for _, r := range runs {
		list := [2]string{r.Prefix, r.Set}
		switch {
		case r.Sweep || r.State == Running || r.State == Interrupted || r.Prefix == "" && r.State != Failed:
			continue
		case r.State != Failed:
			return f
		case f.Times == 0:
			f.Class, f.Last, f.Times = r.Class, r.ended(), 1
		case r.Prefix == "" || lists[list] || lists[[2]string{}]:
			f.Times++
			clear(lists)
		}
		lists[list] = true
		f.Since = r.Started
	}
	return f
}

// ended is the end of a run, or its start if the end is unknown.
func (r Run) ended() time.Time {
	if r.Finished.IsZero() {
		return r.Started
	}
	return r.Finished
}
