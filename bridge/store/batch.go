package store

import (
	"context"
	"fmt"

	"fingerpost/bridge/store/engine"
)

// Batch is what one transaction saves: all of it or nothing.
type Batch struct {
	Records     []Record
	Objects     []Object // Save sets Repository, ID, Key, LastMod and Modified to what is stored
	Quarantined []Quarantined
	Probes      []Probe    // each in place of what is stored about its URL
	Visits      []Visit    // likewise
	Pages       *Pages     // how far the landing pages are read; nil leaves that alone
	Checkpoint  Checkpoint // saved unless its Prefix is ""
	Run         *Run       // updated in the same transaction; nil leaves runs alone
}

type saver struct{ *core }

// Save saves a batch in one transaction, and keeps nothing of its memory. A
// record replaces the one stored under its key, and ends the quarantine of that.
//
// An object replaces the one stored for its identifier. A deleted object keeps
// what it was, so that it can be cited. An object that is as it was, and whose
// records have the metadata they had, keeps Modified and LastMod: a repository
// that stamps every record with today's date does not make its objects new. An object ends the quarantine of its
// records that are stored and could not be mapped. Records that could not be
// read stay there until one can, or until Release.
//
// What the batch quarantines goes in last. It replaces an entry for the same
// identifier and format, and a nameless entry with the same bytes.
func (c saver) Save(ctx context.Context, repository string, b Batch) error {
	return c.save(ctx, repository, b, func(*saving) {})
}

func (c saver) save(ctx context.Context, repository string, b Batch, prepare func(*saving)) error {
	var s *saving
	err := c.engine.Update(ctx, repository, func(tx engine.Tx) error {
		s = &saving{core: c.core, tx: tx, repository: repository, now: c.now().UnixMicro()}
		prepare(s)
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
// written at the end: what stands in a batch twice is written once.
type saving struct {
	*core
	tx         engine.Tx
	repository string
	now        int64            // in microseconds
	copies     bool             // objects keep their Modified
	unmapped   map[string]int64 // so do these records, where it copies
	head       engine.Head
	formats    int // in which records may be offered that are not stored

	rows     *rowSet
	words    map[string]int64
	newWords []engine.Word
	packer   *packer
	plan     *plan
	run      int64

	found, lost []engine.URL
	memory      []byte // for a value
}

func (s *saving) save(ctx context.Context, b Batch) error {
	if err := s.begin(b); err != nil {
		return err
	}
	defer s.packer.close()
	for _, step := range []func(Batch) error{
		s.saveRecords, s.saveObjects, s.saveQuarantine, s.saveProbes, s.saveVisits, s.saveProgress, s.repack, s.write,
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

// begin reads what a batch is compared with.
func (s *saving) begin(b Batch) error {
	names := namesOf(b)
	head, found, err := s.tx.Head(hashesOf(names))
	if err != nil {
		return wrap(err, "look up objects")
	}
	s.head = head
	if s.rows, err = newRowSet(head.NextID, found, names); err != nil {
		return err
	}
	if s.formats, err = offeredFormats(head.Repository); err != nil {
		return err
	}
	if err := s.number(b); err != nil {
		return err
	}
	s.packer = newPacker(s.blocks, s.tx, head)
	s.plan, err = newPlan(s.tx, s.limits, head.LastPage, found)
	return err
}

// namesOf returns the identifiers in a batch, some more than once.
func namesOf(b Batch) []string {
	out := make([]string, 0, len(b.Records)+len(b.Objects)+len(b.Probes)+len(b.Visits))
	for i := range b.Records {
		out = append(out, clean(b.Records[i].Identifier))
	}
	for i := range b.Objects {
		out = append(out, clean(b.Objects[i].Identifier))
	}
	for i := range b.Probes {
		out = append(out, clean(b.Probes[i].Identifier))
	}
	for i := range b.Visits {
		out = append(out, clean(b.Visits[i].Identifier))
	}
	return out
}

// offeredFormats counts the formats that a repository is asked about beside
// those that are harvested: a Signmap may have a link in each.
func offeredFormats(document []byte) (int, error) {
	var r struct {
		Offered struct{ Of []struct{} }
	}
	if document == nil {
		return 0, nil
	}
	err := unmarshal(document, "repository", &r)
	return len(r.Offered.Of), err
}

// saveProgress saves how far the list was read and the state of its run, and
// how far the landing pages are read.
func (s *saving) saveProgress(b Batch) error {
	if b.Pages != nil {
		if err := putDocument(s.tx, engine.Pages, pagesName, b.Pages); err != nil {
			return wrap(err, "write how far the landing pages are read")
		}
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
	if err := s.tx.PutObjects(s.rows.written()); err != nil {
		return wrap(err, "write objects")
	}
	if err := s.tx.PutURLs(apart(inOrder(s.lost), inOrder(s.found))); err != nil {
		return wrap(err, "write the index of URLs")
	}
	return s.plan.write(s.tx)
}
