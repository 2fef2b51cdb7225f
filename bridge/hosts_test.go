package bridge

import "testing"

func TestPlaceholder(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "example.com": true, "www.example.com": true, "Example.COM": true, "bitstream.baseUrl": true,
		"example.org": false, "repo.example.edu": false, "notexample.com": false, "baseurl.example.edu": false, "": false,
	} {
		if got := isPlaceholder(host); got != want {
			t.Errorf("isPlaceholder(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestHosts(t *testing.T) {
	h := hosts{named: "repo.example.edu", listed: []string{"archive.example.org"}}
	local := hosts{named: "localhost"}
	for _, test := range []struct {
		name string
		got  bool
		want bool
	}{
		{"that of the OAI identifier", h.own("WWW.Repo.example.edu"), true},
		{"one that the administrator named", h.own("archive.example.org"), true},
		{"another", h.own("other.example.edu"), false},
		{"a name without a domain", local.own("localhost"), false},
		{"below that of the OAI identifier", h.below("papers.repo.example.edu"), true},
		{"not below but beside it", h.below("myrepo.example.edu"), false},
		{"below a name without a domain", local.below("papers.localhost"), false},
		{"of the same organisation", h.sameSite("library.example.edu"), true},
		{"of the organisation of a named host", h.sameSite("www.example.org"), true},
		{"of another organisation", h.sameSite("library.example.net"), false},
		{"a public suffix", h.sameSite("edu"), false},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
}
