package description

import (
	"strings"
	"testing"

	"fingerpost/bridge"
)

// record is a source of one record in a format.
func record(metadata string) Source {
	return Source{
		Identifier: "oai:repo.example.org:1", Datestamp: "2024-05-06",
		Object:  bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/1"}, Type: "https://schema.org/Thesis"},
		Records: []bridge.Record{{Prefix: "m", Metadata: []byte(metadata)}},
	}
}

// lines has the values of a document by their paths, with the elements that they
// were made of.
func lines(t *testing.T, d *Description, document string) map[string]string {
	t.Helper()
	doc, _ := Named(document)
	out := map[string]string{}
	for _, l := range d.Lines(doc) {
		out[l.Path] = l.Text + " <" + d.From(l.Value) + ">"
	}
	return out
}

func checkLines(t *testing.T, d *Description, document string, want map[string]string) {
	t.Helper()
	got := lines(t, d, document)
	for path, w := range want {
		if got[path] != w {
			t.Errorf("%s: %s is %q, want %q", document, path, got[path], w)
		}
	}
}

const modsThesis = `<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><nonSort>The</nonSort><title>Tides</title></titleInfo>
	<name type="personal"><namePart type="family">Doe</namePart><namePart type="given">Jane</namePart><namePart type="given">M.</namePart><role><roleTerm>author</roleTerm></role></name>
	<originInfo><place><placeTerm>Exeter</placeTerm></place><edition>2nd</edition><dateIssued>2014</dateIssued></originInfo>
	<subject><topic>salt</topic></subject><subject><topic>water</topic></subject>
	<relatedItem type="series"><titleInfo><title>Theses of Exeter</title></titleInfo></relatedItem>
	<relatedItem type="host"><titleInfo><title>Journal of Salt</title></titleInfo><part><extent unit="pages"><start>12</start><end>14</end></extent></part></relatedItem>
	<extension><degree><name>PhD</name><level>doctoral</level><grantor>Example University</grantor></degree></extension></mods>`

// A value that several elements state names the place of each.
func TestJoinedValuesNameAllPlaces(t *testing.T) {
	d := describe(t, record(modsThesis))
	const family, given, more = "m name/namePart[1]", "m name/namePart[2]", "m name/namePart[3]"
	checkLines(t, d, "csl.json", map[string]string{
		"title":            "The Tides <m titleInfo/title, m titleInfo/nonSort>",
		"author[0].family": "Doe <" + family + ">",
		"author[0].given":  "Jane M. <" + given + ", " + more + ">",
		"keyword":          "salt, water <m subject[1]/topic, m subject[2]/topic>",
		"page":             "12-14 <m relatedItem[2]/part/extent/start, m relatedItem[2]/part/extent/end>",
	})
	checkLines(t, d, "citation.ris", map[string]string{"AU": "Doe, Jane M. <" + family + ", " + given + ", " + more + ">"})
	checkLines(t, d, "citation.bib", map[string]string{"author": "{Doe}, {Jane M.} <" + family + ", " + given + ", " + more + ">"})
}

func TestThesis(t *testing.T) {
	d := describe(t, record(modsThesis))
	for document, want := range map[string]map[string]string{
		"schema.jsonld": {
			"schema:inSupportOf": "PhD <m extension/degree/name>", "schema:isPartOf[0].schema:name": "Journal of Salt <m relatedItem[2]/titleInfo/title>",
			"schema:isPartOf[1].schema:name": "Theses of Exeter <m relatedItem[1]/titleInfo/title>",
		},
		"csl.json": {
			"publisher": "Example University <m extension/degree/grantor>", "publisher-place": "Exeter <m originInfo/place>", "genre": "PhD <m extension/degree/name>",
			"edition": "2nd <m originInfo/edition>", "collection-title": "Theses of Exeter <m relatedItem[1]/titleInfo/title>",
		},
		"citation.bib": {"school": "Example University <m extension/degree/grantor>", "type": "PhD <m extension/degree/name>", "series": "Theses of Exeter <m relatedItem[1]/titleInfo/title>"},
		"citation.ris": {"PB": "Example University <m extension/degree/grantor>", "M3": "PhD <m extension/degree/name>", "CY": "Exeter <m originInfo/place>"},
	} {
		checkLines(t, d, document, want)
	}
}

