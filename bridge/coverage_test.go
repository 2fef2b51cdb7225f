package bridge

import (
	"slices"
	"testing"
)

func TestCoverage(t *testing.T) {
	pdf := ContentResource{URL: "https://repo.example.edu/12/a.pdf", MediaType: "application/pdf"}
	objects := []struct {
		Object
		has []string
	}{
		{Object{}, nil},
		{Object{LandingPage: LandingPage{URL: "https://repo.example.edu/12"}}, []string{"landing_page"}},
		{Object{CiteAs: "https://doi.org/10.5555/12", License: "https://creativecommons.org/licenses/by/4.0/"}, []string{"cite_as", "license"}},
		{Object{Authors: []string{"https://orcid.org/0000-0002-1825-0097"}, Type: unspecific}, []string{"author"}},
		{Object{Type: "https://schema.org/Thesis"}, []string{"type"}},
		{Object{Items: []ContentResource{pdf}}, []string{"item", "item_type"}},
		{Object{Items: []ContentResource{pdf, {URL: "https://repo.example.edu/12/b"}}}, []string{"item"}},
	}
	var c Coverage
	for _, o := range objects {
		c.Add(o.Object)
		for _, column := range CoverageColumns() {
			has := slices.Contains(o.has, column)
			if got := o.Covers(column); got != has {
				t.Errorf("%+v: %s is covered: %v, want %v", o.Object, column, got, has)
			}
			lacks := !has && (column != "item_type" || slices.Contains(o.has, "item"))
			if got := o.Lacks(column); got != lacks {
				t.Errorf("%+v: %s is lacking: %v, want %v", o.Object, column, got, lacks)
			}
			for covered, want := range map[bool]bool{true: has, false: lacks} {
				if among, are, ok := LinkedBits(column, covered); !ok || (o.Linked()&among == are) != want {
					t.Errorf("%+v: %s by its bits, covered %v: got %v, want %v", o.Object, column, covered, !want, want)
				}
			}
		}
	}
	want := []int{1, 1, 1, 2, 1, 1, 1}
	if got := c.Counts(); !slices.Equal(got, want) || c.Objects != len(objects) || len(CoverageColumns()) != len(want) {
		t.Errorf("%v of %d objects are counted, want %v", got, c.Objects, want)
	}
	if c.Of("item_type") != 2 || c.Of("item") != len(objects) {
		t.Errorf("media types are of %d objects and items of %d, want 2 and %d", c.Of("item_type"), c.Of("item"), len(objects))
	}
	if (Object{}).Covers("nothing") {
		t.Error("an unknown column is covered")
	}
}
