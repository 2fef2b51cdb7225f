package server

import (
	"slices"
	"sync"

	"fingerpost/bridge/store"
	"fingerpost/server/answers"
)

const (
	// mostRecent is of how many changes the answers are kept in memory, and
	// recentBytes how much they take: a fraction of a second's work, after
	// which it is time for another file.
	mostRecent  = 1 << 13
	recentBytes = 4 << 20

	beyondBits = 1 << 20
)

// recent has the answers of the objects that changed since a file of answers
// was made. They take the place of those in the file, and look the same.
type recent struct {
	most    int // changes for which there is room
	changes int
	bytes   int

	mu      sync.RWMutex
	answers map[name]recentAnswer // of each object itself, and of its URLs

	// beyond has a bit for each name that changed when there was no room, which
	// it may share with others: then the store is asked for nothing.
	beyond []uint64
}

type recentAnswer struct {
	value  []byte // empty is for the store
	object name   // whose it is; 0 if it is of several
	change int    // with which it came
}

// recentBytesEach is what an answer takes without its value, about.
const recentBytesEach = 100

// has tells whether a name changed.
func (r *recent) has(n name) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, has := r.answers[n]
	return has || r.isBeyond(n)
}

// find is answers.File.Find for a name that changed.
func (r *recent) find(n name) (value []byte, found bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	a, found := r.answers[n]
	if r.isBeyond(n) || !r.isCurrent(a) {
		return nil, true
	}
	return a.value, found
}

// isCurrent tells whether an answer came with the last change of its object.
func (r *recent) isCurrent(a recentAnswer) bool {
	return r.answers[a.object].change == a.change && !r.isBeyond(a.object)
}

func (r *recent) isBeyond(n name) bool {
	return r.beyond != nil && r.beyond[n%beyondBits/64]&(1<<(n%64)) != 0
}

// isFull tells whether the store is asked for some of what changed.
func (r *recent) isFull() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.beyond != nil
}

// add puts the answers of an object that changed in the place of those in the
// file. One add is under way at a time.
func (r *recent) add(file *answers.File, m *maker, o store.Object) error {
	r.changes++
	if r.changes > r.most || r.bytes > recentBytes {
		r.addBeyond(namesOf(o))
		return nil
	}
	var memory []byte
	object := nameOfObject(o.Repository, o.Key)
	for n, value := range m.answers(o) {
		shared, err := isShared(file, n, object, &memory)
		if err != nil {
			return err
		}
		r.put(n, recentAnswer{value, object, r.changes}, shared)
	}
	return nil
}

// isShared tells whether a name is another object's in the file, too.
func isShared(file *answers.File, n, object name, memory *[]byte) (bool, error) {
	if n == object {
		return false, nil
	}
	value, found, err := file.Find(n, memory)
	if err != nil || !found {
		return false, err
	}
	a, ok := readURLAnswer(value)
	if ok && len(a.packed) == 0 {
		if value, _, err = file.Find(a.name, memory); err != nil {
			return false, err
		}
		a, ok = readURLAnswer(value)
	}
	return !ok || a.name != object, nil
}

func (r *recent) put(n name, a recentAnswer, shared bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, has := r.answers[n]
	if shared || has && last.object != a.object && (last.object == 0 || r.isCurrent(last)) {
		a = recentAnswer{}
	}
	a.value = slices.Clone(a.value)
	if !has {
		r.bytes += recentBytesEach
	}
	r.bytes += len(a.value) - len(last.value)
	if r.answers == nil {
		r.answers = map[name]recentAnswer{}
	}
	r.answers[n] = a
}

func (r *recent) addBeyond(names []name) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.beyond == nil {
		r.beyond = make([]uint64, beyondBits/64)
	}
	for _, n := range names {
		r.beyond[n%beyondBits/64] |= 1 << (n % 64)
	}
}
