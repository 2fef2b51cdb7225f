package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
)

// prepare sees to the file of answers, and that it is in use.
func (g *gateway) prepare(t testing.TB) {
	t.Helper()
	if err := g.Prepare(context.WithoutCancel(t.Context()), g.answersFile(), cmp.Or(g.program, "test")); err != nil {
		t.Fatal(err)
	}
	if g.prepared.Load() == nil {
		t.Fatal("the file of answers is not in use")
	}
}

func (g *gateway) answersFile() string { return filepath.Join(g.Signmaps, "answers") }

// uncached lets a server keep no answers in memory.
func uncached(s *Server) { s.lookups = newCache[string, *lookup](0) }

// busyStore is a store in which something happens while objects are read.
type busyStore struct {
	store.Reader
	happens func()
}

func (b *busyStore) Objects(ctx context.Context, repository string, after int64) iter.Seq2[store.Object, error] {
	return func(yield func(store.Object, error) bool) {
		b.happens()
		for o, err := range b.Reader.Objects(ctx, repository, after) {
			if !yield(o, err) {
				return
			}
			b.happens()
		}
	}
}

// forms are of URLs that an object may have, and some that none has.
var forms = append(slices.Clone(shared),
	"HTTP://Repo.Example.Org:80/%61#top", "https://repo.example.org:443/a?", "https://repo.example.org/%7Ea", "https://eprints.example.org:443/c",
	"https://doi.org/10.1234/C", "doi:10.1234/c", "https://eprints.example.org/none", "https://repo.example.org/none", "https://repo.example.org/d",
	"https://eprints.example.org/v?id=a%2Fb", "https://eprints.example.org/v?id=a/b",
	"10.1234/c", " https://repo.example.org/b", "https://repo.example.org/a#%zz",
	"https://links.example.org/main/", "no URL at all", "https://[::1", "")

// However the store and the settings change, whenever the file is made and
// the program is started again: what is said with the file is what a server
// without one says that has cached nothing.
func TestPreparedAnswersAreTrue(t *testing.T) {
	g := newGateway(t, func(_ *Config, options *[]sqlite.Option) {
		*options = append(*options, sqlite.Now(func() time.Time { return time.Unix(1.9e9, 0) }))
	})
	saveMany(t, g, 0, 110) // so that some may change
	fromFile, asked := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		busy := &busyStore{g.db, func() {}}
		restart := func() {
			var err error
			if g.Server, err = New(g.Config, busy); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(r, "uncached") {
				uncached(g.Server)
			}
			g.patience = time.Minute // however busy the machine is
			g.journal.changes = rapid.SampledFrom([]int{2, journalChanges}).Draw(r, "most changes")
			g.mostRecent = rapid.SampledFrom([]int{1, 4, mostRecent}).Draw(r, "most recent")
		}
		restart()
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			switch rapid.IntRange(0, 13).Draw(r, "step") {
			case 13:
				g.saveKept(t, rapid.SampledFrom(shared).Draw(r, "uri of an unpublished repository"))
			case 0, 10, 11, 12:
				changeAnything(t, r, g)
				g.renew(t)
			case 1, 2:
				if rapid.Bool().Draw(r, "anew") {
					os.Remove(g.answersFile())
					g.replace(nil)
				}
				if rapid.Bool().Draw(r, "busy") {
					changes := 5
					busy.happens = func() {
						if rapid.IntRange(0, 3).Draw(r, "meanwhile") == 0 && changes > 0 {
							changes--
							changeAnything(t, r, g)
						}
						if rapid.IntRange(0, 3).Draw(r, "seen meanwhile") == 0 {
							g.renew(t)
						}
					}
				}
				if err := g.Prepare(t.Context(), g.answersFile(), "test"); err != nil {
					t.Fatal(err)
				}
				busy.happens = func() {}
				g.renew(t)
			case 3:
				g.Config.Repositories[0].Inbox = rapid.SampledFrom([]string{"", "https://repo.example.org/inbox"}).Draw(r, "inbox")
				restart()
			default:
				uri := rapid.SampledFrom(forms).Draw(r, "uri")
				fresh, err := New(g.Config, g.db)
				if err != nil {
					t.Fatal(err)
				}
				fresh.patience = time.Minute
				if now, err := g.snapshot(t.Context()); err == nil && g.finished(now, uri, false) != nil {
					fromFile++
				}
				asked++
				sameAnswer(r, g.Server, fresh, "/links", uri)
				links, known := g.Links(t.Context(), uri)
				if want, wantKnown := fresh.Links(t.Context(), uri); arms(links) != arms(want) || known != wantKnown {
					r.Fatalf("links of %s: got %v, want %v", uri, links, want)
				}
			}
		}
	})
	if fromFile < asked/50 || fromFile > asked*9/10 {
		t.Errorf("%d of %d answers are from the file: the test tests nothing", fromFile, asked)
	}
}

