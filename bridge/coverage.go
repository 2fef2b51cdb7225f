package bridge

// Coverage counts how many objects have each kind of link.
type Coverage struct {
	Objects     int `json:"objects"`
	LandingPage int `json:"landing_page"`
	CiteAs      int `json:"cite_as"`
	License     int `json:"license"`
	Item        int `json:"item"`
	ItemType    int `json:"item_type"` // of those with items: each has its media type
	Author      int `json:"author"`
	Type        int `json:"type"` // more specific than CreativeWork
}

// unspecific says only that something is a work.
const unspecific = "https://schema.org/CreativeWork"

// Columns is how many kinds of links are counted.
const Columns = 7

// columns are what is counted, in the order of the fields of Coverage.
var columns = [Columns]struct {
	name  string
	count func(*Coverage) *int
	has   func(Object) bool
}{
	{"landing_page", func(c *Coverage) *int { return &c.LandingPage }, func(o Object) bool { return o.LandingPage.URL != "" }},
	{"cite_as", func(c *Coverage) *int { return &c.CiteAs }, func(o Object) bool { return o.CiteAs != "" }},
	{"license", func(c *Coverage) *int { return &c.License }, func(o Object) bool { return o.License != "" }},
	{"item", func(c *Coverage) *int { return &c.Item }, func(o Object) bool { return len(o.Items) > 0 }},
	{"item_type", func(c *Coverage) *int { return &c.ItemType }, Object.itemsTyped},
	{"author", func(c *Coverage) *int { return &c.Author }, func(o Object) bool { return len(o.Authors) > 0 }},
	{"type", func(c *Coverage) *int { return &c.Type }, func(o Object) bool { return o.Type != "" && o.Type != unspecific }},
}

func (o Object) itemsTyped() bool {
	for _, item := range o.Items {
		if item.MediaType == "" {
			return false
		}
	}
	return len(o.Items) > 0
}

// CoverageColumns are the names of the counts, in the order of Counts.
func CoverageColumns() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// Counts are the counts in the order of CoverageColumns.
func (c Coverage) Counts() []int {
	var counts []int
	for _, column := range columns {
		counts = append(counts, *column.count(&c))
	}
	return counts
}

// Of is the number of objects that a column is a share of: for media types,
// those with items.
func (c Coverage) Of(column string) int {
	if column == "item_type" {
		return c.Item
	}
	return c.Objects
}

// Count is the count of a column.
func (c Coverage) Count(column string) int {
	for _, k := range columns {
		if k.name == column {
			return *k.count(&c)
		}
	}
	return 0
}

// Add counts an object.
func (c *Coverage) Add(o Object) {
	c.Objects++
	for _, column := range columns {
		if column.has(o) {
			*column.count(c)++
		}
	}
}

// Linked returns the columns in which an object counts: a bit for each.
func (o Object) Linked() (bits uint8) {
	for i, column := range columns {
		if column.has(o) {
			bits |= 1 << i
		}
	}
	return bits
}

// LinkedBits says by which bits of Linked the objects are told that Covers is true of,
// or that Lacks is: of those in among they have exactly those in are. It is false if
// there is no such column.
func LinkedBits(column string, covered bool) (among, are uint8, ok bool) {
	for i, c := range columns {
		if c.name == column {
			among, ok = 1<<i, true
		}
		if c.name == "item" && column == "item_type" {
			are = 1 << i
		}
	}
	if covered {
		return among, among, ok
	}
	return among | are, are, ok
}

// CoverageOf is the coverage of so many objects, of which those in each column
// were counted by Linked.
func CoverageOf(objects int, linked [Columns]int64) Coverage {
	c := Coverage{Objects: objects}
	for i, column := range columns {
		*column.count(&c) = int(linked[i])
	}
	return c
}

// AddLacking counts the links that an object is without.
func (c *Coverage) AddLacking(o Object) {
	c.Objects++
	for _, column := range columns {
		if o.Lacks(column.name) {
			*column.count(c)++
		}
	}
}

// AddGained counts the links that an object has and had not before.
func (c *Coverage) AddGained(before, now Object) {
	c.Objects++
	for _, column := range columns {
		if !column.has(before) && column.has(now) {
			*column.count(c)++
		}
	}
}

// Covers reports whether an object is counted in a column of Coverage.
func (o Object) Covers(column string) bool {
	for _, c := range columns {
		if c.name == column {
			return c.has(o)
		}
	}
	return false
}

// Lacks reports whether an object is one of those that a column is a share of,
// but not counted in it.
func (o Object) Lacks(column string) bool {
	return !o.Covers(column) && (column != "item_type" || len(o.Items) > 0)
}
