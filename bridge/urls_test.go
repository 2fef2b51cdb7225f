package bridge

import (
	"slices"
	"testing"
)

func TestSameURL(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"http://repo.example.edu/1/", "https://repo.example.edu/1", true},
		{"https://doi.org/10.5555/SICI(1)%3C2%3E", "doi:10.5555/sici(1)<2>", true},
		{"https://repo.example.edu/1", "https://repo.example.edu/2", false},
		{"https://repo.example.edu/A", "https://repo.example.edu/a", false},
		{"https://repo.example.edu/?id=1", "https://repo.example.edu/?id=2", false},
		{"https://repo.example.edu/a%2Cb%3B", "https://repo.example.edu/a,b;", true},
	} {
		if got := SameURL(test.a, test.b); got != test.want {
			t.Errorf("SameURL(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestObjectURLs(t *testing.T) {
	o := Object{
		LandingPage: LandingPage{URL: "https://repo.example.edu/1"},
		CiteAs:      "https://doi.org/10.5555/1",
		Aliases:     []string{"https://hdl.handle.net/1912/1"},
		Items: []ContentResource{
			{URL: "https://repo.example.edu/1/a.pdf", CiteAs: "https://doi.org/10.5555/1.a"},
			{URL: "https://repo.example.edu/1/b.csv"},
		},
	}
	type pair struct {
		role Role
		url  string
	}
	var got []pair
	for role, u := range o.URLs() {
		got = append(got, pair{role, u})
	}
	want := []pair{
		{LandingPageRole, "https://repo.example.edu/1"},
		{CiteAsRole, "https://doi.org/10.5555/1"},
		{AliasRole, "https://hdl.handle.net/1912/1"},
		{ItemRole, "https://repo.example.edu/1/a.pdf"},
		{AliasRole, "https://doi.org/10.5555/1.a"},
		{ItemRole, "https://repo.example.edu/1/b.csv"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for range (Object{}).URLs() {
		t.Error("the zero Object has a URL")
	}
}

// TestResourceKey holds which addresses are taken for one file, and which are not.
func TestResourceKey(t *testing.T) {
	keys := map[string]int{}
	for _, group := range [][]string{
		{
			"https://repo.example.edu/bitstream/20.500.1/12/1/a%20b.pdf",
			"http://repo.example.edu:80/xmlui/bitstream/handle/20.500.1/12/a b.pdf?sequence=1",
			"https://repo.example.edu/bitstream/handle/20.500.1/12/a%20b.pdf?isAllowed=y&sequence=1",
			"https://repo.example.edu/jspui/bitstream/20.500.1/12/1/a%20b.pdf?sequence=1&isAllowed=y",
		},
		{"https://repo.example.edu/bitstream/handle/20.500.1/12/a%20b.pdf?sequence=2"},
		{"https://repo.example.edu/bitstream/handle/20.500.1/12/1/a%20b.pdf?sequence=3"},
		{"https://repo.example.edu/bitstream/handle/20.500.1/13/a%20b.pdf?sequence=1"},
		{"https://other.example.edu/bitstream/20.500.1/12/1/a%20b.pdf"},
		{"https://repo.example.edu/bitstream/20.500.1/12/1/a%20b.pdf?version=2"},
		{
			"https://repo.example.edu/bitstreams/9f0c0b1e-0001-4000-8000-000000000001/download",
			"https://repo.example.edu/server/api/core/bitstreams/9f0c0b1e-0001-4000-8000-000000000001/content",
		},
		{
			"https://repo.example.edu/records/12/files/map.tif",
			"https://repo.example.edu/records/12/files/map.tif?download=1",
			"https://repo.example.edu/api/records/12/files/map.tif/content",
		},
		{"https://repo.example.edu/records/12/files/map.tif?download=1&version=2"},
	} {
		for _, uri := range group {
			if got, want := resourceKey(uri), resourceKey(group[0]); got != want {
				t.Errorf("%s has the key %s, and %s has %s: want one", uri, got, group[0], want)
			}
		}
		keys[resourceKey(group[0])]++
	}
	for key, n := range keys {
		if n > 1 {
			t.Errorf("%d different files have the key %s", n, key)
		}
	}
}