// arms are links without their anchor, which is as it was asked for or as it is
// published.
func arms(links linkset.LinkSet) string {
	arms := slices.Clone(links)
	for i := range arms {
		arms[i].Anchor = ""
	}
	return fmt.Sprint(arms)
}

// What changes while the file is in use is answered from memory, each name as
// the objects that have it then have it, and from the store where there is no
// room or where several have it.
func TestRecentAnswers(t *testing.T) {
	const a, b, c = "https://repo.example.org/recent/a", "https://repo.example.org/recent/b", "https://repo.example.org/recent/c"
	record := oaiURL + "?verb=GetRecord&metadataPrefix=oai_dc&identifier=" + identifierOf("x")
	type change struct{ object, page, file string }
	for _, tt := range []struct {
		when    string
		most    int // changes for which there is room
		changes []change
		store   string // URLs for which the store is asked
	}{
		{"an object comes", 9, []change{{"x", a, b}}, ""},
		{"it moves", 9, []change{{"x", a, b}, {"x", c, b}}, a},
		{"it moves, and another comes to its page", 9, []change{{"x", a, b}, {"x", c, b}, {"y", a, b + "/y"}}, ""},
		{"two have a page", 9, []change{{"x", a, b}, {"y", a, c}}, a},
		{"two had a page, and a third comes", 9, []change{{"x", a, b}, {"y", a, c}, {"y", c, c + "/y"}, {"z", a, c + "/z"}}, a},
		{"one of the file moves", 9, []change{{"article", a, b}}, articlePage},
		{"another comes to a page of the file", 9, []change{{"x", articlePage, b}}, articlePage},
		{"there is no room for the second", 1, []change{{"x", a, b}, {"y", c, c + "/y"}}, c},
		{"there is no room when it moves", 1, []change{{"x", a, b}, {"x", c, c + "/x"}}, a + b + c + record},
	} {
		g := newGateway(t, nil)
		g.mostRecent = tt.most
		g.prepare(t)
		uris := []string{a, b, c, record, articlePage}
		for _, uri := range uris {
			g.Links(t.Context(), uri) // is kept, and must not be for long
		}
		for _, change := range tt.changes {
			o := bridge.Object{LandingPage: bridge.LandingPage{URL: change.page}, Items: []bridge.ContentResource{{URL: change.file}}}
			g.save(t, change.object, o, false)
			g.renew(t)
		}
		now := g.latest.Load()
		for _, uri := range uris {
			plain, err := New(g.Config, g.db)
			if err != nil {
				t.Fatal(err)
			}
			l := g.finished(now, uri, false)
			if asked := l == nil; asked != strings.Contains(tt.store, uri) {
				t.Errorf("%s: %s: the store is asked: %v", tt.when, uri, asked)
			}
			if got, want := g.lookup(t.Context(), uri, false), plain.lookup(t.Context(), uri, false); !slices.Equal(got.header, want.header) {
				t.Errorf("%s: %s:\ngot  %q\nwant %q", tt.when, uri, got.header, want.header)
			}
		}
	}
}

// saveKept keeps an object of a repository that is not published.
func (g *gateway) saveKept(t *testing.T, uri string) {
	p := store.Batch{Objects: []store.Object{{Identifier: "oai:kept:1", Object: bridge.Object{LandingPage: bridge.LandingPage{URL: uri}}}}}
	err := g.db.SaveRepository(t.Context(), store.Repository{ID: "kept"})
	if err := errors.Join(err, g.db.Save(t.Context(), "kept", p)); err != nil {
		t.Fatal(err)
	}
}

