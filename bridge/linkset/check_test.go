package linkset

import (
	"errors"
	"testing"
)

func TestCheck(t *testing.T) {
	good := Link{
		Anchor: "https://repo.example/page?id=1,2;3", Rel: "describedby", Href: "https://repo.example/dc/7",
		Type: "application/vnd.datacite.datacite+xml", Profile: "http://datacite.org/schema/kernel-4",
	}
	if err := Check(good); err != nil {
		t.Errorf("%v: want it legal, got %v", good, err)
	}
	tests := []struct {
		name   string
		change func(*Link)
		want   error // nil if legal
	}{
		{"no type and no profile", func(l *Link) { l.Type, l.Profile = "", "" }, nil},
		{"a relation type of one's own", func(l *Link) { l.Rel = "http://www.w3.org/ns/ldp#inbox" }, nil},
		{"a profile that is a URN", func(l *Link) { l.Profile = "urn:x:y" }, nil},
		{"no anchor", func(l *Link) { l.Anchor = "" }, ErrEmpty},
		{"a relative anchor", func(l *Link) { l.Anchor = "/page" }, ErrRelative},
		{"an anchor with a space", func(l *Link) { l.Anchor += " " }, errEncoding},
		{"no relation type", func(l *Link) { l.Rel = "" }, errRel},
		{"two relation types", func(l *Link) { l.Rel = "item describedby" }, errRel},
		{"a relation type in capitals", func(l *Link) { l.Rel = "Item" }, errRel},
		{"a relation type that begins with a digit", func(l *Link) { l.Rel = "1st" }, errRel},
		{"a relation type that is a JSON member of a context", func(l *Link) { l.Rel = "anchor" }, errRel},
		{"a relation type that is no URI", func(l *Link) { l.Rel = "http://a b/" }, errRel},
		{"no target", func(l *Link) { l.Href = "" }, ErrEmpty},
		{"a target with a comma", func(l *Link) { l.Href = "https://doi.org/10.5555/a,b" }, errEncoding},
		{"a target that is a URN", func(l *Link) { l.Href = "urn:nbn:de:1-2" }, errScheme},
		{"a media type with parameters", func(l *Link) { l.Type = "text/xml; charset=utf-8" }, errMediaType},
		{"a media type in capitals", func(l *Link) { l.Type = "text/XML" }, errMediaType},
		{"a media type without subtype", func(l *Link) { l.Type = "pdf" }, errMediaType},
		{"a profile that is a name", func(l *Link) { l.Profile = "oai_dc" }, ErrRelative},
		{"two profiles", func(l *Link) { l.Profile = "http://a.example/ http://b.example/" }, errEncoding},
	}
	for _, test := range tests {
		l := good
		test.change(&l)
		if err := Check(l); !errors.Is(err, test.want) {
			t.Errorf("%s: want %v, got %v", test.name, test.want, err)
		}
	}
}

func TestMediaType(t *testing.T) {
	tests := []struct {
		raw, want string
		ok        bool
	}{
		{"application/pdf", "application/pdf", true},
		{" Text/HTML ; charset=UTF-8", "text/html", true},
		{"application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text", true},
		{"application/ld+json", "application/ld+json", true},
		{"", "", false},
		{"pdf", "", false},
		{"application/", "", false},
		{"/pdf", "", false},
		{"application/pdf/a", "", false},
		{"application/p df", "", false},
		{"application/pdf, text/html", "", false},
		{"text/\"html", "", false},
		{"*/*", "", false},
		{"text/é", "", false},
	}
	for _, test := range tests {
		if got, ok := MediaType(test.raw); got != test.want || ok != test.ok {
			t.Errorf("MediaType(%q): want %q, %v, got %q, %v", test.raw, test.want, test.ok, got, ok)
		}
	}
}
