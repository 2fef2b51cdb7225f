package bridge

import "strings"

// memo remembers what was found out about the values that were asked about
// last: the records of a repository have few licences and types between them.
// It is for one goroutine at a time.
type memo[T any] struct {
	known map[string]finding[T]
}

type finding[T any] struct {
	value T
	ok    bool
}

// of returns what find finds out about a value.
func (m *memo[T]) of(value string, find func(string) (T, bool)) (T, bool) {
	const (
		most    = 256
		longest = 512 // bytes of a value
	)
	if f, ok := m.known[value]; ok {
		return f.value, f.ok
	}
	if len(value) > longest {
		return find(value)
	}
	if m.known == nil || len(m.known) == most {
		m.known = make(map[string]finding[T])
	}
	value = strings.Clone(value) // it is part of a whole record
	v, ok := find(value)
	m.known[value] = finding[T]{v, ok}
	return v, ok
}
