package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
)

func open(t *testing.T, file string, options ...store.Option) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), file, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func save(t *testing.T, db *store.DB, b store.Batch) {
	t.Helper()
	if err := db.Save(t.Context(), "main", b); err != nil {
		t.Fatal(err)
	}
}

// layout is the Signmap as "page: numbers of its objects".
func layout(t *testing.T, db *store.DB) string {
	t.Helper()
	pages, err := db.SignmapPages(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range pages {
		fmt.Fprintf(&b, "%d:", p.Number)
		n := 0
		for o, err := range db.SignmapObjects(t.Context(), "main", p.Number) {
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(" " + o.Identifier)
			n++
		}
		if n != p.Objects {
			t.Errorf("page %d: got %d objects, said to be %d", p.Number, n, p.Objects)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// sized is an object whose entry in a Signmap weighs about so many bytes.
func sized(identifier string, bytes int) store.Object {
	return store.Object{Identifier: identifier, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://r.example/" + strings.Repeat("x", bytes)}}}
}

func deleted(identifier string) store.Object {
	return store.Object{Identifier: identifier, Deleted: true}
}

func TestSignmapPagesByNumber(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), store.SignmapLimits(store.Limits{Objects: 3, Weight: 1e6, MaxWeight: 2e6}))
	for _, step := range []struct {
		name    string
		objects []store.Object
		want    string
	}{
		{"three to a page", []store.Object{sized("a", 1), sized("b", 1), sized("c", 1), sized("d", 1)}, "1: a b c\n2: d"},
		{"a change moves nothing", []store.Object{sized("b", 2)}, "1: a b c\n2: d"},
		{"the place of a deleted object stays free", []store.Object{deleted("b"), sized("e", 1)}, "1: a c\n2: d e"},
		{"an object that comes back has its old place", []store.Object{sized("b", 1)}, "1: a b c\n2: d e"},
		{"an object that was never live has no place", []store.Object{deleted("f"), deleted("g")}, "1: a b c\n2: d e"},
		{"and gets one once it is live", []store.Object{sized("g", 1), sized("h", 1)}, "1: a b c\n2: d e g\n3: h"},
		{"a page may become empty", []store.Object{deleted("a"), deleted("b"), deleted("c")}, "1:\n2: d e g\n3: h"},
		{"the place of a deleted object stays free on the last page, too", []store.Object{sized("i", 1), sized("j", 1), deleted("j"), sized("k", 1)}, "1:\n2: d e g\n3: h i\n4: k"},
	} {
		save(t, db, store.Batch{Objects: step.objects})
		if got := layout(t, db); got != step.want {
			t.Errorf("%s: got\n%s\nwant\n%s", step.name, got, step.want)
		}
	}
	if c, err := db.Counts(t.Context(), "main"); err != nil || c != (store.Counts{Objects: 6, Deleted: 5}) {
		t.Errorf("got counts %+v and error %v, want 6 and 5 deleted", c, err)
	}
}

func TestSignmapPagesByWeight(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), store.SignmapLimits(store.Limits{Objects: 100, Weight: 40_000, MaxWeight: 50_000}))
	for _, step := range []struct {
		name    string
		objects []store.Object
		want    string
	}{
		{"a page is closed when it is heavy", []store.Object{sized("a", 20_000), sized("b", 20_000), sized("c", 100)}, "1: a b\n2: c"},
		{"an object that grows stays while there is room", []store.Object{sized("b", 25_000)}, "1: a b\n2: c"},
		{"one that grows too large goes to the last page", []store.Object{sized("a", 29_000)}, "1: b\n2: c a"},
		{"a closed page stays closed", []store.Object{sized("d", 100)}, "1: b\n2: c d a"},
		{"on the last page too: then there is another", []store.Object{sized("d", 30_000)}, "1: b\n2: c a\n3: d"},
		{"one that is too heavy for any page has one alone", []store.Object{sized("e", 90_000)}, "1: b\n2: c a\n3: d\n4: e"},
		{"and stays there", []store.Object{sized("e", 95_000)}, "1: b\n2: c a\n3: d\n4: e"},
		{"a deleted object weighs nothing", []store.Object{deleted("a"), sized("c", 45_000)}, "1: b\n2: c\n3: d\n4: e"},
		{"and goes to the last page if the place is taken", []store.Object{sized("a", 29_000)}, "1: b\n2: c\n3: d\n4: e\n5: a"},
	} {
		save(t, db, store.Batch{Objects: step.objects})
		if got := ordered(layout(t, db)); got != ordered(step.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", step.name, got, step.want)
		}
	}
}

// Formats that are not stored may be linked as well: there is room for them
// before it is known whether they will be.
func TestSignmapPagesHaveRoomForOfferedFormats(t *testing.T) {
	for formats, want := range map[int]string{0: "1: a b c d\n2: e", 4: "1: a b\n2: c d\n3: e"} {
		db := open(t, filepath.Join(t.TempDir(), "store.db"), store.SignmapLimits(store.Limits{Objects: 100, Weight: 4000, MaxWeight: 5000}))
		r := store.Repository{ID: "main", Offered: store.Offered{Of: make([]oaipmh.MetadataFormat, formats)}}
		if err := db.SaveRepository(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		save(t, db, store.Batch{Objects: []store.Object{sized("a", 500), sized("b", 500), sized("c", 500), sized("d", 500), sized("e", 500)}})
		if got := layout(t, db); got != want {
			t.Errorf("%d formats: got\n%s\nwant\n%s", formats, got, want)
		}
	}
}

// ordered leaves open the order on a page, which is that of first appearance.
func ordered(layout string) string {
	lines := strings.Split(layout, "\n")
	for i, line := range lines {
		words := strings.Fields(line)
		slices.Sort(words[1:])
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

func TestBothPagesOfAMoveAreModified(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), store.SignmapLimits(store.Limits{Objects: 100, Weight: 40_000, MaxWeight: 50_000}))
	save(t, db, store.Batch{Objects: []store.Object{sized("a", 20_000), sized("b", 20_000), sized("c", 100)}})
	p := store.Batch{Objects: []store.Object{sized("a", 35_000)}}
	save(t, db, p)
	pages, err := db.SignmapPages(t.Context(), "main")
	if err != nil || len(pages) != 2 || pages[0].Modified != p.Objects[0].Modified || pages[1].Modified != p.Objects[0].Modified {
		t.Errorf("got pages %+v and error %v, want both modified at %d", pages, err, p.Objects[0].Modified)
	}
}
