// Package storetest is the contract of bridge/store as a test suite: every
// sentence of its docs that an engine can break has a test here.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
)

// Run tests a store over the engines that open makes. Each test gets an empty
// engine, and runs again over one that calls the function of every View and
// Update twice.
func Run(t *testing.T, open func(t *testing.T) engine.Engine) {
	for _, suite := range [][]test{
		repositoryTests, recordTests, listTests, objectTests, findTests, signmapTests, linkedTests, quarantineTests, probeTests, visitTests, runTests, restraintTests, sourceTests, saveTests, lockTests, textTests,
	} {
		for _, test := range suite {
			t.Run(test.name, func(t *testing.T) { test.run(t, over(t, open(t))) })
			t.Run(test.name+", when each transaction runs twice", func(t *testing.T) { test.run(t, over(t, twice{open(t)})) })
		}
	}
	t.Run("a View is of one state", func(t *testing.T) { viewIsOneState(t, open(t)) })
}

func viewIsOneState(t *testing.T, e engine.Engine) {
	s := over(t, e)
	n := 0
	saveNext := func() { n++; saveObjects(t, s, object(fmt.Sprint("oai:x:", n))) }
	saveNext()
	var first, second int64
	if err := e.View(t.Context(), repo, func(rows engine.Rows) (err error) {
		if first, err = rows.Clock(); err != nil {
			return err
		}
		saveNext()
		second, err = rows.Clock()
		return err
	}); err != nil || first != second {
		t.Errorf("got clock %d, after a change %d, and error %v, want the first again", first, second, err)
	}
}

func over(t *testing.T, e engine.Engine) *store.DB {
	t.Helper()
	s, err := store.New(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// twice is an engine whose transactions fail once, and run again: an Update at
// its end, a View when metadata is read.
type twice struct{ engine.Engine }

func (e twice) View(ctx context.Context, repository string, f func(engine.Rows) error) error {
	err := e.Engine.View(ctx, repository, func(rows engine.Rows) error { return f(breaking{rows}) })
	if err != nil && !errors.Is(err, errPassing) {
		return err
	}
	return e.Engine.View(ctx, repository, f)
}

type breaking struct{ engine.Rows }

func (r breaking) Blocks([]int64, func(int64, []byte) error) error { return errPassing }

var errPassing = errors.New("a passing failure")

func (e twice) Update(ctx context.Context, repository string, f func(engine.Tx) error) error {
	err := e.Engine.Update(ctx, repository, func(tx engine.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return errPassing
	})
	if !errors.Is(err, errPassing) {
		return err
	}
	return e.Engine.Update(ctx, repository, f)
}

type test struct {
	name string
	run  func(t *testing.T, s *store.DB)
}

// repo is the repository of a test that needs only one.
const repo = "main"

// odd are identifiers that a careless store takes for something else.
var odd = []string{
	"oai:x:1", "oai:x:10", "OAI:x:1", "oai:x:1 ", "oai:x:%2F", "oai:x:/", "oai:x://../..", "oai:x:'", `oai:x:"`, "oai:x:'); DROP TABLE objects; --",
	"oai:x:\n", "oai:x:\r\n", "oai:x:\t", "oai:x:<script>", "oai:x:ü", "oai:x:u\u0308", "oai:x:\U0001F600", "oai:x:%", "oai:x:_", "oai:x:?", "oai:x:\\",
	"oai:x:[1,2]", "oai:x:\u2028", "null", "0", " ", strings.Repeat("long", 2000), incompressible(6400),
}

// incompressible is a text that no database can make shorter.
func incompressible(n int) string {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('!' + random.IntN('~'-'!'))
	}
	return string(b)
}

// record is a record with metadata that no other has.
func record(identifier, prefix, text string) store.Record {
	return recordOf(identifier, prefix, fmt.Appendf(nil, "<%s>%s %q</%[1]s>", prefix, text, identifier))
}

func recordOf(identifier, prefix string, metadata []byte) store.Record {
	sum := sha256.Sum256(metadata)
	return store.Record{
		Identifier: identifier, Prefix: prefix, Datestamp: "2024-02-03", Sets: []string{"b", "a"},
		Hash: [16]byte(sum[:]), Metadata: metadata,
	}
}

func tombstone(identifier, prefix string) store.Record {
	return store.Record{Identifier: identifier, Prefix: prefix, Datestamp: "2025-01-01", Deleted: true}
}

// object is an object of its own with a landing page, a DOI and a file.
func object(identifier string) store.Object {
	name := store.KeyOf(identifier)
	return store.Object{
		Identifier: identifier, LastMod: day(3), Prefixes: []string{"oai_dc"}, Sets: []string{"a", "b"},
		Object: bridge.Object{
			LandingPage: bridge.LandingPage{URL: "https://repository.example/records/" + name},
			CiteAs:      "https://doi.org/10.5555/" + name,
			License:     "https://creativecommons.org/licenses/by/4.0/",
			Type:        "https://schema.org/Article",
			Authors:     []string{"https://orcid.org/0000-0002-1825-0097"},
			Items:       []bridge.ContentResource{{URL: "https://repository.example/files/" + name + ".pdf?a=1&b=<2>", MediaType: "application/pdf"}},
			Aliases:     []string{"https://hdl.handle.net/20.500.99999/" + name},
			Year:        2024,
		},
	}
}

func objects(n int) []store.Object {
	out := make([]store.Object, n)
	for i := range out {
		out[i] = object(fmt.Sprintf("oai:x:%d", i))
	}
	return out
}

func gone(identifier string) store.Object {
	return store.Object{Identifier: identifier, Deleted: true, LastMod: day(9)}
}

// day is a day of one month.
func day(n int) time.Time { return time.Date(2024, 2, n, 0, 0, 0, 0, time.UTC) }

// with returns v after a change.
func with[T any](v T, change func(*T)) T {
	change(&v)
	return v
}

func save(t *testing.T, s *store.DB, p store.Batch) store.Batch {
	t.Helper()
	return saveIn(t, s, repo, p)
}

func saveIn(t *testing.T, s *store.DB, repository string, p store.Batch) store.Batch {
	t.Helper()
	if err := s.Save(t.Context(), repository, p); err != nil {
		t.Fatal(err)
	}
	return p
}

func saveObjects(t *testing.T, s *store.DB, objects ...store.Object) []store.Object {
	t.Helper()
	return save(t, s, store.Batch{Objects: objects}).Objects
}

func all[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// equal compares got with want. No list and an empty one are the same.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	bytewise := cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) > 0 }, cmp.Comparer(bytes.Equal))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), bytewise); diff != "" {
		t.Errorf("%s (-want +got):\n%.4000s", what, diff)
	}
}

func notFound(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s: got error %v, want store.ErrNotFound", what, err)
	}
}

func identifiers(objects []store.Object) []string {
	out := make([]string, len(objects))
	for i, o := range objects {
		out[i] = o.Identifier
	}
	return out
}
