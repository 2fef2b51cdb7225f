package bridge

import (
	"slices"
	"testing"
)

func TestNormalURL(t *testing.T) {
	for u, want := range map[string]string{
		"https://repo.example.edu/records/1":         "https://repo.example.edu/records/1",
		"http://Repo.Example.EDU:80/records/1/":      "https://repo.example.edu/records/1",
		"HTTPS://repo.example.edu:443/records/1#top": "https://repo.example.edu/records/1",
		"https://repo.example.edu:8443/Records/1":    "https://repo.example.edu:8443/Records/1",
		"https://repo.example.edu":                   "https://repo.example.edu",
		"https://repo.example.edu/":                  "https://repo.example.edu",
		"https://me:secret@repo.example.edu/":        "https://repo.example.edu",
		"https://repo.example.edu/a?b=c/":            "https://repo.example.edu/a?b=c/",
		"https://repo.example.edu/a/?b=c&d=%2f":      "https://repo.example.edu/a?b=c&d=%2F",
		"https://repo.example.edu/a?":                "https://repo.example.edu/a",
		"https://repo.example.edu/%7Eada/%e4%b8%ad":  "https://repo.example.edu/~ada/%E4%B8%AD",
		"https://repo.example.edu/~ada/中":            "https://repo.example.edu/~ada/%E4%B8%AD",
		"https://repo.example.edu/a%2Cb,c;d":         "https://repo.example.edu/a%2Cb%2Cc%3Bd",
		"https://repo.example.edu/a%2Fb":             "https://repo.example.edu/a%2Fb",
		"https://repo.example.edu/100%":              "https://repo.example.edu/100%25",
		"https://repo.example.edu/ark%3A/12345/x":    "https://repo.example.edu/ark:/12345/x",
		"doi:10.5555/ABC":                            "https://doi.org/10.5555/abc",
		"http://dx.doi.org/10.5555/Abc":              "https://doi.org/10.5555/abc",
		"https://doi.org/10.5555/a%3Cb%3E%3B":        "https://doi.org/10.5555/a%3Cb%3E",
		"http://hdl.handle.net/1912/LU-1":            "https://hdl.handle.net/1912/lu-1",
		"hdl:1912/LU-1":                              "https://hdl.handle.net/1912/lu-1",
		"http://nbn-resolving.de/urn:nbn:de:1-2":     "https://nbn-resolving.org/urn:nbn:de:1-2",
		"https://arxiv.org/pdf/0709.2184":            "https://arxiv.org/pdf/0709.2184", // not the abstract
		"ark:/12345/x":                               "https://n2t.net/ark:/12345/x",
		"mailto:ada@shores.example.edu":              "mailto:ada@shores.example.edu",
		"":                                           "",
	} {
		if got := NormalURL(u); got != want {
			t.Errorf("NormalURL(%q) = %q, want %q", u, got, want)
		}
	}
}

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

func FuzzNormalURL(f *testing.F) {
	for _, s := range []string{
		"http://Repo.Example.edu:80/a/?b=%2f#c", "doi:10.5555/%41", "https://doi.org/10.5555/a%2E", "hdl:1/2/", "https://a/%zz",
		"https://hdl.handle.net/1/a%3Fb", "http://nbn-resolving.de/urn/resolver.pl?urn:nbn:de:1", "http:///", "http://@:80:80/", "ark:/12345/%",
		"http://g .", "http://o.example.edu:80:80", "http://[::1]:80/a", "http://nbn-resolving.de/urn/resolve\x81.pl?urn:nbn:de:1", "http://doi.org/10.5555/a%2\xbe",
		"http://doi.org/10.0000/\x11A",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, u string) {
		once := NormalURL(u)
		if twice := NormalURL(once); twice != once {
			t.Errorf("NormalURL(%q) = %q, of which it makes %q", u, once, twice)
		}
	})
}

func BenchmarkNormalURL(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NormalURL("https://repo.example.edu/id/eprint/4711/1/ripples.pdf")
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
