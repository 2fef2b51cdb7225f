package server

import (
	"slices"
	"testing"
)

// An OAI identifier belongs to the repository on whose host it says that its record
// lies, like the pages there.
func TestOwnersOfRecords(t *testing.T) {
	g := newGateway(t, nil)
	now, err := g.repositories.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for identifier, want := range map[string][]string{
		"oai:repo.example.org:1":     {"main"},
		"oai:REPO.example.org:1":     {"main"},
		"oai:eprints.example.org:1":  {"main"},
		"oai:other.example.org:a:1":  {"other"},
		"oai:nobody.example.org:1":   nil,
		"https://repo.example.org/1": {"main"},
		"":                           nil,
	} {
		if got := now.ownersOfRecord(identifier); !slices.Equal(got, want) {
			t.Errorf("%q belongs to %q, want %q", identifier, got, want)
		}
	}
}
