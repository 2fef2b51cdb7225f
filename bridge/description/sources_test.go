package description

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"

	"fingerpost/bridge"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest/recorded"
	"fingerpost/testdata"
)

// sources are the records of every look-alike, and recorded ones where there
// are any, as the mapping maps them.
func sources(t testing.TB) []Source {
	t.Helper()
	readSources.Do(func() {
		lookAlikes, err := testdata.LookAlikes()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lookAlikes {
			allSources = append(allSources, lookAlike(t, l)...)
		}
		for _, f := range recordedFiles(t) {
			allSources = append(allSources, recordedIn(t, f)...)
		}
	})
	out := slices.Clone(allSources)
	for i := range out {
		out[i].Records = slices.Clone(out[i].Records)
	}
	return out
}

var (
	readSources sync.Once
	allSources  []Source
)

func lookAlike(t testing.TB, l testdata.LookAlike) []Source {
	t.Helper()
	var sample []oaipmh.Record
	for _, r := range l.Records {
		for _, metadata := range r.Formats {
			sample = append(sample, oaipmh.Record{Header: r.Header, Metadata: []byte(metadata)})
		}
	}
	learned := bridge.Learn(l.About["base_url"], oaipmh.Identify{}, nil, nil, sample)
	m, err := bridge.NewMapping(l.About["base_url"], learned, bridge.Settings{Hosts: l.Hosts()})
	if err != nil {
		t.Fatal(err)
	}
	var out []Source
	for _, r := range l.Records {
		s := Source{Identifier: r.Identifier, Datestamp: datestamp(r.Header), Platform: learned.Platform}
		for prefix, metadata := range r.Formats {
			s.Records = append(s.Records, bridge.Record{Prefix: prefix, Sets: r.Sets, Metadata: []byte(metadata)})
		}
		slices.SortFunc(s.Records, func(a, b bridge.Record) int { return cmp.Compare(a.Prefix, b.Prefix) })
		if s.Object, err = m.Map(s.Identifier, s.Records, nil); err == nil {
			out = append(out, s)
		}
	}
	return out
}

func recordedFiles(t testing.TB) []recorded.File {
	if os.Getenv("FINGERPOST_SAMPLES") == "" {
		return nil
	}
	return recorded.Files(t)
}

var recordElements = regexp.MustCompile(`(?s)<(\w+:)?record\b.*</(\w+:)?record>`)

func recordedIn(t testing.TB, f recorded.File) []Source {
	t.Helper()
	body, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	page, err := oaipmh.ReadPage(body, "text/xml")
	if err != nil { // only the records were kept
		page, err = oaipmh.ReadPage([]byte(`<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>`+string(recordElements.Find(body))+`</ListRecords></OAI-PMH>`), "text/xml")
		if err != nil {
			return nil
		}
	}
	learned := bridge.Learn("", oaipmh.Identify{}, nil, nil, page.Records)
	m, err := bridge.NewMapping("", learned, bridge.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var out []Source
	for _, r := range page.Records {
		if r.Deleted {
			continue
		}
		s := Source{Identifier: r.Identifier, Datestamp: datestamp(r.Header), Platform: learned.Platform,
			Records: []bridge.Record{{Prefix: "m", Sets: r.Sets, Metadata: r.Metadata}}}
		if s.Object, err = m.Map(s.Identifier, s.Records, nil); err == nil {
			out = append(out, s)
		}
	}
	return out
}

func describe(t testing.TB, s Source) *Description {
	t.Helper()
	d, err := Read(s)
	if err != nil {
		t.Fatalf("%s: %v", s.Identifier, err)
	}
	return d
}

// oaiDC is a source of one record in oai_dc, whose elements are given.
func oaiDC(elements string) Source {
	return Source{
		Identifier: "oai:repo.example.org:1", Datestamp: "2024-05-06T07:08:09Z",
		Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/1"}},
		Records: []bridge.Record{{Prefix: "oai_dc", Metadata: []byte(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
			elements + `</oai_dc:dc>`)}},
	}
}

// datestamp is that of a record, or another where it cannot be read.
func datestamp(h oaipmh.Header) string {
	if !isMonth(dayOf(h.Datestamp)) {
		return "2024-01-01"
	}
	return h.Datestamp
}
