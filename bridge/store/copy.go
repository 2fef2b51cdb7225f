package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"fingerpost/bridge/store/engine"
)

// Copy copies what a store keeps of a repository into another store, such as
// one with another engine. Objects keep their clocks, and the order of their
// IDs. A copy that was interrupted goes on behind the last object that it has
// saved. told is called with the number of objects that were copied. The caller
// has locked the repository in both stores.
func Copy(ctx context.Context, from, to *DB, repository string, told func(objects int)) error {
	after, err := from.copiedTo(ctx, to, repository)
	if err != nil {
		return wrap(err, "find out what of %s is copied", repository)
	}
	for {
		p, err := from.portion(ctx, repository, after)
		if err != nil {
			return wrap(err, "read %s", repository)
		}
		if p.rows == 0 {
			break
		}
		if err := to.saveAs(ctx, repository, p); err != nil {
			return wrap(err, "copy %s", repository)
		}
		told(p.rows)
		after = p.last
	}
	if err := from.copyQuarantine(ctx, to, repository); err != nil {
		return wrap(err, "copy the quarantine of %s", repository)
	}
	return wrap(from.copyDocuments(ctx, to, repository), "copy the runs of %s", repository)
}

// Differ compares what two stores keep of a repository: the error names the
// first object in which they differ.
func Differ(ctx context.Context, a, b *DB, repository string, told func(objects int)) error {
	for afterA, afterB := int64(engine.Start), int64(engine.Start); ; {
		p, err := a.portion(ctx, repository, afterA)
		if err != nil {
			return wrap(err, "read %s", repository)
		}
		q, err := b.portion(ctx, repository, afterB)
		if err != nil {
			return wrap(err, "read %s", repository)
		}
		if err := p.differs(q); err != nil || p.rows == 0 {
			return wrap(err, "compare the copy of %s", repository)
		}
		told(p.rows)
		afterA, afterB = p.last, q.last
	}
}

// portion is what a store keeps of some objects, one after the other.
type portion struct {
	Batch
	rows     int
	last     int64            // ID
	unmapped map[string]int64 // Modified of the records that are no objects, by identifier
}

// portion reads the objects behind an ID: none at the end.
func (db *DB) portion(ctx context.Context, repository string, after int64) (p portion, err error) {
	err = db.engine.View(ctx, repository, func(rows engine.Rows) error {
		p = portion{unmapped: map[string]int64{}}
		found, err := rows.Scan(engine.Span{Order: engine.ByID, After: after, Limit: chunk}, engine.Published)
		if err != nil || len(found) == 0 {
			return err
		}
		p.rows, p.last = len(found), found[len(found)-1].ID
		objects, err := db.all(rows, repository, found)
		if err != nil {
			return err
		}
		var names []string
		for _, o := range objects {
			if names = append(names, o.row.Identifier); o.row.State == engine.Unmapped {
				p.unmapped[o.row.Identifier] = o.row.Modified
			} else {
				p.Objects = append(p.Objects, o.object)
			}
		}
		if p.Records, err = db.some(rows, repository, names); err != nil {
			return err
		}
		p.Probes, p.Visits, err = answersAbout(rows, p.Objects)
		return err
	})
	return p, err
}

// answersAbout returns what servers answered about the URLs of objects. What
// was asked for another object with the same URL is left to that.
func answersAbout(rows engine.Rows, objects []Object) (probes []Probe, visits []Visit, err error) {
	var hashes []int64
	own := map[int64]bool{}
	for i := range objects {
		own[objects[i].ID] = true
		for _, u := range objects[i].URLs() {
			hashes = append(hashes, hash64(clean(u)), visitHash(u))
		}
		for _, u := range objects[i].Unproven() {
			hashes = append(hashes, hash64(clean(u)))
		}
	}
	slices.Sort(hashes)
	found, err := rows.Probes(slices.Compact(hashes))
	if err != nil {
		return nil, nil, err
	}
	var asked, visited []engine.Probe
	for _, row := range found {
		switch {
		case !own[row.Object]:
		case row.Due == math.MaxInt64:
			visited = append(visited, row)
		default:
			asked = append(asked, row)
		}
	}
	if probes, err = readProbes(asked); err == nil {
		visits, err = readVisits(visited)
	}
	return probes, visits, err
}

