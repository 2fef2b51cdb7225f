package harvest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/oaipmh/oaitest"
)

const (
	metsWithFile = `<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><mets:fileSec>%s</mets:fileSec></mets:mets>`
	metsFile     = `<mets:fileGrp USE="ORIGINAL"><mets:file MIMETYPE="application/pdf"><mets:FLocat LOCTYPE="URL" xlink:href="https://repo.example.org/bitstream/%d/a.pdf"/></mets:file></mets:fileGrp>`
	emptyMODS    = `<mods:mods xmlns:mods="http://www.loc.gov/mods/v3"><mods:titleInfo><mods:title>T</mods:title></mods:titleInfo></mods:mods>`
)

// manyFormats are records in oai_dc, METS, of which all but the first name a
// file, and MODS, which names none.
func manyFormats(n int) []oaitest.Record {
	out := records(n)
	for i := range out {
		file := ""
		if i > 0 {
			file = fmt.Sprintf(metsFile, i+1)
		}
		out[i].Formats["mets"] = fmt.Sprintf(metsWithFile, file)
		out[i].Formats["mods"] = emptyMODS
	}
	return out
}

func TestTheFormatThatNamesFilesIsFound(t *testing.T) {
	s := newScene(t, manyFormats(5)...)
	s.r.Prefixes = nil
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, r.Prefix)
	}
	if want := []string{"oai_dc", "mets"}; !slices.Equal(got, want) {
		t.Errorf("harvested were %v, want %v", got, want)
	}
	if items := s.object(identifier(2)).Items; len(items) != 1 || items[0].MediaType != "application/pdf" {
		t.Errorf("the files are %v", items)
	}
}

func TestTheFormatIsNotLookedForTwice(t *testing.T) {
	s := newScene(t, manyFormats(5)...)
	s.r.Prefixes = nil
	if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	s.origin.Forget()
	s.clock.Advance(24 * time.Hour)
	if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, q := range s.origin.Requests() {
		if strings.Contains(q, "verb=GetRecord") {
			t.Errorf("it was asked %s", q)
		}
	}
}
