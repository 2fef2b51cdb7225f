// Package engine defines what a store needs of a database: transactions over
// rows. An engine decides nothing. What rows mean and when they change is
// decided once, in bridge/store, for every engine.
//
// IDs of objects, words and blocks are unique within a repository and ascend.
// Texts are valid UTF-8 without NUL. They may be long: index their hashes. An
// engine keeps no memory that a method was called with beyond the transaction,
// and the bytes of PutBlock not beyond the call.
package engine

import "context"

// Engine is a database. Its methods may be called at the same time.
type Engine interface {
	// View calls f with one state of the database, which lasts until f
	// returns. It may call f again, for a passing reason or to get such a state.
	View(ctx context.Context, repository string, f func(Rows) error) error
	// Update calls f in a transaction: all that f does is saved, or nothing.
	// There is one Update of a repository at a time. If a transaction fails for
	// a passing reason, the engine may call f again.
	Update(ctx context.Context, repository string, f func(Tx) error) error
	// Lock locks a repository until unlock is called or the process ends. It
	// does not wait: *store.LockedError.
	Lock(ctx context.Context, repository string) (unlock func(), err error)
	Close() error
}

// Backuper is an Engine that can write a copy of its database to a file.
type Backuper interface {
	Backup(ctx context.Context, file string) error
}

// Checker is an Engine that can look for damage in its database:
// *store.DamagedError.
type Checker interface {
	Check(ctx context.Context) error
}

// Rows reads the rows of one repository. To find nothing is no error.
type Rows interface {
	// Totals adds up the pages of the Signmap: there may be millions of objects.
	Totals() (Totals, error)
	// Clock is the newest Object.Modified.
	Clock() (int64, error)
	// Clocks returns those of all repositories with a name, in no order.
	Clocks() ([]Clock, error)

	// ByKey returns the objects with these keys, in no order.
	ByKey(keys []int64, columns Columns) ([]*Object, error)
	// ByID returns the objects with these IDs, in no order.
	ByID(ids []int64, columns Columns) ([]*Object, error)
	// Near returns the objects with these IDs or the next greater ones, each
	// once, by ID.
	Near(ids []int64, columns Columns) ([]*Object, error)
	// Scan returns objects in an order.
	Scan(span Span, columns Columns) ([]*Object, error)
	// ByURL returns up to n objects that a URL with this hash finds, by rank: in
	// all repositories, or in those that are named.
	ByURL(hash int64, in []string, n int) ([]Found, error)
	// Locations returns up to n places, in all repositories, of objects with
	// these keys.
	Locations(keys []int64, n int) ([]Location, error)

	// Blocks calls f with the bytes of each of these blocks, which are valid
	// until f returns. f does not use the engine.
	Blocks(ids []int64, f func(id int64, bytes []byte) error) error
	Words(ids []int64) ([]Word, error)
	WordsByText(texts []string) ([]Word, error)
	// WordsAfter returns up to n words with a greater ID, by ID.
	WordsAfter(id int64, n int) ([]Word, error)
	// Pages returns the Signmap pages with these numbers, all for nil, in
	// ascending order.
	Pages(numbers []int64) ([]Page, error)

	// Quarantine returns up to n entries with a greater ID, by ID, but ends
	// early when they have a few MiB.
	Quarantine(after int64, n int) ([]Bad, error)
	// QuarantineByHash returns entries without Reason, Page and Bytes.
	QuarantineByHash(hashes []int64) ([]Bad, error)
	Probes(hashes []int64) ([]Probe, error)
	// DueProbes returns up to n that are due before a time, by time.
	DueProbes(before int64, n int) ([]Probe, error)

	// Document returns the value of a document; nil if there is none.
	Document(kind Kind, name string) ([]byte, error)
	// Documents returns up to n documents, the last by name first.
	Documents(kind Kind, n int) ([]Document, error)

	SourceRows
}

// Tx reads and writes the rows of one repository.
type Tx interface {
	Rows
	// Head returns what a transaction reads first, in one request: where new
	// rows go, and the objects with these keys, with all columns, in no order.
	Head(keys []int64) (Head, []*Object, error)

	// PutObjects adds rows, replaces rows, and replaces in rows the column
	// Records alone.
	PutObjects(added, changed, recorded []*Object) error
	// PutURLs removes rows, then adds rows, some of which may be there already.
	PutURLs(lost, found []URL) error
	PutWords(added []Word) error
	// PutPages adds or replaces rows.
	PutPages(pages []Page) error

	PutBlock(b Block, bytes []byte) error
	// FreeBlocks subtracts from Live of the blocks that are there, and returns
	// them as they are then.
	FreeBlocks(freed map[int64]int) ([]Block, error)
	DropBlocks(ids []int64) error

	PutQuarantine(added []Bad) error
	DropQuarantine(ids []int64) error
	// DropUnread removes older entries in one format whose record is not stored.
	// It returns their number.
	DropUnread(prefix string, before int64) (int, error)
	// PutProbes adds or replaces rows, by Hash.
	PutProbes(probes []Probe) error
	// PutDocument adds or replaces one, and counts its versions.
	PutDocument(kind Kind, d Document) error

	SourceTx
}
