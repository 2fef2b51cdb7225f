package bridge

import (
	"testing"

	"fingerpost/oaipmh"
)

func TestFileFormats(t *testing.T) {
	mets := oaipmh.MetadataFormat{Prefix: "mets", Namespace: "http://www.loc.gov/METS/"}
	rioxx := oaipmh.MetadataFormat{Prefix: "rioxx", Namespace: "http://www.rioxx.net/schema/v3.0/rioxx/"}
	dc := oaipmh.MetadataFormat{Prefix: "oai_dc", Namespace: "http://www.openarchives.org/OAI/2.0/oai_dc/"}
	got := FileFormats([]oaipmh.MetadataFormat{dc, mets, rioxx, mets})
	if len(got) != 2 || got[0] != rioxx || got[1] != mets {
		t.Errorf("got %v, want RIOXX, then METS once", got)
	}
}

func TestNamesFiles(t *testing.T) {
	for metadata, want := range map[string]bool{
		`<mods xmlns="http://www.loc.gov/mods/v3"><location><url access="raw object">https://repo.example.edu/a.tif</url></location></mods>`:     true,
		`<mods xmlns="http://www.loc.gov/mods/v3"><location><url access="object in context">https://repo.example.edu/12</url></location></mods>`: false,
		`<dc xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/"><identifier>https://repo.example.edu/12/1/thesis.pdf</identifier></dc>`:         false,
		`no XML`: false,
	} {
		if got := NamesFiles([]byte(metadata)); got != want {
			t.Errorf("NamesFiles(%s) = %v, want %v", metadata, got, want)
		}
	}
}

func TestIsEmpty(t *testing.T) {
	for metadata, want := range map[string]bool{`<a/>`: true, `<a> </a>`: true, `<a>b</a>`: false, `<a><b/></a>`: false, `no XML`: false} {
		if got := IsEmpty([]byte(metadata)); got != want {
			t.Errorf("IsEmpty(%s) = %v, want %v", metadata, got, want)
		}
	}
}

func TestIsName(t *testing.T) {
	for value, want := range map[string]bool{"Harrow, Ada": true, "0000-0002-1825-0097": false, "https://orcid.org/0000-0002-1825-0097": false} {
		if got := IsName(value); got != want {
			t.Errorf("IsName(%q) = %v, want %v", value, got, want)
		}
	}
}

func TestTelling(t *testing.T) {
	for status, want := range map[int]bool{200: true, 206: true, 301: true, 404: true, 429: false, 500: false, 503: false, 0: false, KeptOut: false, 199: false} {
		if got := (Probe{Status: status}).Telling(); got != want {
			t.Errorf("%d is telling: %v, want %v", status, got, want)
		}
	}
}