// differs returns how two portions differ. IDs may.
func (p portion) differs(q portion) error {
	for i := range p.Objects {
		if i >= len(q.Objects) {
			return fmt.Errorf("%s is not there", p.Objects[i].Identifier)
		}
		o := q.Objects[i]
		o.ID = p.Objects[i].ID
		if !reflect.DeepEqual(o, p.Objects[i]) {
			return fmt.Errorf("%s differs", o.Identifier)
		}
	}
	for i := range p.Records {
		if i >= len(q.Records) || !reflect.DeepEqual(p.Records[i], q.Records[i]) {
			return fmt.Errorf("the record %s in %s differs", p.Records[i].Identifier, p.Records[i].Prefix)
		}
	}
	if p.rows != q.rows || len(p.Records) != len(q.Records) || !maps.Equal(p.unmapped, q.unmapped) {
		return fmt.Errorf("there are %d objects behind it instead of %d", q.rows, p.rows)
	}
	return nil
}

// copiedTo returns the ID of the last object that an earlier copy has saved.
func (db *DB) copiedTo(ctx context.Context, to *DB, repository string) (int64, error) {
	last := ""
	err := to.engine.View(ctx, repository, func(rows engine.Rows) error {
		t, err := rows.Totals()
		if err != nil || t.Last == 0 {
			return err
		}
		found, err := rows.ByID([]int64{t.Last}, 0)
		if err == nil && len(found) == 1 {
			last = found[0].Identifier
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return db.idOf(ctx, repository, last)
}

// saveAs is Save, but objects keep their clocks.
func (c saver) saveAs(ctx context.Context, repository string, p portion) error {
	return c.save(ctx, repository, p.Batch, func(s *saving) { s.copies, s.unmapped = true, p.unmapped })
}

// copyQuarantine copies the entries as they are. What an earlier copy has saved
// is replaced.
func (db *DB) copyQuarantine(ctx context.Context, to *DB, repository string) error {
	for after := int64(engine.Start); ; {
		var some []engine.Bad
		err := db.engine.View(ctx, repository, func(rows engine.Rows) (err error) {
			some, err = rows.Quarantine(after, chunk)
			return err
		})
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1].ID
		if err := to.engine.Update(ctx, repository, func(tx engine.Tx) error { return putBad(tx, some) }); err != nil {
			return err
		}
	}
}

func putBad(tx engine.Tx, some []engine.Bad) error {
	var hashes, ids []int64
	for _, b := range some {
		hashes = append(hashes, b.Hash)
	}
	there, err := tx.QuarantineByHash(hashes)
	if err != nil {
		return err
	}
	for _, b := range there {
		ids = append(ids, b.ID)
	}
	if err := tx.DropQuarantine(ids); err != nil {
		return err
	}
	return tx.PutQuarantine(some)
}

// copyDocuments copies what is known of a repository and of its runs.
func (db *DB) copyDocuments(ctx context.Context, to *DB, repository string) error {
	documents, saved := map[engine.Kind][]engine.Document{}, Repository{}
	err := db.engine.View(ctx, repository, func(rows engine.Rows) (err error) {
		for _, kind := range []engine.Kind{engine.Checkpoint, engine.Run} {
			if documents[kind], err = rows.Documents(kind, math.MaxInt32); err != nil {
				return err
			}
		}
		_, err = readDocument(rows, engine.Repository, repository, &saved)
		return err
	})
	if err != nil {
		return err
	}
	pages, err := db.Pages(ctx, repository)
	if err != nil {
		return err
	}
	pages.After = 0 // an ID, which is another there
	if saved.ID != "" {
		if err := to.SaveRepository(ctx, saved); err != nil {
			return err
		}
	}
	return to.engine.Update(ctx, repository, func(tx engine.Tx) error {
		if err := putDocument(tx, engine.Pages, pagesName, pages); err != nil {
			return err
		}
		for kind, list := range documents {
			for _, d := range list {
				if err := tx.PutDocument(kind, d); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// CopyRestraints copies what hosts have asked for.
func (db *DB) CopyRestraints(ctx context.Context, to *DB) error {
	list, err := db.Restraints(ctx)
	for _, r := range list {
		if err == nil {
			err = to.SaveRestraint(ctx, r)
		}
	}
	return err
}
