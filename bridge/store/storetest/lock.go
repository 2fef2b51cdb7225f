package storetest

import (
	"errors"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

var lockTests = []test{
	{"one run at a time locks a repository", func(t *testing.T, s *store.DB) {
		unlock := must[func()](t)(s.Lock(t.Context(), repo))
		_, err := s.Lock(t.Context(), repo)
		var locked *store.LockedError
		if !errors.As(err, &locked) {
			t.Fatalf("got error %v, want *store.LockedError", err)
		}
		equal(t, "repository", locked.Repository, repo)
		if strings.TrimSpace(locked.Owner) == "" {
			t.Error("got no word on the owner")
		}
		unlock()
		again := must[func()](t)(s.Lock(t.Context(), repo))
		unlock() // once more: it is another's now
		if _, err := s.Lock(t.Context(), repo); !errors.As(err, &locked) {
			t.Errorf("got error %v, want *store.LockedError", err)
		}
		again()
	}},
	{"other repositories are free", func(t *testing.T, s *store.DB) {
		for _, id := range []string{repo, "a", "A", "a/b", "a%2Fb", "..", "", strings.Repeat("a", 300), strings.Repeat("a", 301)} {
			defer must[func()](t)(s.Lock(t.Context(), id))()
		}
	}},
	{"a lock does not hinder reading and saving", func(t *testing.T, s *store.DB) {
		defer must[func()](t)(s.Lock(t.Context(), repo))()
		onlyHas(t, s, save(t, s, full("x", 1)))
	}},
}
