package server

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

const (
	// journalChanges is of how many changed objects the names are read for a
	// snapshot: as many as a harvest over a network brings in a second. With
	// more all that is cached is made anew, which then costs less.
	journalChanges = 4096
	// journalNames is how many names these may have. An object may have ten
	// thousand files: then it is time for all anew after a few.
	journalNames = 1 << 17
	// journalRoom is how many names make a generation of a journal.
	journalRoom = 1 << 15
)

// name stands for what an object is found by: itself, as its repository's key
// for it says, or the normal form of a URL. Two may be alike: then an answer is
// made anew for nothing.
type name uint64

var nameSeed = maphash.MakeSeed()

// journal knows the names of the objects that changed of late. An answer
// stands while none of the names that were asked for to make it is among those
// of an object that changed since: so a harvest costs the answers that it
// changes, and no others. It has two generations, like a cache.
type journal struct {
	changes, names, room int

	mu         sync.Mutex
	young, old map[name]int64 // to the number of the last snapshot that saw it changed
	begins     int64          // number of the last snapshot before all that is in young
	from       int64          // number of the oldest snapshot of which all changes since are known
}

func newJournal() *journal {
	return &journal{changes: journalChanges, names: journalNames, room: journalRoom, young: map[name]int64{}}
}

// nameOfURL is the same for all forms of a URL.
func nameOfURL(uri string) name { return name(maphash.String(nameSeed, bridge.NormalURL(uri))) }

// nameOfObject begins with a space, which no URL does.
func nameOfObject(repository, key string) name {
	return name(maphash.String(nameSeed, " "+repository+"/"+key))
}

// namesOf are those by which an object is found.
func namesOf(o store.Object) []name {
	names := []name{nameOfObject(o.Repository, o.Key)}
	for _, uri := range o.URLs() {
		names = append(names, nameOfURL(uri))
	}
	return names
}

// note says which names changed between the snapshot with a number and the
// one before.
func (j *journal) note(number int64, changed []name) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.young) > j.room {
		j.old, j.from = j.young, j.begins
		j.young, j.begins = map[name]int64{}, number-1
	}
	for _, n := range changed {
		j.young[n] = number
	}
}

// forget says that anything may have changed before the snapshot with a number.
func (j *journal) forget(number int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.young, j.old = map[name]int64{}, nil
	j.begins, j.from = number, number
}

// stands tells whether nothing has changed by these names since the snapshot
// with a number.
func (j *journal) stands(since int64, names []name) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if since < j.from {
		return false
	}
	for _, n := range names {
		if j.young[n] > since || j.old[n] > since {
			return false
		}
	}
	return true
}

// basis is what an answer was made from.
type basis struct {
	names []name       // that were asked for
	seen  atomic.Int64 // number of the last snapshot for which it stood
}

func newBasis(snapshot int64, names ...name) *basis {
	b := &basis{names: names}
	b.seen.Store(snapshot)
	return b
}

// stands tells whether an answer is what would be made from the snapshot with
// a number.
func (s *Server) stands(b *basis, snapshot int64) bool {
	seen := b.seen.Load()
	if seen >= snapshot {
		return true
	}
	if !s.journal.stands(seen, b.names) {
		return false
	}
	b.seen.Store(snapshot)
	return true
}
