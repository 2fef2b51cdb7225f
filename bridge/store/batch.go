package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// Batch is what one transaction saves: all of it or nothing.
type Batch struct {
	Records     []Record
	Objects     []Object // Save sets Repository, ID, Key, LastMod and Modified to what is stored
	Quarantined []Quarantined
	Probes      []Probe    // each in place of what is stored about its URL
	Checkpoint  Checkpoint // saved unless its Prefix is ""
	Run         *Run       // updated in the same transaction; nil leaves runs alone
}

type saver struct{ *core }

// Save saves a batch in one transaction, and keeps nothing of its memory. A
// record replaces the one stored under its key, and takes it out of
// quarantine.
//
// An object replaces the one stored for its identifier. One that is deleted
// keeps what it was, so that it can be cited. One that is as it was keeps
// Modified and LastMod: a repository that stamps every record with today's
// date does not make its objects new. An object takes its records out of
// quarantine where they were stored and only their mapping failed; what could
// not be read waits for a record that can, or for Release.
//
// What the batch quarantines goes in last, in place of an entry for the same
// identifier and format; of nameless entries those with the same bytes are one.
func (c saver) Save(ctx context.Context, repository string, b Batch) error {
	var s *saving
	err := c.engine.Update(ctx, repository, func(tx engine.Tx) error {
		s = &saving{core: c.core, tx: tx, repository: repository, now: c.now().UnixMicro()}
		return s.save(ctx, b)
	})
	if err != nil {
		return fmt.Errorf("save a batch of %s: %w", repository, err)
	}
	c.words.learn(repository, s.newWords)
	for i := range b.Objects {
		s.tell(&b.Objects[i])
	}
	if b.Run != nil {
		b.Run.ID = s.run
	}
	return nil
}

// saving is one transaction. Rows are read first, changed in memory, and
// written at the end, so that what stands in a batch twice is written once.
type saving struct {
	*core
	tx         engine.Tx
	repository string
	now        int64 // microseconds
	head       engine.Head
	formats    int // in which records may be offered that are not stored

	rows     map[string]*row // by identifier
	byID     map[int64]*row  // rows, and those of which metadata is packed anew
	added    []*engine.Object
	words    map[string]int64
	newWords []engine.Word
	packer   *packer
	plan     *plan
	run      int64

	found, lost []engine.URL
	memory      []byte // for a value
}

// row is an object as it will be written.
type row struct {
	engine.Object
	records []recordRow
	fresh   bool // it is not there yet
	changed bool // in more than records
	moved   bool // its records are not those in Object.Records
}

func (s *saving) save(ctx context.Context, b Batch) error {
	if err := s.begin(b); err != nil {
		return err
	}
	defer s.packer.close()
	for _, step := range []func(Batch) error{
		s.saveRecords, s.saveObjects, s.saveQuarantine, s.saveProgress, s.repack, s.write,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(b); err != nil {
			return err
		}
	}
	return nil
}

// begin reads the rows that a batch names, and makes those that are missing.
func (s *saving) begin(b Batch) error {
	names := namesOf(b)
	head, found, err := s.tx.Head(hashesOf(names))
	if err != nil {
		return wrap(err, "look up objects")
	}
	s.head, s.rows, s.byID = head, make(map[string]*row, len(names)), make(map[int64]*row, len(names))
	if err := s.keep(found); err != nil {
		return err
	}
	for _, name := range names {
		if s.rows[name] == nil {
			s.add(name)
		}
	}
	if s.formats, err = offered(head.Repository); err != nil {
		return err
	}
	if err := s.number(b); err != nil {
		return err
	}
	s.packer = newPacker(s.blocks, s.tx, head)
	s.plan, err = newPlan(s.tx, s.limits, head.LastPage, found)
	return err
}

// namesOf are the identifiers in a batch, some more than once.
func namesOf(b Batch) []string {
	out := make([]string, 0, len(b.Records)+len(b.Objects)+len(b.Probes))
	for i := range b.Records {
		out = append(out, clean(b.Records[i].Identifier))
	}
	for i := range b.Objects {
		out = append(out, clean(b.Objects[i].Identifier))
	}
	for i := range b.Probes {
		out = append(out, clean(b.Probes[i].Identifier))
	}
	return out
}

// keep takes in rows that were read.
func (s *saving) keep(found []*engine.Object) error {
	for _, o := range found {
		records, err := readRecords(o.Records)
		if err != nil {
			return wrap(err, "look up %s", o.Identifier)
		}
		r := &row{Object: *o, records: records}
		s.rows[o.Identifier], s.byID[o.ID] = r, r
	}
	return nil
}

func (s *saving) add(identifier string) {
	r := &row{Object: engine.Object{ID: s.head.NextID, Key: hash64(identifier), Identifier: identifier, LastMod: noTime}, fresh: true}
	s.head.NextID++
	s.rows[identifier], s.byID[r.ID] = r, r
	s.added = append(s.added, &r.Object)
}

func (s *saving) row(identifier string) *row { return s.rows[clean(identifier)] }

// offered is how many formats a repository is asked about beside those that
// are harvested: a Signmap may have a link in each.
func offered(document []byte) (int, error) {
	var r struct {
		Offered struct{ Of []struct{} }
	}
	if document == nil {
		return 0, nil
	}
	err := unmarshal(document, "repository", &r)
	return len(r.Offered.Of), err
}

