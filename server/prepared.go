package server

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/s2"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/server/answers"
)

// prepared is the file of answers in use. An answer of it stands while neither
// the URL that was asked for nor the object that has it changed since the file
// was made; else the store is asked.
type prepared struct {
	*answers.File
	name string // of the file
	edition
	phrases []*s2.Dict // of the repositories

	// changed has a bit for each name that changed, which it may share with
	// others: then the store is asked for nothing. It fills, and is never
	// cleared: a new file begins with none.
	changed [changedBits / 64]atomic.Uint64
}

const changedBits = 1 << 20

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
	Settings string    // a digest; "" if it is kept, but not published
	Newest   string    // key of the object that was modified last; "" if there was none
	Modified int64     // when; what changed later may not be in the file
	Run      int64     // id of the newest run that may have brought any of it; 0 if there was none
	Started  time.Time // of that run
	Phrases  []byte    // what its answers have in common: they are kept without
}

// The values of the file: of an answer the number of its repository in the
// edition as a uvarint, the name of its object, and the header, compressed; of
// a URL that has the same answer as its landing page the name of that instead
// of the object's, and nothing behind it. An empty value is for the store.

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

// note says that names changed.
func (p *prepared) note(names []name) {
	for _, n := range names {
		p.changed[n%changedBits/64].Or(1 << (n % 64))
	}
}

func (p *prepared) stands(n name) bool {
	return p.changed[n%changedBits/64].Load()&(1<<(n%64)) == 0
}

// reading is one question to the file. Its memory is used again.
type reading struct {
	bucket, text []byte

	names      []name // that were asked for, and of what answered
	repository string // whose answer it is
	header     string
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// verdict is what the file knows of a URL.
type verdict int

const (
	askStore verdict = iota // nothing that is certain
	unknown                 // that no object has it
	answered                // the answer
)

// ask looks for the answer for a URL's name.
func (r *reading) ask(p *prepared, n name) (verdict, error) {
	for _, otherwise := range [...]verdict{unknown, askStore} { // the URL, or the landing page instead
		if !p.stands(n) {
			return askStore, nil
		}
		r.names = append(r.names, n)
		value, found, err := p.Find(n, &r.bucket)
		if err != nil || !found {
			return otherwise, err
		}
		number, digits := binary.Uvarint(value)
		if digits <= 0 || number >= uint64(len(p.phrases)) || len(value) < digits+8 {
			return askStore, nil
		}
		n = name(binary.BigEndian.Uint64(value[digits:]))
		if packed := value[digits+8:]; len(packed) > 0 {
			r.names, r.repository = append(r.names, n), p.Repositories[number].ID
			return r.unpack(p, p.phrases[number], packed)
		}
	}
	return askStore, nil
}

func (r *reading) unpack(p *prepared, phrases *s2.Dict, packed []byte) (verdict, error) {
	if n, err := s2.DecodedLen(packed); err != nil || n > answers.MaxValue || phrases == nil {
		return askStore, answers.ErrDamaged
	}
	text, err := phrases.Decode(r.text[:cap(r.text)], packed)
	if err != nil {
		return askStore, fmt.Errorf("%w: %w", answers.ErrDamaged, err)
	}
	r.text, r.header = text, string(text)
	if !p.stands(r.names[len(r.names)-1]) {
		return askStore, nil
	}
	return answered, nil
}

// finished returns the answer for a URI, or that there is none, from the file
// of answers; nil if the store has to be asked.
func (s *Server) finished(now *snapshot, uri string, whole bool) *lookup {
	p := s.prepared.Load()
	if p == nil || strings.Contains(uri, "verb=GetRecord") || s.urls.own(uri) {
		return nil
	}
	r := readings.Get().(*reading)
	defer readings.Put(r)
	r.names = r.names[:0]
	v, err := r.ask(p, nameOfURL(uri))
	if v == unknown && err == nil {
		v, err = r.askAliases(p, now, uri)
	}
	if err != nil {
		s.distrust(p, err)
		return nil
	}
	switch {
	case v == askStore, v == answered && whole:
		return nil
	case v == unknown:
		r.header = "" // of another repository, perhaps
	}
	l := r.lookup(now)
	l.whole = whole
	s.lookups.put(uri, l, 400+len(uri)+len(r.header))
	return l
}

// lookup is what was read, to be kept.
func (r *reading) lookup(now *snapshot) *lookup {
	kept := &struct { // one allocation for all
		lookup
		basis
		names  [3]name
		header [1]string
	}{header: [1]string{r.header}}
	kept.lookup.basis = &kept.basis
	kept.basis.names = append(kept.names[:0], r.names...)
	kept.basis.seen.Store(now.number)
	if r.header != "" {
		kept.lookup.header = kept.header[:]
	}
	return &kept.lookup
}

// askAliases asks for the URL under the other names of its host.
func (r *reading) askAliases(p *prepared, now *snapshot, uri string) (verdict, error) {
	for repo, alias := range now.aliases(uri) {
		v, err := r.ask(p, nameOfURL(alias))
		if err != nil || v == askStore || v == answered && r.repository == repo.ID {
			return v, err
		}
	}
	return unknown, nil
}

// distrust lets go of a file that cannot be read: it is made anew.
func (s *Server) distrust(p *prepared, err error) {
	if s.prepared.CompareAndSwap(p, nil) {
		os.Remove(p.name)
		s.Log.Warn("reading the file of answers failed: the store is asked, until the file is made anew", "error", err)
		p.Close()
	}
}

// adopt puts a file of answers into use, if it says what the store says but
// for a few changes. The one that is in use is so looked at again.
func (s *Server) adopt(ctx context.Context, p *prepared, most int) (bool, error) {
	s.comparing.Lock()
	defer s.comparing.Unlock()
	kept, err := s.store.Repositories(ctx)
	if err != nil {
		return false, err
	}
	if now := s.latest.Load(); now == nil || !p.isOf(now, kept) {
		return false, nil
	}
	changes := 0
	for _, of := range p.Repositories {
		if older, err := s.isOlder(ctx, of); older || err != nil {
			return false, err
		}
		for o, err := range s.store.Changed(ctx, of.ID, of.Modified) {
			if err != nil {
				return false, fmt.Errorf("read what changed in repository %s: %w", of.ID, err)
			}
			if changes++; changes > most {
				return false, nil
			}
			p.note(namesOf(o))
		}
	}
	s.replace(p)
	return true, nil
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
// their settings, and of those that are kept.
func (p *prepared) isOf(now *snapshot, kept []store.Repository) bool {
	settings := map[string]string{}
	for _, of := range p.Repositories {
		settings[of.ID] = of.Settings
		if of.Settings != "" && now.repositories[of.ID] == nil {
			return false
		}
	}
	for _, r := range now.order {
		if settings[r.ID] != r.settings {
			return false
		}
	}
	return !slices.ContainsFunc(kept, func(r store.Repository) bool { _, known := settings[r.ID]; return !known })
}

// replace puts a file into use, or none.
func (s *Server) replace(p *prepared) {
	if last := s.prepared.Swap(p); last != nil && last != p {
		last.Close()
	}
}

// inHeader is what goes into a header of the links of one context; "" if
// there are none.
func (r *repository) inHeader(links linkset.LinkSet) string {
	kept, _ := links.Fit(r.Budget)
	return kept.Joined()
}
