package description

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
	"fingerpost/bridge/vocabulary"
)

// has says where a kind of statement has a place: which documents have one for
// each statement of a record, and which for one of them. Kinds that are not here
// have none: loose words such as dc:relation, of which nobody knows what they
// mean, notes, and what formats say of the record itself.
type has struct {
	kind crosswalk.Kind
	each string
	one  string
	when func(d *Description, st *crosswalk.Statement) bool // nil: always
}

const all = "schema datacite csl bib ris"

var hasPlace = []has{
	{crosswalk.Title, "schema datacite dcat", "csl bib ris", nil},
	{crosswalk.Creator, all + " dcat", "", isName},
	{crosswalk.CreatorName, all + " dcat", "", isName},
	{crosswalk.CreatorID, "", "schema datacite dcat", isKnown},
	{crosswalk.Contributor, "schema dcat", "", isName},
	{crosswalk.Contributor, "datacite", "", func(_ *Description, st *crosswalk.Statement) bool { return isName(nil, st) && st.Qualifier != "" }},
	{crosswalk.Contributor, "csl bib ris", "", func(_ *Description, st *crosswalk.Statement) bool {
		return isName(nil, st) && (st.Qualifier == "editor" || st.Qualifier == "Editor" || st.Qualifier == "edt")
	}},
	{crosswalk.ContributorID, "", "schema dcat", isKnown},
	{crosswalk.FamilyName, "schema dcat csl bib", "", isPart},
	{crosswalk.GivenName, "schema dcat csl bib", "", isPart},
	{crosswalk.NameType, "schema dcat", "", func(_ *Description, st *crosswalk.Statement) bool { return nameTypes[strings.ToLower(st.Value)] != "" }},
	{crosswalk.Affiliation, "schema", "", nil},
	{crosswalk.Date, "", all + " dcat", func(d *Description, _ *crosswalk.Statement) bool { return d.Issued.Text != "" }},
	{crosswalk.OtherDate, "datacite", "", func(_ *Description, st *crosswalk.Statement) bool {
		return st.Qualifier != "" && isRange(text.Plain(st.Value, 100))
	}},
	{crosswalk.OtherDate, "", "schema dcat", func(_ *Description, st *crosswalk.Statement) bool {
		kind := dateTypes[strings.ToLower(st.Qualifier)]
		return (kind == "Created" || kind == "Updated" && isMonth(st.Value)) && isRange(st.Value)
	}},
	{crosswalk.OtherDate, "", "csl", func(_ *Description, st *crosswalk.Statement) bool {
		kind := dateTypes[strings.ToLower(st.Qualifier)]
		return (kind == "Submitted" || kind == "Available") && dayOf(st.Value) != ""
	}},
	{crosswalk.Publisher, "schema dcat", "datacite csl bib ris", nil},
	{crosswalk.PublisherID, "", "datacite", nil},
	{crosswalk.Place, "", "csl bib ris", nil},
	{crosswalk.Type, "", "datacite csl bib ris", func(d *Description, st *crosswalk.Statement) bool {
		c, ok := vocabulary.TypeOf(st.Value)
		return ok && c.URI == d.Object.Type
	}},
	{crosswalk.Language, "schema dcat", "", isLanguage},
	{crosswalk.Language, "", "datacite csl bib ris", func(d *Description, st *crosswalk.Statement) bool { return isLanguage(d, st) && len(d.Languages) == 1 }},
	{crosswalk.Subject, all + " dcat", "", nil},
	{crosswalk.SubjectURI, "schema dcat", "", func(_ *Description, st *crosswalk.Statement) bool { return isWeb(st.Value) }},
	{crosswalk.Description, "schema datacite dcat", "csl bib ris", nil},
	{crosswalk.Licence, "schema datacite dcat", "", nil},
	{crosswalk.Rights, "schema datacite dcat", "bib", nil},
	{crosswalk.Access, "schema datacite dcat", "", nil},
	{crosswalk.RightsHolder, "schema datacite dcat", "", nil},
	{crosswalk.Journal, "", "schema csl bib ris", isHost},
	{crosswalk.Journal, "", "datacite", isHost},
	{crosswalk.ISSN, "schema", "datacite csl bib ris", func(_ *Description, st *crosswalk.Statement) bool {
		return len(checked(st, st.Value, identifier.ISSN)) > 0
	}},
	{crosswalk.ISBN, "", all, func(_ *Description, st *crosswalk.Statement) bool {
		return len(checked(st, st.Value, identifier.ISBN)) > 0
	}},
	{crosswalk.Volume, "", all, isHost},
	{crosswalk.Issue, "", all, isHost},
	{crosswalk.FirstPage, "", all, isHost},
	{crosswalk.LastPage, "", all, isHost},
	{crosswalk.Pages, "", all, func(d *Description, _ *crosswalk.Statement) bool {
		return d.Container.First.From == nil || d.Container.First.From.Kind != crosswalk.FirstPage
	}},
	{crosswalk.ArticleNumber, "", "csl bib", isHost},
	{crosswalk.RelatedTitle, "", "schema csl bib ris", func(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "series" }},
	{crosswalk.Event, "", "csl", func(_ *Description, st *crosswalk.Statement) bool {
		return st.Qualifier == "" || st.Qualifier == "name"
	}},
	{crosswalk.Edition, "", "csl bib ris", nil},
	{crosswalk.Version, "", "schema datacite dcat csl bib", nil},
	{crosswalk.Citation, "schema dcat ris", "", func(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "" }},
	{crosswalk.Degree, "", "csl bib ris", func(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "name" }},
	{crosswalk.Degree, "", "csl bib ris", func(d *Description, st *crosswalk.Statement) bool {
		return st.Qualifier == "grantor" && len(d.Publishers) == 0
	}},
	{crosswalk.Format, "datacite", "", nil},
	{crosswalk.Extent, "datacite", "", nil},
	{crosswalk.FileName, "schema dcat", "", isLinked},
	{crosswalk.FileSize, "schema dcat", "", func(d *Description, st *crosswalk.Statement) bool { return text.IsDigits(st.Value) && isLinked(d, st) }},
	{crosswalk.Coverage, "schema datacite dcat", "", func(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "spatial" }},
	{crosswalk.Coverage, "schema dcat", "", func(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "temporal" }},
	{crosswalk.Coordinates, "datacite", "", isOnEarth},
	{crosswalk.Coordinates, "schema", "", func(_ *Description, st *crosswalk.Statement) bool {
		return isOnEarth(nil, st) && !strings.Contains(st.At.Path(), "olygon") // CDIF takes none
	}},
	{crosswalk.Related, "datacite", "", func(_ *Description, st *crosswalk.Statement) bool {
		relation := relationTypes[strings.ToLower(st.Qualifier)]
		return relation != "" && relation != "HasMetadata" && isAddress(st)
	}},
	{crosswalk.Related, "schema dcat", "", func(_ *Description, st *crosswalk.Statement) bool {
		return isAddress(st) && slices.Contains([]string{"ispartof", "ispublishedin", "haspart", "isderivedfrom", "cites", "references"}, strings.ToLower(st.Qualifier))
	}},
	{crosswalk.Funder, "schema datacite", "", nil},
	{crosswalk.FunderID, "schema", "", nil},
	{crosswalk.Award, "schema", "", nil},
	{crosswalk.AwardTitle, "schema", "", nil},
	{crosswalk.Audience, "schema", "", func(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "" }},
}

