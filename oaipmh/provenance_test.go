package oaipmh

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

var harvested = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

func originAt(base, identifier string) Origin {
	return Origin{BaseURL: base, Identifier: identifier, Datestamp: "2020-01-01", Namespace: "urn:t", Harvested: harvested}
}

// pageWith is an answer with one record that has an about part.
func pageWith(about string) []byte {
	return []byte(`<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header><identifier>oai:a:1</identifier></header>` +
		`<metadata><a xmlns="urn:t"/></metadata>` + about + `</record></ListRecords></OAI-PMH>`)
}

func TestProvenanceIsRead(t *testing.T) {
	whole := originAt("https://a.example.org/oai?x=1&y=2", "oai:a:1")
	whole.Altered = true
	nested := whole.Append(nil, originAt("https://b.example.org/oai", "oai:b:<1>").Append(nil, nil))
	tests := []struct{ name, about, want string }{
		{"as we write it", `<about><provenance xmlns="urn:p">` + string(nested) + `</provenance></about>`, string(nested)},
		{"with a prefix and white space", `<about><p:provenance xmlns:p="urn:p">
			<p:originDescription altered="true" harvestDate="2024-05-06T09:08:09+02:00">
				<p:baseURL> https://a.example.org/oai?x=1&amp;y=2 </p:baseURL><p:identifier>oai:a:1</p:identifier>
				<p:datestamp>2020-01-01</p:datestamp><p:metadataNamespace>urn:t</p:metadataNamespace>
			</p:originDescription></p:provenance></about>`, string(whole.Append(nil, nil))},
		{"behind other abouts", `<about><rights>x</rights></about><about><provenance>` + string(nested) + `</provenance></about>`, string(nested)},
		{"none", `<about><rights>x</rights></about>`, ""},
		{"without a date", `<about><originDescription><baseURL>a</baseURL><identifier>b</identifier></originDescription></about>`, ""},
		{"without a base URL", `<about><originDescription harvestDate="2024-05-06"><identifier>b</identifier></originDescription></about>`, ""},
		{"too deep", `<about>` + deep(40) + `</about>`, deep(16)},
		{"too long", `<about><originDescription harvestDate="2024-05-06">` + strings.Repeat("x", 70_000) + `</originDescription></about>`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ReadPage(pageWith(tt.about), "")
			if err != nil || len(p.Records) != 1 {
				t.Fatalf("%d records, %v", len(p.Records), err)
			}
			if got := string(p.Records[0].Provenance); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func deep(n int) string {
	var b []byte
	for range n {
		b = originAt("https://a.example.org/oai", "oai:a:1").Append(nil, b)
	}
	return string(b)
}

func TestOriginOf(t *testing.T) {
	const one, two, three = "https://one.example.org/oai", "https://two.example.org/oai?a=1&b=2", "https://three.example.org/oai"
	altered := originAt(two, "oai:x:<1>")
	altered.Altered = true
	tests := []struct {
		name    string
		origins []Origin // the latest first
		want    string
	}{
		{"none", nil, ""},
		{"a mirror", []Origin{originAt(two, "oai:x:<1>")}, two},
		{"a mirror of a mirror", []Origin{originAt(one, "oai:x:<1>"), originAt(two, "oai:x:<1>")}, two},
		{"an aggregator that renamed it", []Origin{originAt(one, "oai:y:1")}, ""},
		{"a mirror of an aggregator", []Origin{originAt(one, "oai:x:<1>"), originAt(two, "oai:y:1"), originAt(three, "oai:x:<1>")}, one},
		{"an aggregator that altered it", []Origin{altered}, ""},
		{"a mirror of one that altered it", []Origin{originAt(one, "oai:x:<1>"), altered}, one},
		{"another identifier that begins the same", []Origin{originAt(one, "oai:x:<1>2")}, ""},
	}
	for _, tt := range tests {
		var provenance []byte
		for i := len(tt.origins) - 1; i >= 0; i-- {
			provenance = tt.origins[i].Append(nil, provenance)
		}
		got, stamp := OriginOf(provenance, "oai:x:<1>")
		if got != tt.want || (stamp != "") != (tt.want != "") {
			t.Errorf("%s: %q of %q, want %q", tt.name, got, stamp, tt.want)
		}
	}
}

func TestNormalDatestamp(t *testing.T) {
	for in, want := range map[string]string{
		"2024-05-06": "2024-05-06", "2024-05-06T07:08:09Z": "2024-05-06T07:08:09Z", "2024-05-06T09:08:09.5+02:00": "2024-05-06T07:08:09Z",
		"2024": "2024-01-01T00:00:00Z", "": "", "yesterday": "",
	} {
		if got := NormalDatestamp(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What is read is written as it is read again.
func FuzzProvenance(f *testing.F) {
	f.Add([]byte(deep(3)))
	f.Add([]byte(`<about><originDescription harvestDate="2024-05-06"><baseURL>&#x1;<b>x</b></baseURL><identifier>b</identifier></originDescription></about>`))
	f.Fuzz(func(t *testing.T, about []byte) {
		once := provenance(about)
		if twice := provenance(once); !bytes.Equal(once, twice) && len(once) < maxAbout {
			t.Errorf("got\n%s\nthen\n%s", once, twice)
		}
		OriginOf(once, "b")
	})
}
