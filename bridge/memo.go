package bridge

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/vocabulary"
)

// memos are what is remembered from object to object.
type memos struct {
	licences   memo[string]
	classes    memo[vocabulary.Class]
	mediaTypes memo[string]
}

// licence is vocabulary.LicenceOf without the reason.
func (m *memos) licence(value string) (uri string, ok bool) {
	return m.licences.of(value, func(value string) (string, bool) {
		uri, err := vocabulary.LicenceOf(value)
		return uri, err == nil
	})
}

// class reads a type, in the vocabulary that it is said to be of if it can.
func (m *memos) class(st *crosswalk.Statement) (vocabulary.Class, bool) {
	if st.Scheme != "" {
		if class, ok := vocabulary.TypeIn(st.Scheme, st.Value); ok {
			return class, true
		}
	}
	return m.classes.of(st.Value, vocabulary.TypeOf)
}

// mediaType is vocabulary.MediaTypeOf.
func (m *memos) mediaType(value string) (string, bool) {
	return m.mediaTypes.of(value, vocabulary.MediaTypeOf)
}

// memo remembers what was found out about the values that came last: the
// records of a repository have few licences and types between them. It is for
// one goroutine at a time.
type memo[T any] struct {
	findings map[string]finding[T]
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
	if f, ok := m.findings[value]; ok {
		return f.value, f.ok
	}
	if len(value) > longest {
		return find(value)
	}
	if m.findings == nil || len(m.findings) == most {
		m.findings = make(map[string]finding[T])
	}
	value = strings.Clone(value) // it is part of a whole record
	v, ok := find(value)
	m.findings[value] = finding[T]{v, ok}
	return v, ok
}
