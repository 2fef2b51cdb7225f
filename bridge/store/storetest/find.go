package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// shared is a URL that several objects of a test have.
const shared = "https://repository.example/shared?a=1&b=2"

func landing(o *store.Object) { o.LandingPage.URL = shared }
func citeAs(o *store.Object)  { o.CiteAs = shared }
func alias(o *store.Object)   { o.Aliases = append(o.Aliases, shared) }
func item(o *store.Object)    { o.Items = append(o.Items, bridge.ContentResource{URL: shared}) }

var findTests = []test{
	{"an object is found by each of its URLs and their other forms", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, objects(5)...)
		o := object("oai:x:3")
		for role, uri := range o.URLs() {
			got, err := s.Find(t.Context(), uri)
			if err != nil || got.Identifier != o.Identifier || got.Repository != repo {
				t.Errorf("role %d, %s: got %q in %q and error %v, want %q", role, uri, got.Identifier, got.Repository, err, o.Identifier)
			}
		}
		other := "http://REPOSITORY.EXAMPLE" + o.LandingPage.URL[len("https://repository.example"):]
		if bridge.NormalURL(other) != bridge.NormalURL(o.LandingPage.URL) {
			t.Fatalf("%s should be another form of %s", other, o.LandingPage.URL)
		}
		equal(t, "another form", must[store.Object](t)(s.Find(t.Context(), other)).Identifier, o.Identifier)
	}},
	{"what no object has is not found", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"), store.Object{Identifier: "oai:x:2"})
		for _, uri := range []string{"", " ", "https://repository.example/", "https://repository.example/records/", "%", "\x00", "https://creativecommons.org/licenses/by/4.0/", "https://schema.org/Article"} {
			_, err := s.Find(t.Context(), uri)
			notFound(t, uri, err)
		}
	}},
	{"a landing page is preferred to an identifier, that to an alias, that to a file", func(t *testing.T, s *store.DB) {
		for i, change := range []func(*store.Object){item, alias, citeAs, landing} {
			o := with(objects(4)[i], change)
			saveObjects(t, s, o)
			equal(t, "found", must[store.Object](t)(s.Find(t.Context(), shared)).Identifier, o.Identifier)
		}
	}},
	{"of several with the same role the oldest is found", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:2"), object("oai:x:1"), object("oai:x:3"))
		for _, id := range []string{"oai:x:3", "oai:x:1", "oai:x:2"} {
			saveObjects(t, s, with(object(id), landing))
		}
		equal(t, "found", must[store.Object](t)(s.Find(t.Context(), shared)).Identifier, "oai:x:2")
	}},
	{"a live object is preferred to a deleted one", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, with(object("oai:x:1"), landing), with(object("oai:x:2"), item))
		saveObjects(t, s, gone("oai:x:1"))
		equal(t, "found", must[store.Object](t)(s.Find(t.Context(), shared)).Identifier, "oai:x:2")
		saveObjects(t, s, gone("oai:x:2"))
		equal(t, "found when both are gone", must[store.Object](t)(s.Find(t.Context(), shared)).Identifier, "oai:x:1")
		saveObjects(t, s, with(object("oai:x:2"), item))
		equal(t, "found when one is back", must[store.Object](t)(s.Find(t.Context(), shared)).Identifier, "oai:x:2")
	}},
	{"a URL that an object had does not find it", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, with(object("oai:x:1"), landing), with(object("oai:x:2"), item))
		saveObjects(t, s, object("oai:x:1"))
		equal(t, "found", must[store.Object](t)(s.Find(t.Context(), shared)).Identifier, "oai:x:2")
		saveObjects(t, s, object("oai:x:2"))
		_, err := s.Find(t.Context(), shared)
		notFound(t, "when nobody has it", err)
	}},
	{"the order in which repositories were harvested does not count", func(t *testing.T, s *store.DB) {
		saveIn(t, s, "c", store.Batch{Objects: []store.Object{with(object("oai:x:1"), citeAs)}})
		saveIn(t, s, "b", store.Batch{Objects: []store.Object{with(object("oai:x:3"), citeAs), with(object("oai:x:2"), citeAs)}})
		saveIn(t, s, "a", store.Batch{Objects: []store.Object{with(object("oai:x:1"), item)}})
		saveIn(t, s, "d", store.Batch{Objects: []store.Object{with(object("oai:x:1"), landing)}})
		equal(t, "found", places(t, s), []string{"d oai:x:1", "b oai:x:3", "b oai:x:2", "c oai:x:1", "a oai:x:1"})
		equal(t, "found in some", places(t, s, "a", "c"), []string{"c oai:x:1", "a oai:x:1"})
		saveIn(t, s, "d", store.Batch{Objects: []store.Object{gone("oai:x:1")}})
		equal(t, "found when one is gone", places(t, s), []string{"b oai:x:3", "b oai:x:2", "c oai:x:1", "a oai:x:1", "d oai:x:1"})
		equal(t, "found by nothing", must[[]store.Object](t)(s.FindAll(t.Context(), "https://x.example/")), []store.Object{})
	}},
	{"not more than a few of the objects with a URL are read", func(t *testing.T, s *store.DB) {
		var all []store.Object
		for i := range 200 {
			all = append(all, with(object(fmt.Sprint("oai:x:", i)), item))
		}
		saveIn(t, s, "a", store.Batch{Objects: all})
		saveIn(t, s, "b", store.Batch{Objects: []store.Object{with(object("oai:x:1"), item)}})
		if n := len(places(t, s)); n < 10 || n > 100 {
			t.Errorf("found %d", n)
		}
		equal(t, "found in the other", places(t, s, "b"), []string{"b oai:x:1"})
	}},
	{"an identifier is looked for in all repositories", func(t *testing.T, s *store.DB) {
		saveIn(t, s, "b", store.Batch{Objects: objects(3)})
		saveIn(t, s, "a", store.Batch{Objects: []store.Object{object("oai:x:1")}})
		saveIn(t, s, "a", store.Batch{Objects: []store.Object{gone("oai:x:1")}})
		saveIn(t, s, "c", store.Batch{Records: []store.Record{{Identifier: "oai:x:1", Prefix: "oai_dc"}}}) // which could not be mapped
		got := must[[][]string](t)(s.RepositoriesOf(t.Context(), "oai:x:2", "oai:x:none", "oai:x:1", "oai:x:2", ""))
		equal(t, "repositories", got, [][]string{{"b"}, nil, {"a", "b", "c"}, {"b"}, nil})
		equal(t, "of nothing", must[[][]string](t)(s.RepositoriesOf(t.Context())), [][]string{})
	}},
	{"an object is found in any repository, or in those that are named", func(t *testing.T, s *store.DB) {
		saveIn(t, s, "a", store.Batch{Objects: []store.Object{with(object("oai:x:1"), item)}})
		saveIn(t, s, "b", store.Batch{Objects: []store.Object{with(object("oai:x:1"), landing)}})
		equal(t, "repository", must[store.Object](t)(s.Find(t.Context(), shared)).Repository, "b")
		equal(t, "repository of a and c", must[store.Object](t)(s.Find(t.Context(), shared, "a", "c")).Repository, "a")
		_, err := s.Find(t.Context(), shared, "c")
		notFound(t, "in c", err)
	}},
}

// places says where objects with the shared URL are, the first that is found
// first.
func places(t *testing.T, s *store.DB, in ...string) (out []string) {
	t.Helper()
	for _, o := range must[[]store.Object](t)(s.FindAll(t.Context(), shared, in...)) {
		out = append(out, o.Repository+" "+o.Identifier)
	}
	return out
}