// Every form in which /links knows a URL has its answer from the file, and
// what nobody has is known to be nobody's.
func TestFinishedAnswers(t *testing.T) {
	g := newGateway(t, nil)
	g.prepare(t)
	uncached(g.Server)
	now, err := g.snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := New(g.Config, g.db)
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{
		articlePage, "http://repo.example.org:80/record/1/", "https://REPO.example.org/%72ecord/1#top", "https://eprints.example.org/record/1",
		"https://repo.example.org/record/1/data.csv", "https://eprints.example.org/record/1/data.csv", "https://repo.example.org/record/5", "https://repo.example.org/record/5/file-299.nc",
		"https://doi.org/10.1234/ONE", "https://hdl.handle.net/2027/one", "https://repo.example.org/record/2", "https://doi.org/10.1234/two",
		"https://repo.example.org/about", "https://eprints.example.org/about",
		oaiURL + "?verb=GetRecord&metadataPrefix=oai_dc&identifier=" + identifierOf("article"),
		oaiURL + "?identifier=" + identifierOf("article") + "&metadataPrefix=datacite&verb=GetRecord",
		oaiURL + "?verb=GetRecord&metadataPrefix=oai_dc&identifier=none",
		"http://eprints.example.org/oai/request?verb=GetRecord&metadataPrefix=datacite&identifier=" + url.QueryEscape(identifierOf("query")),
		"https://links.example.org/main/" + articleKey + "/metadata/oai_dc.xml", "https://links.example.org/main/" + articleKey + "/metadata/datacite.xml",
		"https://links.example.org/main/" + articleKey + "/linkset",
	} {
		l := g.finished(now, uri, false)
		if l == nil {
			t.Errorf("%s: the store is asked", uri)
			continue
		}
		want := plain.lookup(t.Context(), uri, true)
		if !slices.Equal(l.header, want.header) {
			t.Errorf("%s:\ngot  %q\nwant %q", uri, l.header, want.header)
		}
		if l := g.finished(now, uri, true); l != nil && arms(l.links) != arms(want.links) {
			t.Errorf("%s:\ngot  %v\nwant %v", uri, l.links, want.links)
		}
	}
}

// The file is made when it is needed, and only then.
func TestPreparing(t *testing.T) {
	g := newGateway(t, nil)
	saveMany(t, g, 0, 1000)
	made := func() bool {
		t.Helper()
		before, _ := os.Stat(g.answersFile())
		g.renew(t)
		g.prepare(t)
		after, err := os.Stat(g.answersFile())
		if err != nil {
			t.Fatal(err)
		}
		return before == nil || !os.SameFile(before, after)
	}
	for _, tt := range []struct {
		when    string
		happens func()
		want    bool
	}{
		{"there is none", func() {}, true},
		{"nothing has changed", func() {}, false},
		{"the program starts again", func() { g.restart(t) }, false},
		{"one in a hundred has changed", func() { saveMany(t, g, 2000, 10) }, false},
		{"the program starts again after that", func() { g.restart(t) }, false},
		{"more have changed", func() { saveMany(t, g, 3000, 10) }, true},
		{"it is deleted, and the program starts again", func() { os.Remove(g.answersFile()); g.restart(t) }, true},
		{"a setting has changed", func() { g.Config.Repositories[0].Inbox = "https://repo.example.org/inbox"; g.restart(t) }, true},
		{"a repository is published no more", func() { g.Config.Repositories = g.Config.Repositories[:1]; g.restart(t) }, true},
		{"another program starts", func() { g.program = "another"; g.restart(t) }, true},
		{"the file is torn", func() {
			if err := os.Truncate(g.answersFile(), 1000); err != nil {
				t.Fatal(err)
			}
			g.restart(t)
		}, true},
		{"the file is none", func() {
			if err := os.WriteFile(g.answersFile(), []byte(strings.Repeat("none", 1000)), 0o644); err != nil {
				t.Fatal(err)
			}
			g.restart(t)
		}, true},
	} {
		tt.happens()
		if got := made(); got != tt.want {
			t.Errorf("%s: the file is made: %v, want %v", tt.when, got, tt.want)
		}
	}
}

