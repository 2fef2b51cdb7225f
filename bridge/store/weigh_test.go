package store

import (
	"fmt"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
)

// A Signmap's entry must not be larger than it was taken to be.
func TestWeighIsGenerous(t *testing.T) {
	long := strings.Repeat("&ü ", 100)
	for name, o := range map[string]bridge.Object{
		"nothing":     {LandingPage: bridge.LandingPage{URL: "https://repository.example/1"}},
		"a bit":       {LandingPage: bridge.LandingPage{URL: "https://repository.example/1"}, CiteAs: "https://doi.org/10.5555/1", License: "https://creativecommons.org/licenses/by/4.0/"},
		"many files":  {LandingPage: bridge.LandingPage{URL: "https://repository.example/1"}, Items: slicesOf(500, bridge.ContentResource{URL: "https://repository.example/1.pdf", MediaType: "application/pdf"})},
		"described":   {LandingPage: bridge.LandingPage{URL: "https://repository.example/1"}, Documents: 1, DescribedBy: slicesOf(9, bridge.MetadataResource{URL: "https://repository.example/ro-crate-metadata.json", MediaType: "application/ld+json", Profile: "https://w3id.org/ro/crate"})},
		"long, & odd": {LandingPage: bridge.LandingPage{URL: "https://repository.example/" + long}, CiteAs: "https://doi.org/10.5555/" + long, Authors: slicesOf(20, "https://orcid.org/"+long)},
	} {
		identifier := "oai:repository.example:" + long
		gateway := bridge.Gateway{
			LinkSetJSON: "https://signposting.library.university.example/gateway/repository/abcdefghijklmnop/linkset.json",
			LinkSetText: "https://signposting.library.university.example/gateway/repository/abcdefghijklmnop/linkset.txt",
		}
		if o.Documents != 0 {
			gateway.Documents = slicesOf(7, bridge.MetadataResource{
				URL:       "https://signposting.library.university.example/gateway/repository/abcdefghijklmnop/metadata/schema.jsonld",
				MediaType: "application/vnd.citationstyles.csl+json", Profile: "https://w3id.org/cdif/discovery/1.1",
			})
		}
		for _, formats := range []int{2, 15} {
			metadata := slicesOf(formats, bridge.MetadataResource{
				URL:       "https://repository.example/cgi-bin/oai2/request?verb=GetRecord&metadataPrefix=oai_datacite&identifier=" + identifier,
				MediaType: "text/xml", Profile: "http://www.openarchives.org/OAI/2.0/oai_dc/",
			})
			links := bridge.Signpost(o, metadata, gateway)
			if want, got := int64(len(entry(links))), weigh(identifier, &o, len(metadata)); got < want || got > 3*want+1000 {
				t.Errorf("%s in %d formats: got weight %d for an entry of %d bytes", name, formats, got, want)
			}
		}
	}
}

func slicesOf[T any](n int, v T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// entry is what the server writes of the landing page's links into a Signmap.
func entry(links linkset.LinkSet) string {
	if len(links) == 0 {
		return ""
	}
	var b strings.Builder
	xml := strings.NewReplacer("&", "&amp;", "'", "&#39;")
	fmt.Fprintf(&b, "<url><loc>%s</loc><lastmod>2024-02-03T04:05:06Z</lastmod>", xml.Replace(links[0].Anchor))
	for _, l := range links.From(links[0].Anchor) {
		fmt.Fprintf(&b, `<rs:ln rel="%s" href="%s"`, l.Rel, xml.Replace(l.Href))
		if l.Type != "" {
			fmt.Fprintf(&b, ` type="%s"`, l.Type)
		}
		if l.Profile != "" {
			fmt.Fprintf(&b, ` profile="%s"`, l.Profile)
		}
		b.WriteString("/>")
	}
	return b.String() + "</url>\n"
}

// The index of URLs is made of these: if a URL's normal form changes, databases
// have to be made anew.
func TestFindersStay(t *testing.T) {
	for uri, want := range map[string]int64{
		"http://Repository.example:80/handle/20.500.12345/678/#x": 1220147152367478314,
		"https://dx.doi.org/10.5555/ABC":                          4249347133890523227,
		"https://repository.example/a%7eb?x=1&y=%C3%BC":           -9157154142335943129,
	} {
		if got := hash64(bridge.NormalURL(uri)); got != want {
			t.Errorf("%s: got %d, want %d", uri, got, want)
		}
	}
}
