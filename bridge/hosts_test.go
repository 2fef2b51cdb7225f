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
