package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge/store/engine"
)

// Source is what is known at a glance of a source that is configured: when it is
// asked next, how its newest run ended, and its figures. All of it can be found out
// from what else is stored. Times are kept to the microsecond.
type Source struct {
	Repository string
	Host       string // that is asked, which may have other sources
	// Due is when the source is to be looked at: the zero time means now, Never that
	// nothing is scheduled. It may be too early, and is never too late.
	Due      time.Time
	Why      string    // it is due then
	Settings string    // a digest of what decides when it is due
	State    State     // of its newest run, the worst of its lists; "" before the first
	Reason   string    // for State
	Class    string    // of the failure, if State is one
	Failures int       // runs in a row that failed
	Began    time.Time // the newest run; the zero time before the first
	Complete time.Time // by which every list had been complete once; the zero time before

	Objects, Deleted, Quarantined int // as Counts
}

// Never is the Due of a source of which nothing is scheduled.
var Never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// SourceQuery chooses sources and their order.
type SourceQuery struct {
	Match      string     // a part of Repository or Host; case makes no difference
	States     []State    // any of these; none: all
	Failing    bool       // with Failures alone
	Sort       SourceSort // ByRepository if it is ""
	Descending bool
	Offset     int
	Limit      int // 0: no row, only the total
}

// SourceSort is a column that sources are sorted by.
type SourceSort string

// The columns. Sources that do not differ in them are sorted by repository.
const (
	ByRepository  SourceSort = "repository"
	ByHost        SourceSort = "host"
	ByState       SourceSort = "state"
	ByDue         SourceSort = "due"
	ByBegan       SourceSort = "began"
	ByComplete    SourceSort = "complete"
	ByObjects     SourceSort = "objects"
	ByDeleted     SourceSort = "deleted"
	ByQuarantined SourceSort = "quarantined"
	ByFailures    SourceSort = "failures"
	ByTrouble     SourceSort = "trouble" // descending: the worst first
)

// SourceSorts are all columns that sources are sorted by.
var SourceSorts = []SourceSort{ByRepository, ByHost, ByState, ByDue, ByBegan, ByComplete, ByObjects, ByDeleted, ByQuarantined, ByFailures, ByTrouble}

// SourceTotals adds up all sources.
type SourceTotals struct {
	Sources     int
	ByState     map[State]int
	Failing     int            // with Failures
	ByClass     map[string]int // of these
	Unharvested int            // without Complete

	Objects, Deleted, Quarantined int
}

// DueHost is a host and when the first of its sources is due.
type DueHost struct {
	Host string
	Due  time.Time
}

type sources struct{ *core }

// SyncSources makes the sources those that are configured, of which Repository,
// Host and Settings are given. A source that is new, or has other Settings, is due
// at once. The rest of what is known of a source stays.
func (s sources) SyncSources(ctx context.Context, configured []Source) error {
	err := s.engine.Update(ctx, "", func(tx engine.Tx) error {
		there, err := tx.AllSources()
		if err != nil {
			return err
		}
		had := make(map[string]int, len(there)) // index in there, which is large
		for i := range there {
			had[there[i].Repository] = i
		}
		var added []engine.Source
		for _, c := range configured {
			row := engine.Source{Repository: clean(c.Repository), Host: clean(c.Host), Settings: clean(c.Settings)}
			if i, ok := had[row.Repository]; !ok || there[i] != row {
				added = append(added, row)
			}
			delete(had, row.Repository)
		}
		gone := make([]string, 0, len(had))
		for name := range had {
			gone = append(gone, name)
		}
		if err := tx.DropSources(gone); err != nil {
			return err
		}
		return tx.AddSources(added)
	})
	return wrap(err, "save which sources are configured")
}

// SaveSource saves what is known of a source. It does nothing if the source is not
// configured, or has got other Settings: somebody else looks at it then.
func (s sources) SaveSource(ctx context.Context, source Source) error {
	err := s.engine.Update(ctx, source.Repository, func(tx engine.Tx) error { return tx.SetSource(source.row()) })
	return wrap(err, "save when %s is due", source.Repository)
}

// LookAt makes a source due now: something happened that may bring its date
// forward. The repository need not be a source.
func (s sources) LookAt(ctx context.Context, repository string) error {
	err := s.engine.Update(ctx, repository, func(tx engine.Tx) error { return tx.LookAt(clean(repository), "") })
	return wrap(err, "have %s looked at", repository)
}

