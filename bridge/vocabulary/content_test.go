package vocabulary

import (
	"testing"

	"fingerpost/bridge/uri"
)

// TestNotContent: previews, descriptions, licence texts and derived files are
// told by path and query; everything else may be a file or a page.
func TestNotContent(t *testing.T) {
	for why, addresses := range map[string][]string{
		APreview: {
			"https://repo.example.edu/thumbnail/12",
			"https://contentdm.example.org/utils/getthumbnail/collection/c/id/1",
			"https://eprints.example.edu/4711/1.haslightboxThumbnailVersion/ripples.pdf",
			"https://eprints.example.edu/4711/2.hassmallThumbnailVersion/x.jpg",
			"https://quartex.example.edu/thumbnails/preview/0b9d3f1e-6c2a",
			"https://hyrax.example.edu/downloads/ww72bb49w?file=thumbnail",
			"https://hyrax.example.edu/downloads/ww72bb49w?locale=en&file=thumbnail#x",
			"https://repo.example.edu/image/12?thumbnail=true",
			"https://islandora.example.edu/islandora/object/mills%3A123/datastream/TN/view",
			"https://islandora.example.edu/islandora/object/mills%3A123/datastream/TN",
			"https://omeka.example.org/files/square_thumbnails/0f1e2d.jpg",
			"https://omeka.example.org/files/fullsize/0f1e2d.jpg",
			"https://iiif.example.org/iiif/2/page-1/full/!200,200/0/default.jpg",
			"https://iiif.example.org/iiif/2/page-1/full/,150/0/default.jpg",
			"https://iiif.example.org/iiif/2/page-1/full/pct:10/0/native.jpg",
			"https://luna.example.edu/MediaManager/srvr?mediafile=/x&preview=true&size=thumb",
			"https://luna.example.edu/media/Size1/UNI~4~4/12.jpg",
			"https://repo.example.edu/files/12_thumb.jpg",
			"https://repo.example.edu/files/12-thumb.jpg",
			"https://repo.example.edu/media/size0/12.jpg",
			"https://repo.example.edu/12/ro-crate-preview.html",
		},
		ADescription: {
			"https://iiif.example.org/presentation/12/manifest",
			"https://eprints.example.edu/cgi/export/eprint/12/DIDL/live-eprint-12.xml",
			"https://repo.example.edu/12/oai_dc.xml",
			"https://repo.example.edu/12/olac.xml",
			"https://repo.example.edu/12/METS.xml",
			"https://repo.example.edu/12/CITATION.cff",
			"https://repo.example.edu/12/ro-crate-metadata.json",
			"https://repo.example.edu/12/datapackage.json",
			"https://repo.example.edu/12/dataset_61_croissant.json",
			"https://repo.example.edu/12/dcat.ttl",
			"https://islandora.example.edu/islandora/object/mills%3A123/datastream/MODS/download",
		},
		ALicenceText: {
			"https://dspace.example.edu/bitstream/1912/2641/2/license.txt",
		},
		ADerivedFile: {
			"https://dspace.example.edu/bitstream/1912/2641/3/thesis.pdf.txt",
			"https://dspace.example.edu/bitstream/1912/2641/4/thesis.pdf.jpg?sequence=4",
		},
		"": {
			"https://dspace.example.edu/bitstream/1912/2641/1/thesis.pdf",
			"https://dspace.example.edu/bitstream/1912/2641/1/photograph.jpg",
			"https://dspace.example.edu/bitstream/1912/2641/1/data.csv.txt",
			"https://repo.example.edu/readme.txt",
			"https://repo.example.edu/manifest.json",
			"https://repo.example.edu/12/galley.xml",
			"https://repo.example.edu/12/dc.pdf",
			"https://repo.example.edu/12/croissant.pdf",
			"https://repo.example.edu/12/datapackage.zip",
			"https://hyrax.example.edu/downloads/ww72bb49w",
			"https://repo.example.edu/view/12?thumbnail=0",
			"https://repo.example.edu/12/thumbprints.pdf",
			"https://repo.example.edu/media/size3/12.jpg",
			"https://repo.example.edu/size2.csv",
			"https://repo.example.edu/12/other.cff",
			"https://islandora.example.edu/islandora/object/mills%3A123/datastream/OBJ/download",
			"https://omeka.example.org/files/original/0f1e2d.jpg",
			"https://iiif.example.org/iiif/2/page-1/full/full/0/default.jpg",
			"https://iiif.example.org/iiif/2/page-1/full/2000,/0/default.jpg",
		},
	} {
		for _, address := range addresses {
			a, _ := uri.Parse(address)
			if got := NotContent(a); got != why {
				t.Errorf("NotContent(%q) = %q, want %q", address, got, why)
			}
		}
	}
}

// TestDescriptionOf: Signmap's own example has an RO-Crate's metadata as
// describedby, with its profile. Of others what the server answers is not known.
func TestDescriptionOf(t *testing.T) {
	for name, want := range map[string]MetadataFormat{
		"ro-crate-metadata.json?download=1": {"application/ld+json", "https://w3id.org/ro/crate"},
		"RO-Crate-Metadata.jsonld":          {"application/ld+json", "https://w3id.org/ro/crate"},
		"datapackage.json":                  {"application/json", "https://specs.frictionlessdata.io/data-package/"},
		"codemeta.json":                     {"application/ld+json", "https://w3id.org/codemeta"},
		"croissant.json":                    {"application/ld+json", "http://mlcommons.org/croissant/"},
		"dataset_61_croissant.json":         {"application/ld+json", "http://mlcommons.org/croissant/"},
		"dcat.jsonld":                       {"application/ld+json", "http://www.w3.org/ns/dcat#"},
		"dcat.ttl":                          {"text/turtle", "http://www.w3.org/ns/dcat#"},
		"dcat.rdf":                          {"application/rdf+xml", "http://www.w3.org/ns/dcat#"},
		"dcat.xml":                          {"application/rdf+xml", "http://www.w3.org/ns/dcat#"},
		"mets.xml":                          {},
		"metadata.json":                     {},
		"datapackage.zip":                   {},
		"ro-crate-metadata.xml":             {},
		"croissant.pdf":                     {},
	} {
		if got, ok := DescriptionOf("https://repo.example.edu/12/" + name); got != want && ok || ok != (want.MediaType != "") {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, ok, want)
		}
	}
}