func isName(_ *Description, st *crosswalk.Statement) bool {
	return bridge.IsName(text.Plain(st.Value, longestValue))
}

// isPart reports whether a part of a name is that of a creator.
func isPart(_ *Description, st *crosswalk.Statement) bool { return st.Qualifier == "" }

func isKnown(_ *Description, st *crosswalk.Statement) bool {
	_, err := identifier.Author(st.Value, st.Scheme)
	return err == nil
}

func isLanguage(_ *Description, st *crosswalk.Statement) bool { return languageOf(st.Value) != "" }

func isHost(_ *Description, st *crosswalk.Statement) bool {
	return st.Qualifier == "" || st.Qualifier == "host"
}

// isLinked reports whether the file that is said more of is linked.
func isLinked(d *Description, st *crosswalk.Statement) bool {
	for _, item := range d.Object.Items {
		if f, ok := d.Files[bridge.NormalURL(item.URL)]; ok && (f.Name.From == st || f.Size.From == st) {
			return true
		}
	}
	return false
}

func isAddress(st *crosswalk.Statement) bool {
	id, ok := identifier.ParseAs(st.Value, st.Scheme)
	return ok && id.URI != "" || isWeb(st.Value)
}

// isOnEarth reports whether a number is one of degrees, in a form whose order is
// fixed, as that of MODS and GML is not.
func isOnEarth(_ *Description, st *crosswalk.Statement) bool {
	qualifier := strings.ToLower(st.Qualifier)
	if qualifier == "box" || qualifier == "point" {
		return true
	}
	most := 180.0
	if strings.Contains(qualifier, "north") || strings.Contains(qualifier, "south") || strings.Contains(qualifier, "latitude") {
		most = 90
	}
	if !strings.HasPrefix(qualifier, "point") && (&Place{}).side(qualifier) == nil {
		return false
	}
	return degrees(st, st.Value, most).Text != ""
}

// reach counts statements that have a place in a document, and those that are
// there.
type reach struct{ stated, there int }

