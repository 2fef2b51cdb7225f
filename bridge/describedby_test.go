package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/crosswalk"
	"fingerpost/oaipmh"
)

func TestMetadataResources(t *testing.T) {
	const base = "https://repo.example.edu/oai"
	record := func(prefix string) string {
		return oaipmh.GetRecordURL(base, "oai:repo.example.edu:1", prefix)
	}
	own := func(prefix string) string {
		if prefix == "mods" {
			return "" // not kept
		}
		return "https://gateway.example.org/main/k/metadata/" + prefix + ".xml"
	}
	formats := []oaipmh.MetadataFormat{
		{Prefix: "oai_dc", Namespace: "http://www.openarchives.org/OAI/2.0/oai_dc/"},
		{Prefix: "oai_datacite", Namespace: "http://datacite.org/schema/kernel-4"}, // Dataverse's name for it
		{Prefix: "mods", Namespace: "http://www.loc.gov/mods/v3"},
		{Prefix: "ore", Namespace: "http://www.w3.org/2005/Atom"},
		{Prefix: "oai_ddi", Namespace: "ddi:codebook:2_5"},
		{Prefix: "local", Namespace: "not a URI"},
		{Prefix: "xoai", Namespace: "http://www.lyncode.com/xoai"},
		{Prefix: "epicur", Namespace: "urn:nbn:de:1111-2004033116"},
		{Prefix: "dataverse_json", Namespace: "Custom Dataverse JSON schema"},
	}
	want := []MetadataResource{
		{record("oai_dc"), "text/xml", "http://www.openarchives.org/OAI/2.0/oai_dc/"},
		{own("oai_dc"), "text/xml", "http://www.openarchives.org/OAI/2.0/oai_dc/"},
		{record("oai_datacite"), "text/xml", "http://datacite.org/schema/kernel-4"},
		{own("oai_datacite"), "application/vnd.datacite.datacite+xml", "http://datacite.org/schema/kernel-4"},
		{record("mods"), "text/xml", "http://www.loc.gov/mods/v3"},
		{record("ore"), "text/xml", "http://www.openarchives.org/ore/terms/"},
		{own("ore"), "application/atom+xml", "http://www.openarchives.org/ore/terms/"},
		{record("oai_ddi"), "text/xml", "https://ddialliance.org/Specification/DDI-Codebook/2.5/"},
		{own("oai_ddi"), "text/xml", "https://ddialliance.org/Specification/DDI-Codebook/2.5/"},
		{record("local"), "text/xml", ""},
		{own("local"), "text/xml", ""},
	}
	got := MetadataResources(base, "oai:repo.example.edu:1", formats, own)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMetadataResourcesOneKind(t *testing.T) {
	formats := []oaipmh.MetadataFormat{{Prefix: "oai_dc"}} // its namespace is known even if it is not stated
	if got := MetadataResources("https://repo.example.edu/oai", "1", formats, nil); len(got) != 1 ||
		got[0].MediaType != "text/xml" || got[0].Profile != crosswalk.OAIDC {
		t.Errorf("GetRecord alone: %v", got)
	}
	own := func(string) string { return "https://gateway.example.org/1" }
	if got := MetadataResources("", "1", formats, own); len(got) != 1 || got[0].URL != "https://gateway.example.org/1" {
		t.Errorf("copies alone: %v", got)
	}
}

func TestFormatOf(t *testing.T) {
	for namespace, want := range map[string]string{
		"http://datacite.org/schema/kernel-2.2":   "application/vnd.datacite.datacite+xml",
		"http://schema.datacite.org/oai/oai-1.1/": "text/xml", // the envelope
		"http://www.loc.gov/METS/":                "application/mets+xml",
		"http://www.loc.gov/METS/v2":              "application/mets+xml",
		"":                                        "text/xml",
	} {
		if got, _ := formatOf(oaipmh.MetadataFormat{Namespace: namespace}); got.MediaType != want {
			t.Errorf("the media type of %q is %q, want %q", namespace, got.MediaType, want)
		}
	}
}

// A profile has to be an absolute URI. RFC 6906, 3.
func TestProfileURI(t *testing.T) {
	for namespace, want := range map[string]string{
		"https://example.org/any": "https://example.org/any", "urn:any": "urn:any",
		"any": "", "/any": "", "https://example.org/a b": "", "https://example.org/%zz": "", "": "",
	} {
		if got := profileURI(namespace); got != want {
			t.Errorf("the profile of %q is %q, want %q", namespace, got, want)
		}
	}
}
