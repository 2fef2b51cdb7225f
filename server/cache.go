package server

import (
	"hash/maphash"
	"slices"
	"sync"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// cache keeps finished answers within a number of bytes, each until something
// changes that it was made from. It has two generations: an answer that is
// used moves to the young one. When that has filled half the room, it becomes
// the old one, and the old one is dropped.
type cache struct {
	mu         sync.Mutex
	young, old map[cacheKey]cached
	bytes      int   // of the young generation
	room       int   // for one generation
	version    int64 // counts the changes
}

// cacheKey is a kind of answer, and what it answers: a path or a URL.
type cacheKey struct{ kind, name string }

type cached struct {
	value any
	names []name // of all that it was made from
	bytes int
}

func newCache(bytes int) *cache {
	return &cache{young: map[cacheKey]cached{}, room: bytes / 2}
}

// recall returns the cached value of a key.
func recall[V any](c *cache, key cacheKey) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.young[key]
	if !ok {
		if e, ok = c.old[key]; ok {
			c.keep(key, e)
		}
	}
	value, ok = e.value.(V)
	return value, ok
}

// put keeps a value of about so many bytes. It was made of what has the names,
// after the change with the number version: if there was another change since,
// the value may be out of date, and is not kept. Neither is one that would fill
// much of a generation.
func (c *cache) put(key cacheKey, value any, bytes int, version int64, names ...name) {
	const entry = 200 // what an entry takes beside its value
	bytes += entry + len(key.name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if version == c.version && bytes <= c.room/4 {
		c.keep(key, cached{value, names, bytes})
	}
}

func (c *cache) keep(key cacheKey, e cached) {
	if c.bytes+e.bytes > c.room {
		c.old, c.young, c.bytes = c.young, map[cacheKey]cached{}, 0
	}
	c.bytes += e.bytes - c.young[key].bytes
	c.young[key] = e
}

// forget drops what was made from anything that has one of the names, and
// returns the number of this change.
func (c *cache) forget(changed map[name]bool) (version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	for _, generation := range [...]map[cacheKey]cached{c.young, c.old} {
		for key, e := range generation {
			if slices.ContainsFunc(e.names, func(n name) bool { return changed[n] }) {
				delete(generation, key)
			}
		}
	}
	c.bytes = 0
	for _, e := range c.young {
		c.bytes += e.bytes
	}
	return c.version
}

// clear drops everything, and returns the number of this change.
func (c *cache) clear() (version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	c.young, c.old, c.bytes = map[cacheKey]cached{}, nil, 0
	return c.version
}

// name stands for a repository, an object or a URL. Two of them may have the
// same name: then an answer is dropped for nothing.
type name uint64

var nameSeed = maphash.MakeSeed()

func nameOfRepository(id string) name { return nameOf(" " + id) } // no URL begins with a space

func nameOfObject(repository, key string) name { return nameOf(" " + repository + "/" + key) }

// nameOfURL is the same for all forms of a URL.
func nameOfURL(uri string) name { return nameOf(bridge.NormalURL(uri)) }

func nameOf(text string) name { return name(maphash.String(nameSeed, text)) }

// namesOf are those of an object, of its URLs and of its repository. An answer
// about a URL that no object has is dropped as soon as one has it.
func namesOf(o store.Object) []name {
	names := []name{nameOfRepository(o.Repository), nameOfObject(o.Repository, o.Key)}
	for _, uri := range o.URLs() {
		names = append(names, nameOfURL(uri))
	}
	return names
}
