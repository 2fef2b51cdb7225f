package identifier

import "testing"

func TestNormalURL(t *testing.T) {
	for u, want := range map[string]string{
		"http://Repo.Example.EDU:80/records/1/":  "https://repo.example.edu/records/1",
		"doi:10.5555/ABC":                        "https://doi.org/10.5555/abc",
		"http://dx.doi.org/10.5555/Abc":          "https://doi.org/10.5555/abc",
		"https://doi.org/10.5555/a%3Cb%3E%3B":    "https://doi.org/10.5555/a%3Cb%3E",
		"http://hdl.handle.net/1912/LU-1":        "https://hdl.handle.net/1912/lu-1",
		"hdl:1912/LU-1":                          "https://hdl.handle.net/1912/lu-1",
		"http://nbn-resolving.de/urn:nbn:de:1-2": "https://nbn-resolving.org/urn:nbn:de:1-2",
		"https://arxiv.org/pdf/0709.2184":        "https://arxiv.org/pdf/0709.2184", // not the abstract
		"ark:/12345/x":                           "https://n2t.net/ark:/12345/x",
		"mailto:ada@shores.example.edu":          "mailto:ada@shores.example.edu",
		"":                                       "",
	} {
		if got := NormalURL(u); got != want {
			t.Errorf("NormalURL(%q) = %q, want %q", u, got, want)
		}
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
