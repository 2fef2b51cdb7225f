package engine

// Source is a row of the sources that are configured. Times are in microseconds
// since 1970; 0 is the zero time.
type Source struct {
	Repository, Host              string
	Due                           int64
	Why, Settings                 string
	State, Class, Reason          string
	Failures                      int64
	Began, Complete               int64
	Objects, Deleted, Quarantined int64
}

// SourceQuery chooses sources and their order.
type SourceQuery struct {
	Match      string   // in Repository or Host, in lower case
	States     []string // nil: any
	Failing    bool     // with Failures alone
	Sort       string   // a column, or Trouble; the next one is repository
	Descending bool
	Offset     int
	Limit      int
}

// Trouble is what sources are sorted by so that those in which something is wrong
// come last: how their newest run ended, then how often they failed, then the share
// of their records in quarantine.
const Trouble = `CASE state WHEN 'failed' THEN 3000000000 WHEN 'incomplete' THEN 2000000000 WHEN 'interrupted' THEN 1000000000 ELSE 0 END
	+ failures * 1000 + quarantined * 999 / (objects + quarantined + 1)`

// SourceTotal adds up the sources in a state and with a class of failures.
type SourceTotal struct {
	State, Class                  string
	Sources, Failing, Unread      int64 // Unread: without Complete
	Objects, Deleted, Quarantined int64
}

// DueHost is a host and when the first of its sources is due.
type DueHost struct {
	Host string
	Due  int64
}

// SourceRows reads the sources. They belong to no repository.
type SourceRows interface {
	// Sources returns those that a query chooses.
	Sources(q SourceQuery) ([]Source, error)
	CountSources(q SourceQuery) (int, error)
	SourceTotals() ([]SourceTotal, error)
	// DueHosts returns the hosts with a source that is due before a time, by that
	// time.
	DueHosts(before int64) ([]DueHost, error)
	// DueSources returns up to n sources of a host that are due before a time, by
	// that time.
	DueSources(host string, before int64, n int) ([]Source, error)
	// Source returns that of a repository; the zero Source if there is none.
	Source(repository string) (Source, error)
	// AllSources returns Repository, Host and Settings of all, in no order.
	AllSources() ([]Source, error)
}

// SourceTx writes the sources.
type SourceTx interface {
	// AddSources adds rows. Of those that are there it changes Host, Settings and
	// Due alone.
	AddSources(list []Source) error
	// SetSource replaces the row of a repository if there is one with the same
	// Settings.
	SetSource(s Source) error
	// LookAt sets Due to 0 of the source of a repository, and of those of a host.
	LookAt(repository, host string) error
	DropSources(repositories []string) error
}
