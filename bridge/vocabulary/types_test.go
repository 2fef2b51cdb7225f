package vocabulary

import (
	"strings"
	"testing"
)

func TestTypeOf(t *testing.T) {
	for value, want := range map[string]string{
		"info:eu-repo/semantics/article":                                    "ScholarlyArticle",
		"info:eu-repo/semantics/doctoralThesis":                             "Thesis",
		"info:eu-repo/semantic/other":                                       "CreativeWork",
		"http://purl.org/coar/resource_type/c_6501":                         "ScholarlyArticle",
		"https://purl.org/coar/resource_type/c_ddb1/":                       "Dataset",
		"https://vocabularies.coar-repositories.org/resource_types/c_5ce6/": "SoftwareSourceCode",
		"http://purl.org/dc/dcmitype/StillImage":                            "ImageObject",
		"http://purl.org/eprint/type/BookItem":                              "Chapter",
		"Article":                                                           "ScholarlyArticle",
		"journalArticle":                                                    "ScholarlyArticle",
		"journal_article":                                                   "ScholarlyArticle",
		" Journal  Article. ":                                               "ScholarlyArticle",
		"doc-type:workingPaper":                                             "ScholarlyArticle",
		"Article, scholarly/refereed, publisher version":                    "ScholarlyArticle",
		"Thèse ou Mémoire numérique / Electronic Thesis or Dissertation":    "Thesis",
		"学位論文":                                                              "Thesis",
		"Ph.D. thesis":                                                      "Thesis",
		"MovingImage":                                                       "VideoObject",
		"Book section":                                                      "Chapter",
		"Data Set":                                                          "Dataset",
		"text":                                                              "CreativeWork",
		"image/jpeg":                                                        "ImageObject",
		"ConferenceProceeding":                                              "ScholarlyArticle",
		"https://schema.org/Course":                                         "Course",
		"http://schema.org/Dataset":                                         "Dataset",
	} {
		got, ok := oneType(value)
		if !ok || got.URI != "https://schema.org/"+want {
			t.Errorf("oneType(%q) = %+v, %v, want %s", value, got, ok, want)
		}
	}
	for _, value := range []string{
		"", "info:eu-repo/semantics/publishedVersion", "publishedVersion", "Published Version", "info:eu-repo/semantics/openAccess",
		"PeerReviewed", "NonPeerReviewed", "application/pdf", "http://purl.org/coar/version/c_970fb48d4fbd8a85", "ripples", "none",
		"http://purl.org/coar/resource_type/c_nothing", "info:eu-repo/semantics/text",
		"https://schema.org/Thing", "https://schema.org/AboutPage", "https://schema.org/name", "https://schema.org/", "https://schema.org/A/B",
		"series", // of data sets in ISO 19115 alone
	} {
		if got, ok := oneType(value); ok {
			t.Errorf("oneType(%q) = %+v, want none", value, got)
		}
	}
}

func TestTypeIn(t *testing.T) {
	for _, test := range []struct{ vocabulary, value, want string }{
		{"datacite", "Dataset", "Dataset"},
		{"resourceTypeGeneral", "JournalArticle", "ScholarlyArticle"},
		{"datacite", "ConferenceProceeding", "PublicationVolume"}, // elsewhere it is a paper
		{"datacite", "Text", "CreativeWork"},
		{"coar", "journal article", "ScholarlyArticle"},
		{"", "http://purl.org/coar/resource_type/c_6501", "ScholarlyArticle"},
		{"dcterms:DCMIType", "MovingImage", "VideoObject"},
		{"datacite", "thèse", ""},
		{"datacite", "", ""},
		{"local", "Article", ""},
		{"iso19115", "series", "Dataset"},
	} {
		got, ok := TypeIn(test.vocabulary, test.value)
		if uri := strings.TrimPrefix(got.URI, "https://schema.org/"); uri != test.want || ok != (test.want != "") {
			t.Errorf("TypeIn(%q, %q) = %+v, %v, want %q", test.vocabulary, test.value, got, ok, test.want)
		}
	}
}

