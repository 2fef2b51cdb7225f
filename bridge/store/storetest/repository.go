package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

var repositoryTests = []test{
	{"a repository comes back whole, and is replaced whole", func(t *testing.T, s *store.DB) {
		want := store.Repository{
			ID: repo, OAIURL: "https://repository.example/oai?x=1&y=2",
			Identify: oaipmh.Identify{
				RepositoryName: `Bücher & "Söhne"`, BaseURL: "http://repository.example/oai", ProtocolVersion: "2.0",
				AdminEmails: []string{"a@example.org", "b@example.org"}, EarliestDatestamp: "1990-01-01",
				DeletedRecord: oaipmh.Transient, Granularity: oaipmh.Second, Descriptions: []string{"<a/>"}, ResponseDate: day(1),
			},
			Formats: []oaipmh.MetadataFormat{{Prefix: "oai_dc", Namespace: "http://www.openarchives.org/OAI/2.0/oai_dc/"}},
			Offered: store.Offered{Of: []oaipmh.MetadataFormat{{Prefix: "mods"}, {Prefix: "rdf"}}, Prefixes: []string{"mods"}, At: day(2)},
			Mapping: bridge.Learned{Platform: "dspace", OwnPrefixes: []string{"10.5555"}},
			Pause:   store.Pause{At: day(1), Until: day(2), Reason: "repository.example asked for a pause"},
		}
		for range 2 {
			if err := s.SaveRepository(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			equal(t, "repository", must[store.Repository](t)(s.Repository(t.Context(), repo)), want)
			want.Formats, want.Mapping = nil, bridge.Learned{Platform: "eprints"}
		}
	}},
	{"a repository that was never saved is not found", func(t *testing.T, s *store.DB) {
		_, err := s.Repository(t.Context(), repo)
		notFound(t, "before anything", err)
		if err := s.SaveRun(t.Context(), &store.Run{Repository: repo, State: store.Failed}); err != nil {
			t.Fatal(err)
		}
		saveObjects(t, s, object("oai:x:1"))
		_, err = s.Repository(t.Context(), repo)
		notFound(t, "after a run and an object", err)
	}},
	{"repositories that were saved come by ID", func(t *testing.T, s *store.DB) {
		equal(t, "none", must[[]store.Repository](t)(s.Repositories(t.Context())), []store.Repository(nil))
		want := []store.Repository{{ID: "a", OAIURL: "https://a.example/oai"}, {ID: "b", MappedBy: "7"}, {ID: "c"}}
		for _, i := range []int{2, 0, 1} {
			if err := s.SaveRepository(t.Context(), want[i]); err != nil {
				t.Fatal(err)
			}
		}
		saveIn(t, s, "never saved", full("x", 1))
		equal(t, "all", must[[]store.Repository](t)(s.Repositories(t.Context())), want)
	}},
	{"a brief says in a few words what was saved, and where the landing pages are", func(t *testing.T, s *store.DB) {
		equal(t, "none", must[map[string]store.Brief](t)(s.Briefs(t.Context())), map[string]store.Brief{})
		saveIn(t, s, "a", store.Batch{Objects: []store.Object{page("https://A.example:8443/1"), page("https://a.example/2"), page("https://doi.org/10.5555/3")}})
		formats := []oaipmh.MetadataFormat{{Prefix: "oai_dc", Namespace: "http://www.openarchives.org/OAI/2.0/oai_dc/"}, {Prefix: "mods"}}
		saved := store.Repository{ID: "a", Formats: formats, Identify: oaipmh.Identify{RepositoryName: "Bücher"}, Mapping: bridge.Learned{
			Origins: map[string]bridge.LearnedOrigin{"https://y.example/oai": {}, "https://x.example/oai": {}},
		}}
		for _, r := range []store.Repository{saved, {ID: "b"}, {ID: "c", Formats: formats}} {
			if err := s.SaveRepository(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		want := store.Brief{Name: "Bücher", PageHost: "a.example", Origins: []string{"https://x.example/oai", "https://y.example/oai"}, Formats: formats}
		all := must[map[string]store.Brief](t)(s.Briefs(t.Context()))
		equal(t, "one of all", []store.Brief{all["a"], all["b"], all["c"]}, []store.Brief{want, {}, {Formats: formats}})
		equal(t, "all", len(all), 3)
		equal(t, "one", must[store.Brief](t)(s.Brief(t.Context(), "a")), want)
		equal(t, "nobody", must[store.Brief](t)(s.Brief(t.Context(), "nobody")), store.Brief{})
	}},
	{"a clock moves when its repository or an object changes, and only then", func(t *testing.T, s *store.DB) {
		clocks := func() map[string]store.Clock { return must[map[string]store.Clock](t)(s.Clocks(t.Context())) }
		equal(t, "none", clocks(), map[string]store.Clock{})
		saveIn(t, s, "a", store.Batch{Objects: objects(3)})
		saveIn(t, s, "b", store.Batch{Objects: objects(2)})
		before := clocks()
		for _, id := range []string{"a", "b", "nobody"} {
			equal(t, "modified "+id, before[id].Modified, must[int64](t)(s.Modified(t.Context(), id)))
		}
		saveIn(t, s, "a", store.Batch{Objects: objects(3), Checkpoint: store.Checkpoint{Repository: "a", Prefix: "oai_dc"}})
		equal(t, "unchanged", clocks(), before)
		saveIn(t, s, "a", store.Batch{Objects: []store.Object{gone("oai:x:1")}})
		equal(t, "an object moves its own", clocks()["a"].Modified > before["a"].Modified, true)
		for range 2 {
			was := clocks()
			if err := s.SaveRepository(t.Context(), store.Repository{ID: "b"}); err != nil {
				t.Fatal(err)
			}
			equal(t, "a repository moves its own", clocks()["b"].Version > was["b"].Version, true)
			equal(t, "and no other", clocks()["a"], was["a"])
		}
		equal(t, "objects of b", clocks()["b"].Modified, before["b"].Modified)
	}},
	{"an unknown repository is empty", func(t *testing.T, s *store.DB) {
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), "nobody")), store.Counts{})
		equal(t, "modified", must[int64](t)(s.Modified(t.Context(), "nobody")), int64(0))
		equal(t, "objects", all(t, s.Objects(t.Context(), "nobody", 0)), []store.Object(nil))
		equal(t, "pages", must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), "nobody")), []store.SignmapPage(nil))
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), "nobody", "oai:x:1")), []store.Record(nil))
		equal(t, "runs", must[[]store.Run](t)(s.Runs(t.Context(), "nobody", 3)), []store.Run(nil))
	}},
	{"repositories do not see each other", func(t *testing.T, s *store.DB) {
		ids := []string{"a", "b", "A", "a/b", "", "a b"}
		for i, id := range ids {
			o := object("oai:x:1")
			o.Year = 2000 + i
			saveIn(t, s, id, store.Batch{Objects: []store.Object{o}, Records: []store.Record{record("oai:x:1", "oai_dc", id)}})
		}
		for i, id := range ids {
			o := must[store.Object](t)(s.Object(t.Context(), id, store.KeyOf("oai:x:1")))
			equal(t, "year in "+id, o.Year, 2000+i)
			equal(t, "repository", o.Repository, id)
			r := must[[]store.Record](t)(s.Records(t.Context(), id, "oai:x:1"))
			equal(t, "records in "+id, r, []store.Record{record("oai:x:1", "oai_dc", id)})
			equal(t, "counts in "+id, must[store.Counts](t)(s.Counts(t.Context(), id)), store.Counts{Objects: 1})
		}
	}},
	{"the coverage is that of the live objects, whatever was changed", func(t *testing.T, s *store.DB) {
		random := rand.New(rand.NewPCG(1, 1))
		for range 30 {
			var b store.Batch
			for range 20 {
				o := object(fmt.Sprint("oai:x:", random.IntN(100)))
				for _, lose := range []func(){
					func() { o.CiteAs = "" }, func() { o.License = "" }, func() { o.Items = nil }, func() { o.Authors = nil },
					func() { o.Items = []bridge.ContentResource{{URL: "https://repository.example/a"}} }, func() { o.Type = "https://schema.org/CreativeWork" },
					func() { o.Deleted = true },
				} {
					if random.IntN(4) == 0 {
						lose()
					}
				}
				b.Objects = append(b.Objects, o)
			}
			save(t, s, b)
		}
		var want bridge.Coverage
		for _, o := range all(t, s.Objects(t.Context(), repo, 0)) {
			if !o.Deleted {
				want.Add(o.Object)
			}
		}
		equal(t, "coverage", must[bridge.Coverage](t)(s.Coverage(t.Context(), repo)), want)
	}},
}

// page is an object with a landing page.
func page(url string) store.Object {
	return store.Object{Identifier: url, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: url}}}
}
