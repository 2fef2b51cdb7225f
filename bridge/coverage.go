package bridge

// Coverage counts how many objects have each kind of link.
type Coverage struct {
	Objects     int `json:"objects"`
	LandingPage int `json:"landing_page"`
	CiteAs      int `json:"cite_as"`
	License     int `json:"license"`
	Item        int `json:"item"`
	ItemType    int `json:"item_type"` // every item has its media type
	Author      int `json:"author"`
	Type        int `json:"type"` // more specific than CreativeWork
}

// unspecific says only that something is a work.
const unspecific = "https://schema.org/CreativeWork"

// CoverageColumns are the names of the counts, in the order of Counts.
func CoverageColumns() []string {
	return []string{"landing_page", "cite_as", "license", "item", "item_type", "author", "type"}
}

// Counts are the counts in the order of CoverageColumns.
func (c Coverage) Counts() []int {
	return []int{c.LandingPage, c.CiteAs, c.License, c.Item, c.ItemType, c.Author, c.Type}
}

// Add counts an object.
func (c *Coverage) Add(o Object) {
	c.Objects++
	for i, n := range []*int{&c.LandingPage, &c.CiteAs, &c.License, &c.Item, &c.ItemType, &c.Author, &c.Type} {
		if o.covers()[i] {
			*n++
		}
	}
}

// Covers tells whether an object has what a column of Coverage counts.
func (o Object) Covers(column string) bool {
	for i, name := range CoverageColumns() {
		if name == column {
			return o.covers()[i]
		}
	}
	return false
}

// covers tells which columns an object counts in.
func (o Object) covers() [7]bool {
	typed := len(o.Items) > 0
	for _, item := range o.Items {
		typed = typed && item.MediaType != ""
	}
	return [7]bool{
		o.LandingPage.URL != "", o.CiteAs != "", o.License != "", len(o.Items) > 0, typed,
		len(o.Authors) > 0, o.Type != "" && o.Type != unspecific,
	}
}
