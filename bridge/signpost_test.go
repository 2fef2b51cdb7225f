package bridge

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
)

// The example of the FAIR Signposting Profile, 3, with what COAR Notify adds.
func exampleObject() (Object, []MetadataResource, Gateway) {
	o := Object{
		LandingPage: LandingPage{URL: "https://example.org/page/7507"},
		CiteAs:      "https://doi.org/10.5061/dryad.5d23f",
		License:     "https://creativecommons.org/licenses/by/4.0/",
		Type:        "https://schema.org/ScholarlyArticle",
		Authors:     []string{"https://orcid.org/0000-0002-1825-0097", "https://isni.org/isni/0000002251201436"},
		Items: []ContentResource{
			{URL: "https://example.org/file/7507/1", MediaType: "application/pdf", Type: "https://schema.org/ScholarlyArticle", License: "https://creativecommons.org/licenses/by/4.0/"},
			{URL: "https://example.org/file/7507/2", MediaType: "text/csv", Type: "https://schema.org/Dataset", CiteAs: "https://doi.org/10.5061/dryad.5d23f/2", License: "https://creativecommons.org/publicdomain/zero/1.0/"},
		},
	}
	metadata := []MetadataResource{{
		URL:       "https://example.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Aexample.org%3A7507",
		MediaType: "text/xml",
		Profile:   "http://www.openarchives.org/OAI/2.0/oai_dc/",
	}}
	g := Gateway{LinkSetJSON: "https://gateway.example.net/main/k/linkset.json", LinkSetText: "https://gateway.example.net/main/k/linkset.txt", Inbox: "https://example.org/inbox"}
	return o, metadata, g
}

func TestSignpost(t *testing.T) {
	o, metadata, g := exampleObject()
	const want = `https://example.org/page/7507
  cite-as     https://doi.org/10.5061/dryad.5d23f
  type        https://schema.org/ScholarlyArticle
  type        https://schema.org/AboutPage
  author      https://orcid.org/0000-0002-1825-0097
  author      https://isni.org/isni/0000002251201436
  license     https://creativecommons.org/licenses/by/4.0/
  item        https://example.org/file/7507/1 application/pdf
  item        https://example.org/file/7507/2 text/csv
  describedby https://example.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Aexample.org%3A7507 text/xml http://www.openarchives.org/OAI/2.0/oai_dc/
  linkset     https://gateway.example.net/main/k/linkset.json application/linkset+json
  linkset     https://gateway.example.net/main/k/linkset.txt application/linkset
  http://www.w3.org/ns/ldp#inbox https://example.org/inbox
https://example.org/file/7507/1
  collection  https://example.org/page/7507 text/html
  linkset     https://gateway.example.net/main/k/linkset.json application/linkset+json
  linkset     https://gateway.example.net/main/k/linkset.txt application/linkset
  http://www.w3.org/ns/ldp#inbox https://example.org/inbox
https://example.org/file/7507/2
  collection  https://example.org/page/7507 text/html
  type        https://schema.org/Dataset
  cite-as     https://doi.org/10.5061/dryad.5d23f/2
  license     https://creativecommons.org/publicdomain/zero/1.0/
  linkset     https://gateway.example.net/main/k/linkset.json application/linkset+json
  linkset     https://gateway.example.net/main/k/linkset.txt application/linkset
  http://www.w3.org/ns/ldp#inbox https://example.org/inbox
https://example.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Aexample.org%3A7507
  describes   https://example.org/page/7507 text/html
`
	set := Signpost(o, metadata, g)
	if diff := cmp.Diff(want, written(set)); diff != "" {
		t.Errorf("want (-) and got (+) differ:\n%s", diff)
	}
	for _, l := range set {
		if err := linkset.Check(l); err != nil {
			t.Errorf("%v: %v", l, err)
		}
	}
	if got := set.Rel("describedby")[0].Profile; got != "http://www.openarchives.org/OAI/2.0/oai_dc/" {
		t.Errorf("got profile %q", got)
	}
}