// restart puts another server in the place of the one that was.
func (g *gateway) restart(t *testing.T) {
	t.Helper()
	s, err := New(g.Config, g.db)
	if err != nil {
		t.Fatal(err)
	}
	g.Server = s
}

// lose changes the article, does something more, prepares the answers, and puts
// back a copy of the store from before.
func (g *gateway) lose(t *testing.T, more func()) {
	t.Helper()
	restored := filepath.Join(t.TempDir(), "fingerpost.db")
	if err := g.db.Backup(t.Context(), restored); err != nil {
		t.Fatal(err)
	}
	changed := objects["article"]
	changed.CiteAs = "https://doi.org/10.1234/lost"
	g.save(t, "article", changed, false)
	more()
	g.renew(t)
	g.prepare(t)
	db, err := sqlite.Open(t.Context(), restored)
	if err != nil {
		t.Fatal(err)
	}
	lost := g.db
	t.Cleanup(func() { lost.Close() })
	g.db = db
}

// A file does not outlive what it was made from: a store that was put back from
// a copy is another, even if it changed since.
func TestRestoredStore(t *testing.T) {
	g := newGateway(t, nil)
	saveMany(t, g, 0, 1000)
	g.lose(t, func() {})
	for range 2 {
		g.restart(t)
		g.prepare(t)
		if got := g.inHeader(t, articlePage).Rel("cite-as")[0].Href; got != objects["article"].CiteAs {
			t.Errorf("got %s, want %s", got, objects["article"].CiteAs)
		}
		saveMany(t, g, 2000, 1)
	}
}

// A copy that was put back is known by the runs that it lost, too: where the
// repository was harvested since, what changed last may have come again, and
// something else not.
func TestRestoredAndHarvestedStore(t *testing.T) {
	g := newGateway(t, nil)
	saveMany(t, g, 0, 1000)
	harvest := func(day int) {
		run := store.Run{Repository: "main", Prefix: "oai_dc", State: store.Complete, Started: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)}
		if err := g.db.SaveRun(t.Context(), &run); err != nil {
			t.Fatal(err)
		}
		saveMany(t, g, 2000, 1)
	}
	g.lose(t, func() { harvest(1) })
	harvest(2)
	g.restart(t)
	g.prepare(t)
	if got := g.inHeader(t, articlePage).Rel("cite-as")[0].Href; got != objects["article"].CiteAs {
		t.Errorf("got %s, want %s", got, objects["article"].CiteAs)
	}
}

// A file that fails while it is in use is left at once, and made anew.
func TestDamagedAnswers(t *testing.T) {
	g := newGateway(t, nil)
	var said strings.Builder
	g.Log = slog.New(slog.NewTextHandler(&said, nil))
	g.prepare(t)
	uncached(g.Server)
	f, err := os.OpenFile(g.answersFile(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 1<<14), 0); err != nil {
		t.Fatal(err)
	}
	if len(g.inHeader(t, articlePage)) == 0 {
		t.Error("a damaged file loses links")
	}
	if g.prepared.Load() != nil || !strings.Contains(said.String(), "made anew") {
		t.Errorf("a damaged file stays in use; said: %s", said.String())
	}
	g.prepare(t)
	if now := g.latest.Load(); g.finished(now, articlePage, false) == nil {
		t.Error("the file is not made anew")
	}
}

// Whoever stops, or has no room, leaves nothing behind and serves on.
func TestPreparingFails(t *testing.T) {
	g := newGateway(t, nil)
	busy := &busyStore{g.db, func() {}}
	g.store = busy
	ctx, stop := context.WithCancel(t.Context())
	busy.happens = stop
	if err := g.Prepare(ctx, g.answersFile(), "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: got %v, want %v", err, context.Canceled)
	}
	if left, _ := filepath.Glob(g.answersFile() + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := g.Prepare(t.Context(), filepath.Join(g.Signmaps, "no folder", "answers"), "test"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: got %v, want %v", err, os.ErrNotExist)
	}
	if len(g.inHeader(t, articlePage)) == 0 {
		t.Error("without the file there are no links")
	}
}

