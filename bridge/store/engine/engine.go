// Package engine is what a database must offer to keep a store: transactions
// over rows. It decides nothing. What a row means, and what happens to it, is
// said once, in bridge/store, above every engine.
//
// Numbers of rows (ID, Block.ID, Word.ID) are unique within a repository and
// ascend. Texts are valid UTF-8 without NUL, and may be long: an index over
// them has to be one over their hashes. Memory that an engine is given is the
// caller's again when the method has returned; so is memory that it returns.
package engine

import "context"

// Engine is a database. Its methods may be called at the same time.
type Engine interface {
	// View calls f with one state of the database, which lasts until f
	// returns.
	View(ctx context.Context, repository string, f func(Rows) error) error
	// Update calls f in a transaction: everything f does is saved, or nothing.
	// No other Update of the repository happens meanwhile. Where a
	// transaction fails for a passing reason, an engine may call f again.
	Update(ctx context.Context, repository string, f func(Tx) error) error
	// Lock gives the repository to one run until it calls unlock or its
	// process ends. It does not wait: *store.LockedError.
	Lock(ctx context.Context, repository string) (unlock func(), err error)
	Close() error
}

// Backuper is an Engine that can write a copy of its database to a file.
type Backuper interface {
	Backup(ctx context.Context, file string) error
}

// Checker is an Engine that can look for damage in its database, which is a
// *store.DamagedError.
type Checker interface {
	Check(ctx context.Context) error
}

// Rows reads the rows of one repository. Where nothing is found, methods
// return nothing and no error.
type Rows interface {
	// Totals counts by pages of the Signmap, not by objects.
	Totals() (Totals, error)
	// Clock is the newest Object.Modified.
	Clock() (int64, error)

	// ByKey returns the objects with these keys, in no order.
	ByKey(keys []int64, columns Columns) ([]*Object, error)
	// ByID returns the objects with these IDs, in no order.
	ByID(ids []int64, columns Columns) ([]*Object, error)
	// Near returns the objects with these IDs or the next greater ones, each
	// once, by ID.
	Near(ids []int64, columns Columns) ([]*Object, error)
	// Scan returns objects in an order.
	Scan(span Span, columns Columns) ([]*Object, error)
	// ByURL returns the objects that a URL with this hash finds, in all
	// repositories, by rank, then by ID.
	ByURL(hash int64) ([]Found, error)

	// Blocks calls f with the bytes of each of these blocks, which are f's
	// until it returns.
	Blocks(ids []int64, f func(id int64, bytes []byte) error) error
	Words(ids []int64) ([]Word, error)
	WordsByText(texts []string) ([]Word, error)
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
}

// Tx reads and writes the rows of one repository.
type Tx interface {
	Rows
	// Head returns where new rows go and the objects with these keys, with all
	// columns, in no order: what a transaction reads first, in one request.
	Head(keys []int64) (Head, []*Object, error)

	// PutObjects adds rows, replaces rows, and replaces in rows the column
	// Records alone.
	PutObjects(added, changed, recorded []*Object) error
	// PutURLs removes rows, then adds rows, which may be there already.
	PutURLs(lost, found []URL) error
	PutWords(added []Word) error
	// PutPages adds or replaces rows.
	PutPages(pages []Page) error

	PutBlock(b Block, bytes []byte) error
	// FreeBlocks takes from Live of blocks and returns them as they are then;
	// blocks that are not there are left out.
	FreeBlocks(freed map[int64]int) ([]Block, error)
	DropBlocks(ids []int64) error

	PutQuarantine(added []Bad) error
	DropQuarantine(ids []int64) error
	// DropUnread removes the entries in one format that are older and of which
	// no record is stored. It returns their number.
	DropUnread(prefix string, before int64) (int, error)
	// PutProbes adds or replaces rows, by Hash.
	PutProbes(probes []Probe) error
	// PutDocument adds or replaces one.
	PutDocument(kind Kind, d Document) error
}