// LookAtHost makes all sources of a host due now.
func (s sources) LookAtHost(ctx context.Context, host string) error {
	err := s.engine.Update(ctx, "", func(tx engine.Tx) error { return tx.LookAt("", clean(host)) })
	return wrap(err, "have the sources of %s looked at", host)
}

// Source returns that of a repository.
func (s sources) Source(ctx context.Context, repository string) (found Source, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		row, err := rows.Source(clean(repository))
		if err == nil && row == (engine.Source{}) {
			err = ErrNotFound
		}
		found = sourceOf(row)
		return err
	})
	return found, wrap(err, "read when %s is due", repository)
}

// Sources returns the sources that a query chooses, from Offset on up to Limit, and
// how many there are without these.
func (s sources) Sources(ctx context.Context, q SourceQuery) (out []Source, total int, err error) {
	asked := engine.SourceQuery{
		Match: strings.ToLower(clean(q.Match)), Failing: q.Failing, Sort: string(cmp.Or(q.Sort, ByRepository)),
		Descending: q.Descending, Offset: max(q.Offset, 0), Limit: max(q.Limit, 0),
	}
	if !slices.Contains(SourceSorts, SourceSort(asked.Sort)) {
		asked.Sort = string(ByRepository)
	}
	if q.Sort == ByTrouble {
		asked.Sort = engine.Trouble
	}
	for _, state := range q.States {
		asked.States = append(asked.States, clean(string(state)))
	}
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		if total, err = rows.CountSources(asked); err != nil {
			return err
		}
		out, err = sourcesOf(rows.Sources(asked))
		return err
	})
	return out, total, wrap(err, "read the sources")
}

// SourceTotals adds up all sources.
func (s sources) SourceTotals(ctx context.Context) (t SourceTotals, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		list, err := rows.SourceTotals()
		t = SourceTotals{ByState: map[State]int{}, ByClass: map[string]int{}}
		for _, row := range list {
			t.ByState[State(row.State)] += int(row.Sources)
			if row.Failing > 0 {
				t.ByClass[row.Class] += int(row.Failing)
			}
			t.Sources += int(row.Sources)
			t.Failing += int(row.Failing)
			t.Unharvested += int(row.Unread)
			t.Objects += int(row.Objects)
			t.Deleted += int(row.Deleted)
			t.Quarantined += int(row.Quarantined)
		}
		return err
	})
	return t, wrap(err, "add up the sources")
}

// DueHosts returns the hosts with a source that is due before a time, by that
// time.
func (s sources) DueHosts(ctx context.Context, before time.Time) (out []DueHost, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		found, err := rows.DueHosts(micros(before))
		out = nil
		for _, h := range found {
			out = append(out, DueHost{h.Host, timeOf(h.Due)})
		}
		return err
	})
	return out, wrap(err, "read which hosts are due")
}

// DueSources returns up to n sources of a host that are due before a time, by that
// time.
func (s sources) DueSources(ctx context.Context, host string, before time.Time, n int) (out []Source, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		out, err = sourcesOf(rows.DueSources(clean(host), micros(before), n))
		return err
	})
	return out, wrap(err, "read which sources of %s are due", host)
}

func sourcesOf(rows []engine.Source, err error) (out []Source, _ error) {
	for _, row := range rows {
		out = append(out, sourceOf(row))
	}
	return out, err
}

// reasonSize bounds the reason of a source: a list shows one line of it, and the
// run has it whole.
const reasonSize = 500

func (s Source) row() engine.Source {
	return engine.Source{
		Repository: clean(s.Repository), Host: clean(s.Host), Due: micros(s.Due), Why: clean(s.Why), Settings: clean(s.Settings),
		State: string(s.State), Class: clean(s.Class), Reason: clean(s.Reason[:min(len(s.Reason), reasonSize)]), Failures: int64(s.Failures),
		Began: micros(s.Began), Complete: micros(s.Complete),
		Objects: int64(s.Objects), Deleted: int64(s.Deleted), Quarantined: int64(s.Quarantined),
	}
}

func sourceOf(row engine.Source) Source {
	return Source{
		Repository: row.Repository, Host: row.Host, Due: timeOf(row.Due), Why: row.Why, Settings: row.Settings,
		State: State(row.State), Class: row.Class, Reason: row.Reason, Failures: int(row.Failures),
		Began: timeOf(row.Began), Complete: timeOf(row.Complete),
		Objects: int(row.Objects), Deleted: int(row.Deleted), Quarantined: int(row.Quarantined),
	}
}

// micros is a time in microseconds since 1970, 0 for the zero time and all before
// 1970.
func micros(t time.Time) int64 { return max(t.UnixMicro(), 0) }

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
