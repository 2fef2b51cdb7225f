package description

import (
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
	"fingerpost/bridge/vocabulary"
)

// How many bytes a text has at most, and how many values there are of a kind.
const (
	longestText  = 10_000
	longestValue = 2_000
	mostValues   = 5_000
)

// Source is what a description is made of.
type Source struct {
	Object     bridge.Object // what the mapping made of the records
	Identifier string
	Datestamp  string // the newest of the records, a day or more
	Platform   string // as learned; "" if unknown
	Records    []bridge.Record
}

// Read reads everything that the records state. Of several records, the one
// that says most of a kind is believed for that kind.
func Read(source Source) (*Description, error) {
	var s crosswalk.Statements
	s.Begin(crosswalk.All)
	for _, r := range source.Records {
		if err := s.Add(r.Prefix, r.Metadata); err != nil {
			return nil, fmt.Errorf("record %s: %w", source.Identifier, err)
		}
	}
	s.Read()
	d := &Description{Object: source.Object, Identifier: source.Identifier}
	for _, doc := range s.Docs {
		d.prefixes = append(d.prefixes, doc.Prefix)
	}
	if day := dayOf(source.Datestamp); isMonth(day) {
		d.Changed = day
	}
	harvested, _ := s.Divide() // a page is for people: what it adds is in the Object
	d.read(harvested, source.Platform)
	return d, nil
}

func (d *Description) read(s said, platform string) {
	d.Titles = titlesOf(s)
	d.Creators = agentsOf(s, creatorKinds)
	d.Contributors = agentsOf(s, contributorKinds)
	d.Issued.Text, d.Issued.From = bridge.Issued(s, platform)
	d.Dates = datesOf(s)
	d.Publishers = s.values(longestValue, crosswalk.Publisher)
	d.Languages = languagesOf(s)
	d.Subjects = subjectsOf(s)
	d.Descriptions = s.values(longestText, crosswalk.Description)
	d.Rights = s.values(longestText, crosswalk.Rights, crosswalk.Licence, crosswalk.Access)
	d.Conditions = withoutLicence(d.Rights, d.Object.License)
	d.Formats = s.values(longestValue, crosswalk.Format)
	d.Sizes = s.values(longestValue, crosswalk.Extent)
	d.Related = relatedOf(s)
	d.RelatedTitles = s.values(longestValue, crosswalk.RelatedTitle)
	d.Concepts = conceptsOf(s)
	d.Version = first(s.values(longestValue, crosswalk.Version))
	d.ISBN = isbnOf(s)
	d.Edition = first(s.values(longestValue, crosswalk.Edition))
	d.PublisherID = first(s.values(longestValue, crosswalk.PublisherID))
	d.PublishedIn = first(s.values(longestValue, crosswalk.Place))
	d.Citations = qualified(s.values(longestValue, crosswalk.Citation), "")
	d.Audience = qualified(s.values(longestValue, crosswalk.Audience), "")
	d.Holders = s.values(longestValue, crosswalk.RightsHolder)
	d.Thesis = thesisOf(s.values(longestValue, crosswalk.Degree))
	coverage := s.values(longestValue, crosswalk.Coverage)
	d.Places, d.Periods = placesOf(s, coverage), qualified(coverage, "temporal")
	d.Container = containerOf(s)
	d.Funding = fundingOf(s)
	d.Files = filesOf(s)
	d.Type, d.StatedType = typeOf(s, d)
	d.complete = complete(d)
}

// withoutLicence are the rights that are not the licence.
func withoutLicence(rights []Value, licence string) (out []Value) {
	for _, v := range rights {
		if v.Text == licence {
			continue
		}
		if uri, err := vocabulary.LicenceOf(v.Text); err != nil || uri != licence {
			out = append(out, v)
		}
	}
	return out
}

// titlesOf puts the title first, before those that are said to be others. The
// article that MODS keeps apart is put back.
func titlesOf(s said) []Value {
	var article Value
	all := distinct(s.richest(crosswalk.Title), func(st *crosswalk.Statement) []Value {
		t := stated(st, longestValue)
		if st.Qualifier == "nonSort" {
			article = t
			return nil
		}
		t, article = withArticle(article, t), Value{}
		return []Value{t}
	})
	for i, t := range all {
		if t.From.Qualifier == "" {
			return slices.Insert(slices.Delete(all, i, i+1), 0, t)
		}
	}
	return all
}

// withArticle is as the title where it stands says. MODS 3, nonSort.
func withArticle(article, title Value) Value {
	if article.Text == "" || !areSiblings(article.From, title.From) {
		return title
	}
	title.Text = article.Text + " " + title.Text
	title.With = []*crosswalk.Statement{article.From}
	return title
}

// areSiblings reports whether two statements stand in the same element.
func areSiblings(a, b *crosswalk.Statement) bool {
	above, beside := a.At.Path(), b.At.Path()
	return above[:strings.LastIndexByte(above, '/')+1] == beside[:strings.LastIndexByte(beside, '/')+1]
}

// subjectsOf splits at semicolons, never at commas.
func subjectsOf(s said) []Value {
	return distinct(s.richest(crosswalk.Subject), func(st *crosswalk.Statement) (out []Value) {
		for part := range strings.SplitSeq(text.Plain(st.Value, longestValue), ";") {
			out = append(out, of(st, strings.TrimSpace(part)))
		}
		return out
	})
}

// conceptsOf are the addresses of subjects in their vocabularies.
func conceptsOf(s said) []Value {
	return distinct(s.richest(crosswalk.SubjectURI), func(st *crosswalk.Statement) []Value {
		if !isWeb(st.Value) {
			return nil
		}
		return []Value{of(st, st.Value)}
	})
}

// qualified are the values that are said to be of a kind.
func qualified(list []Value, qualifier string) (out []Value) {
	for _, v := range list {
		if strings.EqualFold(v.From.Qualifier, qualifier) {
			out = append(out, v)
		}
	}
	return out
}

// relatedOf keeps what has a URI of its own.
func relatedOf(s said) []Value {
	return distinct(s.richest(crosswalk.Related), func(st *crosswalk.Statement) []Value {
		if id, ok := identifier.ParseAs(st.Value, st.Scheme); ok && id.URI != "" {
			return []Value{of(st, id.URI)}
		}
		if isWeb(st.Value) {
			return []Value{of(st, st.Value)}
		}
		return nil
	})
}

// isWeb reports whether a value is an address on the web, and nothing else.
func isWeb(value string) bool {
	return (strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")) &&
		len(value) <= longestValue && !text.HasSpace(value) && !text.HasControl(value) && !strings.ContainsAny(value, `<>"{}\^|`+"`")
}