// number gives every word of a batch its number.
func (s *saving) number(b Batch) (err error) {
	texts := map[string]bool{}
	add := func(list ...string) {
		for _, text := range list {
			texts[clean(text)] = true
		}
	}
	for i := range b.Records {
		add(b.Records[i].Prefix)
		add(b.Records[i].Sets...)
	}
	for i := range b.Objects {
		add(b.Objects[i].Prefixes...)
		add(b.Objects[i].Sets...)
	}
	list := make([]string, 0, len(texts))
	for text := range texts {
		list = append(list, text)
	}
	slices.Sort(list)
	if s.words, err = s.core.words.find(s.tx, s.repository, list...); err != nil {
		return wrap(err, "look up words")
	}
	for _, text := range list {
		if _, known := s.words[text]; !known {
			s.words[text] = s.head.NextWord
			s.newWords = append(s.newWords, engine.Word{ID: s.head.NextWord, Text: text})
			s.head.NextWord++
		}
	}
	return nil
}

// list returns texts as a list of words.
func (s *saving) list(texts []string) []byte {
	list := make([]byte, 0, 2*len(texts))
	for _, text := range texts {
		list = appendWord(list, s.words[clean(text)])
	}
	return list
}

func (s *saving) saveObjects(b Batch) error {
	for i := range b.Objects {
		if err := s.saveObject(&b.Objects[i]); err != nil {
			return wrap(err, "save object %s", b.Objects[i].Identifier)
		}
	}
	return nil
}

func (s *saving) saveObject(o *Object) error {
	r := s.row(o.Identifier)
	was, is := &r.Object, r.Object
	is.State, is.LastMod = engine.Live, o.LastMod.Unix()
	if o.Deleted {
		is.State = engine.Deleted
	}
	is.Prefixes, is.Sets = s.list(sorted(o.Prefixes)), s.list(sorted(o.Sets))
	object, err := s.value(&is, &o.Object)
	if err != nil || same(was, &is) {
		return err
	}
	s.head.Clock = max(s.now, s.head.Clock+1)
	is.Modified = s.head.Clock
	is.Weight = weigh(is.Identifier, object, len(o.Prefixes)+s.formats)
	if err := s.index(was, &is, object); err != nil {
		return err
	}
	s.plan.move(was, &is)
	r.Object, r.changed = is, true
	return nil
}

// value sets a row's value and returns it as an object. A deleted object
// keeps what it was.
func (s *saving) value(is *engine.Object, o *bridge.Object) (*bridge.Object, error) {
	if is.State == engine.Deleted && len(is.Value) > 0 {
		return objectValues.decode(is.Value)
	}
	s.memory = objectValues.encode(s.memory[:0], o)
	if !bytes.Equal(s.memory, is.Value) {
		is.Value = bytes.Clone(s.memory)
	}
	return o, nil
}

// same reports whether two rows are published in the same way. When their
// records are dated is no difference: some repositories date every record today.
func same(was, is *engine.Object) bool {
	return was.State == is.State && bytes.Equal(was.Value, is.Value) &&
		bytes.Equal(was.Prefixes, is.Prefixes) && bytes.Equal(was.Sets, is.Sets)
}

// sorted is a list in order, each text once.
func sorted(texts []string) []string {
	for i := 1; i < len(texts); i++ {
		if texts[i-1] >= texts[i] {
			return slices.Compact(slices.Sorted(slices.Values(texts)))
		}
	}
	return texts
}

// tell sets in an object what is stored of it.
func (s *saving) tell(o *Object) {
	r := s.row(o.Identifier)
	o.Repository, o.ID, o.Key = s.repository, r.ID, KeyOf(r.Identifier)
	o.LastMod, o.Modified = time.Unix(r.LastMod, 0).UTC(), r.Modified
}

// noTime is the zero time in seconds since 1970.
var noTime = time.Time{}.Unix()

// saveProgress saves how far the list was read and the state of its run, and
// what was answered about URLs.
func (s *saving) saveProgress(b Batch) error {
	if err := s.saveProbes(b.Probes); err != nil {
		return err
	}
	if b.Checkpoint.Prefix != "" {
		if err := putCheckpoint(s.tx, s.repository, b.Checkpoint); err != nil {
			return wrap(err, "write a checkpoint")
		}
	}
	if b.Run == nil {
		return nil
	}
	run := *b.Run
	err := putRun(s.tx, &run)
	s.run = run.ID
	return wrap(err, "write the run")
}

// write writes every row that was made or changed.
func (s *saving) write(Batch) error {
	if err := s.tx.PutWords(s.newWords); err != nil {
		return wrap(err, "write words")
	}
	var changed, recorded []*engine.Object
	for _, r := range s.byID {
		if r.moved {
			r.Records = appendRecords(make([]byte, 0, 64*len(r.records)), r.records)
		}
		switch {
		case r.fresh:
		case r.changed:
			changed = append(changed, &r.Object)
		case r.moved: // no index has anything to do with it
			recorded = append(recorded, &r.Object)
		}
	}
	slices.SortFunc(changed, byID)
	slices.SortFunc(recorded, byID)
	if err := s.tx.PutObjects(s.added, changed, recorded); err != nil {
		return wrap(err, "write objects")
	}
	if err := s.tx.PutURLs(apart(inOrder(s.lost), inOrder(s.found))); err != nil {
		return wrap(err, "write the index of URLs")
	}
	return s.plan.write(s.tx)
}

func byID(a, b *engine.Object) int { return cmp.Compare(a.ID, b.ID) }
