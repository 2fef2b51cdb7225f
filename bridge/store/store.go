// Package store keeps what is harvested: records as they were received, the
// objects made of them, and how far each harvest has come.
//
// A DB decides what is the same for every database: what counts as a change,
// which Signmap page an object is on, how metadata is packed, what ends a
// quarantine. Below it an engine.Engine keeps rows. Package storetest tests the
// contract of both.
package store

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"fingerpost/bridge/store/engine"
)

// DB is a store. Its methods may be called at the same time. Where the one
// thing asked for is not stored they return ErrNotFound, wrapped.
type DB struct {
	*core
	repositories
	restraints
	sources
	runs
	records
	objects
	signmaps
	quarantine
	probes
	saver
}

// core is what the parts of a DB share.
type core struct {
	engine engine.Engine
	now    func() time.Time
	limits Limits
	words  words
	blocks *blockCodec
}

// Option changes how a DB works.
type Option func(*core)

// Now sets the clock from which Object.Modified is taken.
func Now(now func() time.Time) Option { return func(c *core) { c.now = now } }

// SignmapLimits sets how large a Signmap page gets.
func SignmapLimits(l Limits) Option { return func(c *core) { c.limits = l } }

// New returns the store over an engine, which it closes when it is closed.
func New(e engine.Engine, options ...Option) (*DB, error) {
	blocks, err := newBlockCodec()
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	c := &core{engine: e, now: time.Now, limits: defaultLimits, blocks: blocks}
	for _, o := range options {
		o(c)
	}
	return &DB{c, repositories{c}, restraints{c}, sources{c}, runs{c}, records{c}, objects{c}, signmaps{c}, quarantine{c}, probes{c}, saver{c}}, nil
}

// Lock gives one run the repository, in this process or any other, until
// unlock is called or the process ends. It does not wait: *LockedError.
func (db *DB) Lock(ctx context.Context, repository string) (unlock func(), err error) {
	return db.engine.Lock(ctx, repository)
}

// Backup writes a copy that can be opened as it is, while runs go on.
func (db *DB) Backup(ctx context.Context, file string) error {
	b, ok := db.engine.(engine.Backuper)
	if !ok {
		return errors.New("this database is backed up with its own tools")
	}
	return b.Backup(ctx, file)
}

// Check looks for damage in the database: *DamagedError. It reads all of it,
// while runs go on.
func (db *DB) Check(ctx context.Context) error {
	if c, ok := db.engine.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}

// Close ends all work. It waits for a transaction under way.
func (db *DB) Close() error {
	db.blocks.close()
	return db.engine.Close()
}

// clean returns a text as every engine can keep it: valid UTF-8 without NUL.
// XML allows nothing else, but a text may come from elsewhere.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