// Of each anchor, and of one that has none, the same links come alone.
// A header that is full keeps the first descriptions: those that say most.
func TestWhatDescribesComesInOrder(t *testing.T) {
	o, metadata, g := exampleObject()
	o.DescribedBy = []MetadataResource{{URL: "https://example.org/file/7507/ro-crate-metadata.json"}}
	g.Documents = []MetadataResource{{URL: "https://gateway.example.net/main/k/metadata/schema.jsonld"}}
	var got []string
	for _, l := range Signpost(o, metadata, g).From(o.LandingPage.URL).Rel(relDescribedBy) {
		got = append(got, l.Href)
	}
	if want := []string{g.Documents[0].URL, o.DescribedBy[0].URL, metadata[0].URL}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSignpostFrom(t *testing.T) {
	o, metadata, g := exampleObject()
	o.Items = append(o.Items, o.Items[0], ContentResource{URL: o.LandingPage.URL}, ContentResource{URL: metadata[0].URL})
	all := Signpost(o, metadata, g)
	anchors := []string{"https://example.org/elsewhere"}
	for _, l := range all {
		anchors = append(anchors, l.Anchor)
	}
	for _, anchor := range anchors {
		if diff := cmp.Diff(all.From(anchor), SignpostFrom(anchor, o, metadata, g)); diff != "" {
			t.Errorf("%s: want (-) and got (+) differ:\n%s", anchor, diff)
		}
	}
}

// A client that follows an item, or a describedby, must find the links of what
// it leads to by the very string it followed.
func TestSignpostCanBeJoined(t *testing.T) {
	o := Object{
		LandingPage: LandingPage{URL: "https://example.org/page/7,5;07"},
		Items:       []ContentResource{{URL: "https://example.org/file/a,b;c d.pdf"}, {URL: "https://example.org/file/%2C.pdf"}},
	}
	set := Signpost(o, []MetadataResource{{URL: "https://example.org/oai?id=1,2", MediaType: "text/xml"}}, Gateway{})
	for _, rel := range []string{"item", "describedby"} {
		for _, l := range set.Rel(rel) {
			if len(set.From(l.Href)) == 0 {
				t.Errorf("got no links from %s, the target of %s", l.Href, rel)
			}
		}
	}
	if got := set[0].Anchor; got != o.LandingPage.URL {
		t.Errorf("got the landing page as %s, want it as it is printed: %s", got, o.LandingPage.URL)
	}
}

func TestSignpostLeavesOut(t *testing.T) {
	const page = "https://example.org/page/7507"
	for _, c := range []struct {
		name   string
		object Object
		want   string
	}{
		{"everything, if the page cannot be an anchor", Object{LandingPage: LandingPage{URL: "javascript:alert(1)"}, CiteAs: "https://doi.org/10.5555/1"}, ""},
		{"everything, if there is no page", Object{CiteAs: "https://doi.org/10.5555/1"}, ""},
		{"what is not known", Object{LandingPage: LandingPage{URL: page}}, page + "\n  type        https://schema.org/AboutPage\n"},
		{"a second AboutPage", Object{LandingPage: LandingPage{URL: page}, Type: "https://schema.org/AboutPage"}, page + "\n  type        https://schema.org/AboutPage\n"},
		{"a target that is no URL", Object{LandingPage: LandingPage{URL: page}, CiteAs: "hdl:1/2", Authors: []string{"Doe, Jane"}}, page + "\n  type        https://schema.org/AboutPage\n"},
		{"the page as a file of itself", Object{LandingPage: LandingPage{URL: page}, Items: []ContentResource{{URL: page, MediaType: "text/html"}}}, page + "\n  type        https://schema.org/AboutPage\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, written(Signpost(c.object, nil, Gateway{}))); diff != "" {
				t.Errorf("want (-) and got (+) differ:\n%s", diff)
			}
		})
	}
}

func TestTombstone(t *testing.T) {
	o, _, _ := exampleObject()
	const want = "https://example.org/page/7507\n  cite-as     https://doi.org/10.5061/dryad.5d23f\n"
	if diff := cmp.Diff(want, written(Tombstone(o))); diff != "" {
		t.Errorf("want (-) and got (+) differ:\n%s", diff)
	}
	o.CiteAs = ""
	if got := Tombstone(o); len(got) != 0 {
		t.Errorf("got %v for an object without an identifier, want nothing", got)
	}
}
