package server

import "sync"

// cache keeps what was used last, within a number of bytes. It has two
// generations: what is asked for moves to the young one; when that has filled
// half the room, it becomes the old one, and what was old is let go.
type cache[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]sized[V]
	bytes      int // of the young generation
	room       int // for one generation
}

type sized[V any] struct {
	value V
	bytes int
}

func newCache[K comparable, V any](bytes int) *cache[K, V] {
	return &cache[K, V]{young: map[K]sized[V]{}, room: bytes / 2}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.young[key]
	if !ok {
		if e, ok = c.old[key]; ok {
			c.keep(key, e)
		}
	}
	return e.value, ok
}

// put keeps value, which takes about so many bytes. What would fill a
// generation alone is not kept.
func (c *cache[K, V]) put(key K, value V, bytes int) {
	if bytes > c.room/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, sized[V]{value, bytes})
}

func (c *cache[K, V]) keep(key K, e sized[V]) {
	if c.bytes+e.bytes > c.room {
		c.old, c.young, c.bytes = c.young, map[K]sized[V]{}, 0
	}
	c.bytes += e.bytes - c.young[key].bytes
	c.young[key] = e
}
