package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/oaipmh"
)

const (
	originURL = "https://eprints.example.org/cgi/oai2"
	mirrorURL = "https://links.example.net/main/oai"
)

// mirrored is a record that a mirror has from originURL.
func mirrored(identifier, metadata string) oaipmh.Record {
	from := oaipmh.Origin{BaseURL: originURL, Identifier: identifier}
	return oaipmh.Record{
		Header:     oaipmh.Header{Identifier: identifier},
		Metadata:   []byte(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">` + metadata + `</oai_dc:dc>`),
		Provenance: from.Append(nil, nil),
	}
}

// A mirror is mapped as its origin is: by the origin's address, platform and prefixes.
func TestAMirrorIsMappedAsItsOrigin(t *testing.T) {
	var sample []oaipmh.Record
	for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
		sample = append(sample, mirrored("oai:eprints.example.org:"+n, `<dc:identifier>https://eprints.example.org/`+n+`/1/file.pdf</dc:identifier>`+
			`<dc:identifier>https://doi.org/10.5555/tides.`+strings.Repeat("a", len(sample)+1)+`</dc:identifier><dc:rights>cc_by_4</dc:rights>`+
			`<dc:relation>https://eprints.example.org/`+n+`/</dc:relation>`))
	}
	taught := Learn(mirrorURL, oaipmh.Identify{}, nil, nil, sample)
	want := map[string]LearnedOrigin{originURL: {Platform: "eprints", OwnPrefixes: []string{"10.5555"}}}
	if diff := cmp.Diff(Learned{Origins: want}, taught); diff != "" {
		t.Fatalf("learned (-want +got):\n%s", diff)
	}
	mirror, err := NewMapping(mirrorURL, taught, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	origin, err := NewMapping(originURL, Learned{Platform: "eprints", OwnPrefixes: []string{"10.5555"}}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	mapper := mirror.Mapper()
	for _, r := range sample {
		record := Record{Prefix: "oai_dc", Metadata: r.Metadata}
		want, err := origin.Map(r.Identifier, []Record{record}, nil)
		if err != nil || want.CiteAs == "" || want.License == "" {
			t.Fatalf("the origin's prefix and platform give %+v, %v", want, err)
		}
		want.Origin, record.Origin = originURL, originURL
		got, err := mapper.Map(r.Identifier, []Record{record}, nil)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-origin +mirror):\n%s", r.Identifier, err, diff)
		}
		record.Origin = "" // of the mirror itself, after one of an origin
		if own, err := mapper.Map(r.Identifier, []Record{record}, nil); err != nil || own.Origin != "" {
			t.Errorf("%s: %v, origin %q", r.Identifier, err, own.Origin)
		}
	}
}

// What an administrator sets holds for all origins.
func TestSettingsHoldForOrigins(t *testing.T) {
	m, err := NewMapping(mirrorURL, Learned{OwnPrefixes: []string{"10.1"}, Origins: map[string]LearnedOrigin{originURL: {Platform: "dspace"}}},
		Settings{Platform: "eprints", Hosts: []string{"more.example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	at := m.at(originURL)
	if at.platform.Name != "eprints" || len(at.own) != 1 || at.baseURL != originURL || len(at.hosts) < 2 {
		t.Errorf("platform %q, prefixes %q, hosts %q at %q", at.platform.Name, at.own, at.hosts, at.baseURL)
	}
	if m.at("") != &m || m.at(mirrorURL) != &m {
		t.Error("the repository itself is mapped as another")
	}
}