// TestTypeRank: of several types the one that tells most is kept.
func TestTypeRank(t *testing.T) {
	for _, test := range []struct{ more, less string }{
		{"Article", "Text"},
		{"info:eu-repo/semantics/doctoralThesis", "info:eu-repo/semantics/other"},
		{"Poster", "Image"}, // DCMI's words are broad
		{"Patent", "Text"},
		{"Text", "http://purl.org/dc/dcmitype/Event"},
		{"Image", "image/jpeg"},
	} {
		more, _ := oneType(test.more)
		less, _ := oneType(test.less)
		if test.more == "Image" {
			more, _ = TypeIn("dcmi", "Image")
		}
		if test.less == "Image" {
			less, _ = TypeIn("dcmi", "Image")
		}
		if more.Rank <= less.Rank {
			t.Errorf("%q has rank %d, %q %d", test.more, more.Rank, test.less, less.Rank)
		}
	}
	for _, value := range []string{"Event", "Service", "Project", "Instrument"} {
		if got, ok := TypeIn("datacite", value); !ok || got.Rank != 0 {
			t.Errorf("%s: %+v, want rank 0, since it is no CreativeWork", value, got)
		}
	}
}

// TestTypesOfTheWorld: the commonest values in 160 million records; the
// others among them name a version or a review.
func TestTypesOfTheWorld(t *testing.T) {
	for value, want := range map[string]string{
		"article": "ScholarlyArticle", "text": "CreativeWork", "person": "Person", "conferenceobject": "ScholarlyArticle",
		"peer-reviewed article": "ScholarlyArticle", "other": "CreativeWork", "thesis": "Thesis", "journal article": "ScholarlyArticle",
		"bookpart": "Chapter", "image": "ImageObject", "book": "Book", "newspaper": "Newspaper", "journal articles": "ScholarlyArticle",
		"stillimage": "ImageObject", "bachelorthesis": "Thesis", "masterthesis": "Thesis", "photograph": "ImageObject", "report": "Report",
		"post": "BlogPosting", "doctoralthesis": "Thesis", "online-ressource": "CreativeWork", "conference papers": "ScholarlyArticle",
		"article (journal)": "ScholarlyArticle", "skråfoto": "ImageObject", "conference paper": "ScholarlyArticle",
		"druckschrift": "CreativeWork", "dataset": "Dataset", "czasopismo": "Periodical", "issue": "PublicationIssue",
		"review": "Review", "journal": "Periodical", "c_6501": "ScholarlyArticle", "期刊论文": "ScholarlyArticle", "chapter": "Chapter",
		"master thesis": "Thesis", "hochschulschrift": "Thesis", "dissertation": "Thesis", "student thesis": "Thesis",
		"book sections": "Chapter", "video": "VideoObject", "monograph": "Book", "doctoral thesis": "Thesis", "documento": "CreativeWork",
		"artículo": "ScholarlyArticle",
		// And others that were read otherwise, or not at all.
		"Letter": "CreativeWork", "Recording, oral": "AudioObject", "letter to the editor": "ScholarlyArticle",
		"http://purl.org/coar/resource_type/c_0857":          "ScholarlyArticle",
		"Wissenschaftliche Abschlussarbeiten » Dissertation": "Thesis",
		"Other » Text": "CreativeWork",
	} {
		if got, ok := TypeOf(value); !ok || got.URI != "https://schema.org/"+want {
			t.Errorf("TypeOf(%q) = %+v, %v, want %s", value, got, ok, want)
		}
	}
	for value, want := range map[string]string{
		"publishedversion": "version", "acceptedversion": "version", "vor": "version", "info:eu-repo/semantics/submittedVersion": "version",
		"http://purl.org/coar/version/c_970fb48d4fbd8a85": "version",
		"nonpeerreviewed": "review", "peerreviewed": "review", "Begutachtet": "review",
		"info:eu-repo/semantics/openAccess": "access", "http://purl.org/coar/access_right/c_abf2": "access", "n/a": "none",
	} {
		if class, ok := TypeOf(value); ok || WhyNoType(value) != notTypes[want] {
			t.Errorf("TypeOf(%q) = %+v, %v: %s; want none: %s", value, class, ok, WhyNoType(value), notTypes[want])
		}
	}
	if got := WhyNoType("ripples"); got != "not a known type" {
		t.Errorf("ripples: %s", got)
	}
}

// TestTypeTable: every row is found, in its vocabulary and in any.
func TestTypeTable(t *testing.T) {
	for _, row := range rows("types") {
		if len(row) != 4 {
			t.Fatalf("%q has %d fields, want 4", row, len(row))
		}
		vocabulary, value, class := row[0], row[1], row[2]
		got, ok := TypeIn(vocabulary, value)
		if ok != (class != "") || ok && got.URI != "https://schema.org/"+class {
			t.Errorf("TypeIn(%q, %q) = %+v, %v, want %q", vocabulary, value, got, ok, class)
		}
		if got, ok := oneType(value); class != "" && !ok && vocabulary != scopeCodes {
			t.Errorf("oneType(%q) = %+v, %v", value, got, ok)
		}
	}
}

func BenchmarkTypeOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		oneType("Journal Article")
	}
}