func TestPlaces(t *testing.T) {
	const corner = `<polygonPoint><pointLongitude>1</pointLongitude><pointLatitude>2</pointLatitude></polygonPoint>`
	tests := []struct{ name, place, path, want string }{
		{"a name", `<geoLocationPlace>Exeter</geoLocationPlace>`, "schema:name", "Exeter"},
		{"a box", `<geoLocationBox><westBoundLongitude>-3.50</westBoundLongitude><eastBoundLongitude>4</eastBoundLongitude><southBoundLatitude>50</southBoundLatitude><northBoundLatitude>51.0</northBoundLatitude></geoLocationBox>`,
			"schema:geo.schema:box", "50 -3.5 51 4"},
		{"a box of kernel 3", `<geoLocationBox>50 -3.5 51 4</geoLocationBox>`, "schema:geo.schema:box", "50 -3.5 51 4"},
		{"a point", `<geoLocationPoint><pointLatitude>50</pointLatitude><pointLongitude>-3.5</pointLongitude></geoLocationPoint>`, "schema:geo.schema:longitude", "-3.5"},
		{"a point of kernel 3", `<geoLocationPoint>50 -3.5</geoLocationPoint>`, "schema:geo.schema:latitude", "50"},
		{"a polygon", `<geoLocationPolygon>` + strings.Repeat(corner, 4) + `</geoLocationPolygon>`, "geoLocationPolygon[3].polygonPoint.pointLatitude", "2"},
		{"three corners", `<geoLocationPolygon>` + strings.Repeat(corner, 3) + `</geoLocationPolygon>`, "", ""},
		{"outside the earth", `<geoLocationPoint>50 361</geoLocationPoint>`, "", ""},
		{"no number", `<geoLocationPoint>50 NaN</geoLocationPoint>`, "", ""},
		{"three sides", `<geoLocationBox><westBoundLongitude>-3</westBoundLongitude><eastBoundLongitude>4</eastBoundLongitude><southBoundLatitude>50</southBoundLatitude></geoLocationBox>`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := describe(t, record(`<resource xmlns="http://datacite.org/schema/kernel-4"><titles><title>Data</title></titles><geoLocations><geoLocation>`+tt.place+`</geoLocation></geoLocations></resource>`))
			got := lines(t, d, "schema.jsonld")
			n := dataCite(d)
			for _, l := range n.lines(nil, "") {
				got[strings.Replace(l.Path, "geoLocations", "schema:spatialCoverage", 1)] = l.Text
			}
			if text, _, _ := strings.Cut(got["schema:spatialCoverage[0]."+tt.path], " <"); text != tt.want || tt.want == "" && len(d.Places) > 0 {
				t.Errorf("got %q, want %q in %v", text, tt.want, got)
			}
		})
	}
}

func TestPages(t *testing.T) {
	for stated, want := range map[string][3]string{
		"12-14": {"12", "14", "12-14"}, "12–14": {"12", "14", "12-14"}, "xi--xiv": {"xi", "xiv", "xi-xiv"}, "12": {"", "", "12"}, "1-2, 5": {"", "", "1-2, 5"}, "12-12": {"12", "12", "12"},
	} {
		d := describe(t, record(`<qdc xmlns="http://dspace.org/qualifieddc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T</dc:title><dc:pages>`+stated+`</dc:pages></qdc>`))
		if got := [3]string{d.Container.First.Text, d.Container.Last.Text, pages(&d.Container, "-").Text}; got != want {
			t.Errorf("%s: got %q, want %q", stated, got, want)
		}
	}
}

func TestDatesOfDataCite(t *testing.T) {
	d := describe(t, record(`<resource xmlns="http://datacite.org/schema/kernel-4"><titles><title>Data</title></titles><creators><creator><creatorName>Doe</creatorName></creator></creators>
		<publisher>P</publisher><publicationYear>2020</publicationYear><dates><date dateType="Created">2019-01-02</date><date dateType="Issued">2019-01-02</date>
		<date dateType="Collected">2018/2019-06</date><date dateType="Accessioned">2020-02</date><date dateType="Valid">lately</date><date dateType="Available">/2</date></dates></resource>`))
	got := lines(t, d, "datacite.json")
	for path, want := range map[string]string{
		"dates[0].dateType": "Created", "dates[1].dateType": "Issued", "dates[2].date": "2018/2019-06", "dates[3].dateType": "Other", "dates[3].dateInformation": "Accessioned", "dates[4].date": "",
	} {
		if text, _, _ := strings.Cut(got[path], " <"); text != want {
			t.Errorf("%s is %q, want %q in %v", path, text, want, got)
		}
	}
}
