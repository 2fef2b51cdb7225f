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

// A page that belongs to a series is a landing page all the same.
func TestPartOf(t *testing.T) {
	part := linkset.Link{Rel: "collection", Href: "https://repo.example/page/7"}
	described := linkset.Link{Rel: "describes", Href: "https://repo.example/page/7"}
	tests := []struct {
		links linkset.LinkSet
		want  string
	}{
		{linkset.LinkSet{part}, "is a part of https://repo.example/page/7"},
		{linkset.LinkSet{described}, "describes https://repo.example/page/7"},
		{linkset.LinkSet{part, {Rel: "cite-as", Href: "https://doi.org/10.1234/8"}}, ""},
		{linkset.LinkSet{part, {Rel: "describedby", Href: "https://repo.example/page/8.xml"}}, ""},
		{nil, ""},
	}
	for _, tt := range tests {
		if got := partOf(tt.links); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.links, got, tt.want)
		}
	}
}

// Of the anchors that are not the page, that is named which was meant to be it.
func TestNearMiss(t *testing.T) {
	const page = "https://repo.example/page/7"
	file := linkset.Link{Anchor: "https://repo.example/file.pdf", Rel: "collection"}
	tests := []struct {
		links linkset.LinkSet
		want  string
	}{
		{nil, ": it is empty"},
		{linkset.LinkSet{file}, ", but for https://repo.example/file.pdf"},
		{linkset.LinkSet{file, {Anchor: "https://repo.example/7", Rel: "cite-as"}}, ", but for https://repo.example/7"},
		{linkset.LinkSet{file, {Anchor: "http://www.repo.example/page/7/", Rel: "type"}}, ", but for http://www.repo.example/page/7/"},
	}
	for _, tt := range tests {
		if got := nearMiss(tt.links, page); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.links, got, tt.want)
		}
	}
}