// TestRecall: what a record states reaches each document that has a place for
// it. `go test -v -run Recall` prints how much does.
func TestRecall(t *testing.T) {
	t.Parallel()
	const mark = 98 // percent
	reached := map[crosswalk.Kind]map[string]*reach{}
	var missed []string
	for _, s := range sources(t) {
		for i := range s.Records {
			one := s
			one.Records = s.Records[i : i+1]
			missed = append(missed, recall(t, one, reached)...)
		}
	}
	t.Logf("%-15s %18s %18s %18s %18s %18s %18s", "kind", "schema", "datacite", "csl", "bib", "ris", "dcat")
	for kind := crosswalk.Kind(0); kind <= crosswalk.Note; kind++ {
		var row strings.Builder
		row.WriteString(fmt.Sprintf("%-15s", kind))
		for doc := range strings.FieldsSeq(all + " dcat") {
			r := reached[kind][doc]
			if r == nil {
				row.WriteString(fmt.Sprintf(" %18s", "-"))
				continue
			}
			row.WriteString(fmt.Sprintf(" %5d/%5d = %3d %%", r.there, r.stated, r.there*100/r.stated))
			if r.there*100 < r.stated*mark {
				t.Errorf("of %d statements of a %s, %d are in %s", r.stated, kind, r.there, doc)
			}
		}
		if reached[kind] != nil {
			t.Log(row.String())
		}
	}
	for _, m := range missed[:min(len(missed), 50)] {
		t.Log(m)
	}
}

// recall counts what is stated by one record, and says what is missing.
func recall(t *testing.T, s Source, reached map[crosswalk.Kind]map[string]*reach) (missed []string) {
	d := describe(t, s)
	said := slices.DeleteFunc(statementsOf(t, s), isBesideOther(t, s))
	for _, doc := range Documents {
		name := strings.Split(strings.TrimPrefix(doc.Name, "citation."), ".")[0]
		if d.Complete()&doc.Needs == 0 || name == "cdif" {
			continue
		}
		there := linesByPlace(d, doc)
		for _, h := range hasPlace {
			if !slices.Contains(strings.Fields(h.each+" "+h.one), name) {
				continue
			}
			stated, found := 0, 0
			var gone string
			for i := range said {
				st := &said[i]
				if st.Kind != h.kind || text.Plain(st.Value, longestText) == "" || h.when != nil && !h.when(d, st) {
					continue
				}
				stated++
				if there[st.Kind.String()+text.Plain(st.Value, longestText)] || there[placeOf(st)] || isImplied(d, st, there) {
					found++
				} else {
					gone = fmt.Sprintf("%s: %s: no %s %.60q", s.Identifier, doc.Name, h.kind, st.Value)
				}
			}
			switch {
			case stated == 0:
				continue
			case slices.Contains(strings.Fields(h.one), name):
				stated, found = 1, min(found, 1)
			}
			if found < stated {
				missed = append(missed, gone)
			}
			if reached[h.kind] == nil {
				reached[h.kind] = map[string]*reach{}
			}
			if reached[h.kind][name] == nil {
				reached[h.kind][name] = &reach{}
			}
			reached[h.kind][name].stated += stated
			reached[h.kind][name].there += found
		}
	}
	return missed
}

// isImplied reports whether a statement is in a document in other words: a name
// in its parts, a licence as the links name it.
func isImplied(d *Description, st *crosswalk.Statement, there map[string]bool) bool {
	switch st.Kind {
	case crosswalk.Rights, crosswalk.Licence, crosswalk.Access:
		uri, err := vocabulary.LicenceOf(text.Plain(st.Value, longestText))
		return err == nil && uri == d.Object.License || st.Value == d.Object.License
	case crosswalk.Language:
		return slices.ContainsFunc(d.Languages, func(v Value) bool { return v.Text == languageOf(st.Value) })
	case crosswalk.Creator, crosswalk.CreatorName, crosswalk.Contributor:
		return slices.ContainsFunc(slices.Concat(d.Creators, d.Contributors), func(a Agent) bool {
			return a.Name.Text == text.Plain(st.Value, longestValue) && a.Family.From != nil && there[placeOf(a.Family.From)]
		})
	}
	return false
}

// isBesideOther finds the sides of boxes of which another side is no number of
// degrees.
func isBesideOther(t *testing.T, s Source) func(crosswalk.Statement) bool {
	broken := map[uint16]bool{}
	for _, st := range statementsOf(t, s) {
		if st.Kind == crosswalk.Coordinates && !isOnEarth(nil, &st) {
			broken[st.Group] = true
		}
	}
	return func(st crosswalk.Statement) bool { return st.Kind == crosswalk.Coordinates && broken[st.Group] }
}

// linesByPlace has the places of all statements that a document was made of, and
// their texts: what is stated twice is written once.
func linesByPlace(d *Description, doc Document) map[string]bool {
	there := map[string]bool{}
	met := map[*crosswalk.Statement]bool{}
	for _, l := range d.Lines(doc) {
		for _, st := range append([]*crosswalk.Statement{l.From}, l.With...) {
			if st != nil && !met[st] {
				met[st] = true
				there[placeOf(st)] = true
				there[st.Kind.String()+text.Plain(st.Value, longestText)] = true
			}
		}
	}
	return there
}

func placeOf(st *crosswalk.Statement) string {
	return st.Kind.String() + " " + st.At.Path() + "/@" + st.Attr
}

func statementsOf(t *testing.T, s Source) []crosswalk.Statement {
	t.Helper()
	said, err := crosswalk.Read(s.Records[0].Metadata, crosswalk.All)
	if err != nil {
		t.Fatal(err)
	}
	return said
}
