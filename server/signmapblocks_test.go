package server

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
)

// Whatever changes between two renderings, a page that was renewed has the
// bytes of one that is rendered whole, in both its forms.
func TestRenewedPagesAreRenderedPages(t *testing.T) {
	g := newGateway(t, func(_ *Config, options *[]sqlite.Option) {
		*options = append(*options, sqlite.SignmapLimits(sqlite.Limits{Objects: 5 * blockSpan, Weight: 1 << 30, MaxWeight: 1 << 20}))
	})
	saveMany(t, g, 0, 7*blockSpan) // two pages
	random := rand.New(rand.NewPCG(1, 2))
	renewed := 0
	for round := range 15 {
		g.clock.pass()
		pages, repo := allPages(t, g)
		for _, p := range pages {
			name := filepath.Join(g.Signmaps, "main", pageName(repo, p))
			if older := olderOf(name, repo, p); older != nil {
				older.close()
				renewed++
			}
			got := rendered(t, g, name, repo, p)
			want := rendered(t, g, filepath.Join(t.TempDir(), pageName(repo, p)), repo, p)
			for form := range want {
				if got[form] != want[form] {
					t.Fatalf("round %d, page %d%s: %d bytes, want the %d of a page rendered whole", round, p.Number, form, len(got[form]), len(want[form]))
				}
			}
			if unzipped(t, got[".gz"]) != got[""] {
				t.Fatalf("round %d, page %d: unzipped it is another page", round, p.Number)
			}
		}
		saveSome(t, g, random)
	}
	if renewed < 15 {
		t.Errorf("%d pages were renewed, want most", renewed)
	}
}

// rendered is a page and its other files, by what their names end in.
func rendered(t *testing.T, g *gateway, name string, repo *repository, p store.SignmapPage) map[string]string {
	t.Helper()
	if err := g.renderPage(t.Context(), name, repo, p); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, form := range []string{"", ".gz", ".blocks"} {
		text, err := os.ReadFile(name + form)
		if err != nil {
			t.Fatal(err)
		}
		out[form] = string(text)
	}
	return out
}

func unzipped(t *testing.T, zipped string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// saveSome changes, adds and deletes a few objects, brings some back, and lets
// some outgrow their page or their entry.
func saveSome(t *testing.T, g *gateway, random *rand.Rand) {
	t.Helper()
	var p store.Batch
	for range random.IntN(5) {
		i := random.IntN(8 * blockSpan)
		o := store.Object{
			Repository: "main", Identifier: fmt.Sprint("oai:repo.example.org:", i), Deleted: random.IntN(3) == 0,
			LastMod: time.Date(2031, 1, 1, 0, 0, random.IntN(99), 0, time.UTC), Prefixes: []string{"oai_dc"}, Object: numbered(i),
		}
		switch random.IntN(4) {
		case 0:
			o.CiteAs = fmt.Sprint("https://doi.org/10.1234/new.", random.IntN(1000))
		case 1:
			o.Items = manyFiles(random.IntN(100))
		case 2:
			o.LandingPage.URL = "https://repo.example.org/" + strings.Repeat("long", random.IntN(700))
		}
		p.Objects = append(p.Objects, o)
	}
	p.Checkpoint = store.Checkpoint{Repository: "main", Prefix: "oai_dc"}
	if err := g.db.Save(context.WithoutCancel(t.Context()), "main", p); err != nil {
		t.Fatal(err)
	}
}

// What does not fit together is not taken over.
func TestDamagedBlocksAreNotTakenOver(t *testing.T) {
	for name, damage := range map[string]func(page string) error{
		"no index":          func(page string) error { return os.Remove(page + ".blocks") },
		"an index of noise": func(page string) error { return os.WriteFile(page+".blocks", []byte("noise"), 0o644) },
		"an empty index":    func(page string) error { return os.WriteFile(page+".blocks", []byte("{}"), 0o644) },
		"no page":           os.Remove,
		"a page cut short":  func(page string) error { return os.Truncate(page, 300) },
		"no gzip":           func(page string) error { return os.Remove(page + ".gz") },
		"a gzip cut short":  func(page string) error { return os.Truncate(page+".gz", 30) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, nil)
			p, repo := firstPage(t, g)
			page := filepath.Join(g.Signmaps, "main", pageName(repo, p))
			rendered(t, g, page, repo, p)
			if err := damage(page); err != nil {
				t.Fatal(err)
			}
			g.save(t, "article", numbered(1), false)
			p, repo = firstPage(t, g)
			next := filepath.Join(g.Signmaps, "main", pageName(repo, p))
			if older := olderOf(next, repo, p); older != nil {
				t.Fatal("the damaged page was opened")
			}
			got := rendered(t, g, next, repo, p)
			if want := rendered(t, g, filepath.Join(t.TempDir(), pageName(repo, p)), repo, p); got[""] != want[""] {
				t.Errorf("got %d bytes, want %d", len(got[""]), len(want[""]))
			}
		})
	}
}