// What is kept of a repository that is not published hides nothing: neither
// what was kept before a repository was given another id, nor what another
// process harvests while the file of answers is in use.
func TestUnpublishedRepositoryHidesNothing(t *testing.T) {
	const page, file = "https://repo.example.org/renamed", "https://repo.example.org/renamed.pdf"
	renamed := bridge.Object{LandingPage: bridge.LandingPage{URL: page}, Items: []bridge.ContentResource{{URL: file}}}
	g := newGateway(t, nil)
	g.saveKept(t, page)
	g.save(t, "renamed", renamed, false)
	for _, prepared := range []bool{false, true} {
		if prepared {
			g.prepare(t)
		}
		g.renew(t)
		if len(g.inHeader(t, page)) == 0 {
			t.Errorf("prepared %v: a page is hidden", prepared)
		}
		g.saveKept(t, file)
		uncached(g.Server)
		if len(g.inHeader(t, file)) == 0 {
			t.Errorf("prepared %v: a file is hidden", prepared)
		}
	}
}

// An object of which only the store knows the answers of the metadata keeps
// what it came to when another comes there, too.
func TestRecentAnswersOfShownMetadata(t *testing.T) {
	const shared = "https://repo.example.org/recent/shared"
	// The answer of a GetRecord request that is a file, too, is its own.
	record := bridge.ContentResource{URL: oaipmh.GetRecordURL(oaiURL, identifierOf("x"), "oai_dc")}
	object := func(page string, files ...bridge.ContentResource) bridge.Object {
		return bridge.Object{LandingPage: bridge.LandingPage{URL: page}, Items: files}
	}
	g := newGateway(t, nil)
	g.save(t, "x", object("https://repo.example.org/recent/x", record), false)
	g.save(t, "y", object("https://repo.example.org/recent/y"), false)
	g.prepare(t)
	g.save(t, "x", object(shared, record), false)
	g.renew(t)
	g.save(t, "y", object(shared), false)
	g.renew(t)
	plain, err := New(g.Config, g.db)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := answerOf(g.Server, "/links", shared)
	_, want, _ := answerOf(plain, "/links", shared)
	if got.Get("Link") != want.Get("Link") {
		t.Errorf("got  %s\nwant %s", got.Get("Link"), want.Get("Link"))
	}
}

// Metadata that no link leads to have no links by any other name of their host
// either: another object may have its page there.
func TestUnlinkedMetadataUnderAnotherName(t *testing.T) {
	g := newGateway(t, nil)
	g.Config.Repositories[0].Hosts = []string{"eprints.example.org", "third.example.org"}
	g.restart(t)
	request := oaipmh.GetRecordURL("https://eprints.example.org/oai/request", identifierOf("gone"), "oai_dc")
	page := oaipmh.GetRecordURL("https://third.example.org/oai/request", identifierOf("gone"), "oai_dc")
	g.save(t, "there", bridge.Object{LandingPage: bridge.LandingPage{URL: page}}, false)
	g.prepare(t)
	if links := g.inHeader(t, request); len(links) > 0 {
		t.Errorf("got %v, want none", links)
	}
}

// A file that is not put into use is closed; one that is in use is left open.
func TestUnusedAnswersAreClosed(t *testing.T) {
	g := newGateway(t, nil)
	g.prepare(t)
	other, err := openPrepared(g.answersFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		p    *prepared
		want error
	}{{other, os.ErrClosed}, {g.prepared.Load(), nil}} {
		if kept, err := g.adopt(t.Context(), tt.p, "another", 0); kept || err != nil {
			t.Fatalf("put into use: %v, %v", kept, err)
		}
		if _, _, err := tt.p.Find(nameOfURL(articlePage), new([]byte)); !errors.Is(err, tt.want) {
			t.Errorf("got error %v, want %v", err, tt.want)
		}
	}
}
