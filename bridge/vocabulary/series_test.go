package vocabulary

import "testing"

// TestSeriesType: a collection's name says what is in it only if it says so of
// everything in it.
func TestSeriesType(t *testing.T) {
	for name, want := range map[string]string{
		"Doctoral Dissertations Available from Proquest":   "Thesis",
		"Masters Theses and Doctoral Dissertations":        "Thesis",
		"Theses and Dissertations":                         "Thesis",
		"Kentish Bridge Center Research Report":            "Report",
		"All Dissertations, Theses, and Capstone Projects": "",
		"Articles":               "ScholarlyArticle",
		"Book Chapters":          "Chapter",
		"Newsletter":             "",
		"Minutes":                "",
		"Dissertation Abstracts": "",
		"Department of Chemistry Faculty Publications": "",
		"Publications, Reports and Presentations":      "",
		"The Hypothesis":        "",
		"Urban Library Journal": "",
		"":                      "",
	} {
		got, ok := SeriesType(name)
		if ok != (want != "") || ok && got.URI != "https://schema.org/"+want {
			t.Errorf("SeriesType(%q) = %+v, %v, want %q", name, got, ok, want)
		}
	}
}
