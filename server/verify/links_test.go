package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
)

func TestMerged(t *testing.T) {
	link := func(href, mediaType, profile string) linkset.Link {
		return linkset.Link{Anchor: page, Rel: "describedby", Href: href, Type: mediaType, Profile: profile}
	}
	tests := []struct {
		name string
		a, b linkset.LinkSet
		want linkset.LinkSet
	}{
		{"the same", linkset.LinkSet{link("http://a/", "text/xml", "")}, linkset.LinkSet{link("http://a/", "Text/XML", "")}, linkset.LinkSet{link("http://a/", "text/xml", "")}},
		{"a comma, encoded or not", linkset.LinkSet{link("http://a/1%2C2", "", "")}, linkset.LinkSet{link("http://a/1,2", "", "")}, linkset.LinkSet{link("http://a/1%2C2", "", "")}},
		{"the second says more", linkset.LinkSet{link("http://a/", "", "")}, linkset.LinkSet{link("http://a/", "text/xml", "http://p/")}, linkset.LinkSet{link("http://a/", "text/xml", "http://p/")}},
		{"two types", linkset.LinkSet{link("http://a/", "text/xml", "")}, linkset.LinkSet{link("http://a/", "text/csv", "")}, linkset.LinkSet{link("http://a/", "text/xml", ""), link("http://a/", "text/csv", "")}},
		{"two profiles", linkset.LinkSet{link("http://a/", "text/xml", "http://p/")}, linkset.LinkSet{link("http://a/", "text/xml", "http://q/")}, linkset.LinkSet{link("http://a/", "text/xml", "http://p/"), link("http://a/", "text/xml", "http://q/")}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, merged(tt.a, tt.b)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}
