package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"fingerpost/bridge/store"
	"fingerpost/server/answers"
)

// prepared is the file of answers in use, and what changed since it was made.
type prepared struct {
	*answers.File
	name string // of the file
	edition
	phrases []*s2.Dict // of the repositories
	recent  recent
}

// mostRuns is after how many runs of a repository a file is made anew, even if
// they changed little: a year of daily ones.
const mostRuns = 366

// edition says what a file of answers was made from.
type edition struct {
	Program      string // that made it
	Objects      int
	Repositories []editionOf
}

type editionOf struct {
	ID       string
	Settings string    // a digest
	Newest   string    // key of the object that was modified last; "" if there was none
	Modified int64     // when; what changed later may not be in the file
	Run      int64     // id of the newest run that may have brought any of it; 0 if there was none
	Started  time.Time // of that run
	Phrases  []byte    // what its answers have in common: they are kept without
}

func openPrepared(file string) (*prepared, error) {
	f, err := answers.Open(file)
	if err != nil {
		return nil, err
	}
	p := &prepared{File: f, name: file}
	if err := json.Unmarshal(f.About(), &p.edition); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", answers.ErrDamaged, err)
	}
	for _, r := range p.Repositories {
		p.phrases = append(p.phrases, s2.NewDict(r.Phrases)) // nil decodes nothing
	}
	return p, nil
}

// distrust lets go of a file that cannot be read: it is made anew.
func (s *Server) distrust(p *prepared, err error) {
	if s.prepared.CompareAndSwap(p, nil) {
		os.Remove(p.name)
		s.Log.Warn("reading the file of answers failed: the store is asked, until the file is made anew", "error", err)
		p.Close()
	}
}

// adopt puts a file of answers into use, if it is this program's and says what
// the store says but for so many changes; if not, it lets go of it. The one
// that is in use is so looked at again, and stays.
func (s *Server) adopt(ctx context.Context, p *prepared, program string, most int) (kept bool, err error) {
	s.comparing.Lock()
	defer s.comparing.Unlock()
	inUse := p == s.prepared.Load()
	defer func() {
		if !kept && !inUse {
			p.Close()
		}
	}()
	now := s.latest.Load()
	if now == nil || p.Program != program || !p.isOf(now) {
		return false, nil
	}
	if !inUse {
		p.recent.most = s.mostRecent
	}
	for number, of := range p.Repositories {
		if older, err := s.isOlder(ctx, of); older || err != nil {
			return false, err
		}
		if inUse {
			continue
		}
		if ok, err := s.takeUp(ctx, p, s.maker(number, of, now.order[number]), most); !ok {
			return false, err
		}
	}
	if p.recent.changes > most || p.recent.isFull() {
		return false, nil
	}
	s.replace(p)
	return true, nil
}

// takeUp takes up what changed in a repository since a file was made. It is
// false if that is more than so many, or the file cannot be read.
func (s *Server) takeUp(ctx context.Context, p *prepared, m *maker, most int) (bool, error) {
	of := p.Repositories[m.number]
	for o, err := range s.store.Changed(ctx, of.ID, of.Modified) {
		if err != nil {
			return false, fmt.Errorf("read what changed in repository %s: %w", of.ID, err)
		}
		if err := p.recent.add(p.File, m, o); err != nil || p.recent.changes > most || p.recent.isFull() {
			return false, nil
		}
	}
	return true, nil
}

// changesOf returns what is told of each object of a repository that changes:
// it is answered from memory from then on.
func (s *Server) changesOf(r *repository) func(store.Object) {
	p := s.prepared.Load()
	if p == nil {
		return func(store.Object) {}
	}
	number := slices.IndexFunc(p.Repositories, func(of editionOf) bool { return of.ID == r.ID })
	m := s.maker(number, p.Repositories[number], r)
	return func(o store.Object) {
		if err := p.recent.add(p.File, m, o); err != nil {
			s.distrust(p, err)
		}
	}
}

// isOlder tells whether the store is one that was put back from a copy: what it
// lost has no Modified by which it would be noticed. It lost the run that
// brought it, too, even if another run brought some of it again.
func (s *Server) isOlder(ctx context.Context, of editionOf) (bool, error) {
	if has, err := s.hasRun(ctx, of); !has || err != nil {
		return true, err
	}
	if of.Newest == "" {
		return false, nil
	}
	o, err := s.store.Object(ctx, of.ID, of.Newest)
	if errors.Is(err, store.ErrNotFound) {
		return true, nil
	}
	return o.Modified < of.Modified, err
}

// hasRun tells whether the newest run that a file knows of is among the runs
// of the store. After a copy was put back another may have its id.
func (s *Server) hasRun(ctx context.Context, of editionOf) (bool, error) {
	if of.Run == 0 {
		return true, nil
	}
	runs, err := s.store.Runs(ctx, of.ID, mostRuns)
	return slices.ContainsFunc(runs, func(r store.Run) bool { return r.ID == of.Run && r.Started.Equal(of.Started) }), err
}

// isOf tells whether the file is of the repositories that are published, with
// their settings and in their order.
func (p *prepared) isOf(now *snapshot) bool {
	return slices.EqualFunc(p.Repositories, now.order, func(of editionOf, r *repository) bool {
		return of.ID == r.ID && of.Settings == r.settings
	})
}

// replace puts a file into use, or none.
func (s *Server) replace(p *prepared) {
	if last := s.prepared.Swap(p); last != nil && last != p {
		last.Close()
	}
}
