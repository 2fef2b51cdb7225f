package linkset

import (
	"errors"
	"strings"
	"testing"
)

func TestURIs(t *testing.T) {
	const same = "="
	tests := []struct {
		name, raw, target, anchor string
	}{
		{"a plain landing page", "https://repo.example/handle/1/2", same, same},
		{"nothing but a host", "https://repo.example", same, same},
		{"a query string page", "http://repo.example/view?id=1&lang=en", same, same},
		{"host and scheme keep their case", "HTTP://Repo.Example/A", same, same},
		{"a port", "http://repo.example:8080/x", same, same},
		{"an IPv6 address", "http://[2001:db8::1]:8080/x", same, same},
		{"an underscore in the host", "http://my_repo.example/", same, same},
		{"a comma", "https://doi.org/10.1/a,b", "https://doi.org/10.1/a%2Cb", same},
		{"a semicolon", "https://doi.org/10.1/a;b", "https://doi.org/10.1/a%3Bb", same},
		{"a DOI of the SICI kind", "https://doi.org/10.1002/(SICI)1(1997)15:1<1::AID-A>3.0.CO;2-#",
			"https://doi.org/10.1002/(SICI)1(1997)15:1%3C1::AID-A%3E3.0.CO%3B2-#",
			"https://doi.org/10.1002/(SICI)1(1997)15:1%3C1::AID-A%3E3.0.CO;2-#"},
		{"what is encoded is not encoded again", "http://h.example/a%2cb%20c%3C", same, same},
		{"a percent sign that begins no escape", "http://h.example/100%/%zz/%4",
			"http://h.example/100%25/%25zz/%254", "http://h.example/100%25/%25zz/%254"},
		{"spaces", " http://h.example/my file.pdf\n", "http://h.example/my%20file.pdf", "http://h.example/my%20file.pdf"},
		{"spaces that cannot be seen", "\uFEFFhttp://h.example/a\u00A0\u200B", "http://h.example/a", "http://h.example/a"},
		{"square brackets", "http://h.example/a[1]?b[]=2", "http://h.example/a%5B1%5D?b%5B%5D=2", "http://h.example/a%5B1%5D?b%5B%5D=2"},
		{"all that no URI may contain", "http://h.example/\"<>{}|\\^`", "http://h.example/%22%3C%3E%7B%7D%7C%5C%5E%60", "http://h.example/%22%3C%3E%7B%7D%7C%5C%5E%60"},
		{"a second number sign", "http://h.example/#/view#top", "http://h.example/#/view%23top", "http://h.example/#/view%23top"},
		{"letters beyond ASCII", "http://h.example/Büro?q=é#ж", "http://h.example/B%C3%BCro?q=%C3%A9#%D0%B6", "http://h.example/B%C3%BCro?q=%C3%A9#%D0%B6"},
		{"Latin-1 bytes", "http://h.example/B\xfcro", "http://h.example/B%FCro", "http://h.example/B%FCro"},
		{"a host beyond ASCII", "https://bücher.example:81/x", "https://xn--bcher-kva.example:81/x", "https://xn--bcher-kva.example:81/x"},
		{"a host in full-width letters", "https://ｅxample.org/", "https://example.org/", "https://example.org/"},
		{"markup", "http://h.example/<script>alert('x')</script>", "http://h.example/%3Cscript%3Ealert('x')%3C/script%3E", "http://h.example/%3Cscript%3Ealert('x')%3C/script%3E"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check := func(name string, f func(string) (string, error), want string) {
				if want == same {
					want = test.raw
				}
				if got, err := f(test.raw); got != want || err != nil {
					t.Errorf("%s: want %q, got %q, %v", name, want, got, err)
				}
			}
			check("Target", Target, test.target)
			check("Anchor", Anchor, test.anchor)
		})
	}
}

func TestRefusedURIs(t *testing.T) {
	tests := []struct {
		raw    string
		reason error
	}{
		{"", ErrEmpty},
		{" \t\n", ErrEmpty},
		{"/handle/1/2", ErrRelative},
		{"//repo.example/x", ErrRelative},
		{"repo.example/x", ErrRelative},
		{"10.1234/5678", ErrRelative},
		{"http:", ErrRelative},
		{"urn:nbn:de:1-2", errScheme},
		{"doi:10.1234/5678", errScheme},
		{"javascript:alert(1)", errScheme},
		{"ftp://repo.example/x", errScheme},
		{"http:/repo.example/x", errHost},
		{`http:\\repo.example\x`, errHost},
		{"http://", errHost},
		{"http:///x", errHost},
		{"http://?x", errHost},
		{"http://:80/x", errHost},
		{"http://repo.example:port/x", errHost},
		{"http://repo.example:0/x", errHost},
		{"http://repo.example:65536/x", errHost},
		{"http://repo..example/x", errHost},
		{"http://repo,example/x", errHost},
		{"http://re po.example/x", errHost},
		{`http://repo.example\x`, errHost},
		{"http://repo%2eexample/x", errHost},
		{"http://[::1/x", errHost},
		{"http://[10.0.0.1]/x", errHost},
		{"http://[::1]x/", errHost},
		{"http://℀.example/x", errHost},
		{"http://user@repo.example/x", errUserinfo},
		{"http://user:secret@repo.example/x", errUserinfo},
		{`http://repo.example\@evil.example/x`, errUserinfo},
		{"http://repo.example/a\nb", errControl},
		{"http://repo.example/a\r\nSet-Cookie: x", errControl},
		{"http://repo.example/a\x00b", errControl},
		{"http://repo.example/a\x7fb", errControl},
		{"http://repo.example/a\u0085b", errControl},
		{"http://repo.example/" + strings.Repeat("a", MaxURI), errLong},
		{"http://repo.example/" + strings.Repeat("ü", MaxURI/4), errLong}, // once it is encoded
	}
	for _, test := range tests {
		for name, f := range map[string]func(string) (string, error){"Target": Target, "Anchor": Anchor} {
			got, err := f(test.raw)
			var value *ValueError
			if !errors.Is(err, test.reason) || !errors.As(err, &value) || got != "" {
				t.Errorf("%s(%q): want %q, got %q, %v", name, test.raw, test.reason, got, err)
			}
		}
	}
}

func TestURIOfAnyScheme(t *testing.T) {
	for _, uri := range []string{
		"urn:nbn:de:1-2", "info:eu-repo/semantics/article", "tag:example.org,2020:x;y",
		"http://www.openarchives.org/OAI/2.0/oai_dc/", "https://w3id.org/ro/crate#x", "file:///x",
	} {
		if got, err := URI(uri); got != uri || err != nil {
			t.Errorf("URI(%q): want it as it is, got %q, %v", uri, got, err)
		}
	}
	for raw, reason := range map[string]error{
		"oai_dc": ErrRelative, "urn:": ErrRelative, "1a:b": ErrRelative, "http:x": errHost, "ftp://a@b/": errUserinfo,
	} {
		if got, err := URI(raw); !errors.Is(err, reason) {
			t.Errorf("URI(%q): want %q, got %q, %v", raw, reason, got, err)
		}
	}
}
