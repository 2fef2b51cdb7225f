package harvest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

const (
	fullMODS  = `<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>T</title></titleInfo></mods>`
	fullRDF   = `<rdf:RDF xmlns:rdf="http://www.openarchives.org/OAI/2.0/rdf/"><rdf:title>T</rdf:title></rdf:RDF>`
	fullXOAI  = `<metadata xmlns="http://www.lyncode.com/xoai"><element name="dc">T</element></metadata>`
	fullThese = `<uketddc xmlns="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/"><title>T</title></uketddc>`
)

// manyOffered are records in oai_dc, which alone is harvested, in MODS and in
// RDF.
func manyOffered(n int) []oaitest.Record {
	out := records(n)
	for i := range out {
		out[i].Formats["mods"], out[i].Formats["rdf"] = fullMODS, fullRDF
	}
	return out
}

// everywhere puts a format into the records for which is says so.
func everywhere(all []oaitest.Record, prefix, metadata string, is func(i int) bool) {
	for i := range all {
		if is(i) {
			all[i].Formats[prefix] = metadata
		}
	}
}

// offered harvests, and returns the formats that are then linked without being
// held.
func (s *scene) offered() []string {
	s.Helper()
	s.run(harvest.Options{})
	return s.kept().Offered.Prefixes
}

func (s *scene) kept() store.Repository {
	s.Helper()
	r, err := s.db.Repository(s.Context(), "main")
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// leftOut are the other formats and why they are not linked, as `check` says.
func (s *scene) leftOut() map[string]string {
	s.Helper()
	survey, err := s.h.Survey(s.Context(), s.r)
	if err != nil {
		s.Fatal(err)
	}
	out := map[string]string{}
	for _, l := range survey.LeftOut {
		out[l.Prefix] = l.Why
	}
	if kept := s.kept(); !kept.Offered.At.IsZero() && !slices.Equal(kept.Offered.Prefixes, survey.Offered) {
		s.Errorf("the survey finds %q offered, the harvest %q", survey.Offered, kept.Offered.Prefixes)
	}
	return out
}

func always(int) bool { return true }

// What a repository offers for its records, and which of it is linked.
func TestFormatsOfferedForEveryRecord(t *testing.T) {
	const n = 50
	asked := oaitest.Fault{Verb: "ListMetadataFormats", Argument: "identifier", Times: -1}
	faulty := func(f oaitest.Fault, kind oaitest.Kind) oaitest.Fault {
		f.Kind = kind
		return f
	}
	getting := func(kind oaitest.Kind) oaitest.Fault {
		return oaitest.Fault{Kind: kind, Verb: "GetRecord", Prefix: "rdf", Times: -1}
	}
	for _, c := range []struct {
		name    string
		change  func([]oaitest.Record)
		fault   oaitest.Fault
		want    string            // the formats that are linked
		leftOut map[string]string // others: a part of the reason
	}{
		{name: "all formats for all records", want: "mods rdf"},
		{name: "a format that is only for machinery", want: "mods rdf", leftOut: map[string]string{"xoai": "not for others to read"},
			change: func(r []oaitest.Record) { everywhere(r, "xoai", fullXOAI, always) }},
		{name: "a format for every third record", want: "mods rdf", leftOut: map[string]string{"uketd_dc": "not every record is available in it: oai:"},
			change: func(r []oaitest.Record) { everywhere(r, "uketd_dc", fullThese, func(i int) bool { return i%3 == 0 }) }},
		{name: "a format that only the last record is not in", want: "mods rdf", leftOut: map[string]string{"uketd_dc": "its list is shorter than that of oai_dc"},
			change: func(r []oaitest.Record) { everywhere(r, "uketd_dc", fullThese, func(i int) bool { return i < n-1 }) }},
		{name: "a format for theses, which most records are", want: "mods rdf", leftOut: map[string]string{"uketd_dc": "not every record is available in it: oai:"},
			change: func(r []oaitest.Record) {
				for i := range r {
					if i != 12 { // the 13th is the article that is looked at
						r[i].Formats["oai_dc"] = strings.Replace(r[i].Formats["oai_dc"], "Article", "Thesis", 1)
						r[i].Formats["uketd_dc"] = fullThese
					}
				}
			}},
		{name: "a format that all records list, with contents for theses alone", want: "mods rdf", leftOut: map[string]string{"uketd_dc": "there is nothing in it"},
			change: func(r []oaitest.Record) {
				for i := range r {
					r[i].Formats["uketd_dc"] = `<uketddc xmlns="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/"/>`
					if i != 12 { // the 13th is the article that is looked at, not the first
						r[i].Formats["oai_dc"] = strings.Replace(r[i].Formats["oai_dc"], "Article", "Thesis", 1)
						r[i].Formats["uketd_dc"] = fullThese
					}
				}
			}},
		{name: "a format with contents for one set alone", want: "mods rdf", leftOut: map[string]string{"uketd_dc": "there is nothing in it"},
			change: func(r []oaitest.Record) {
				for i := range r {
					r[i].Sets, r[i].Formats["uketd_dc"] = []string{"theses"}, fullThese
				}
				for _, i := range []int{7, 31} {
					r[i].Sets, r[i].Formats["uketd_dc"] = []string{"maps"}, `<uketddc xmlns="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/"/>`
				}
			}},
		{name: "a format whose records are empty", want: "rdf", leftOut: map[string]string{"mods": "there is nothing in it"},
			change: func(r []oaitest.Record) {
				everywhere(r, "mods", `<mods xmlns="http://www.loc.gov/mods/v3"> </mods>`, always)
			}},
		{name: "a format whose records are no XML", want: "rdf", leftOut: map[string]string{"mods": "a record cannot be had in it"},
			change: func(r []oaitest.Record) {
				everywhere(r, "mods", `<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo>T</mods>`, always)
			}},
		{name: "a format for which oai_dc is sent", want: "mods", leftOut: map[string]string{"rdf": "is in oai_dc instead"},
			change: func(r []oaitest.Record) {
				everywhere(r, "rdf", r[1].Formats["oai_dc"], func(i int) bool { return i > 0 })
			}},
		{name: "a format in the wrapper of another", want: "mods rdf",
			change: func(r []oaitest.Record) {
				everywhere(r, "rdf", fullMODS, func(i int) bool { return i > 0 })
			}},
		{name: "a format that is refused", want: "mods", fault: getting(oaitest.NoFormat), leftOut: map[string]string{"rdf": "cannotDisseminateFormat"}},
		{name: "a format at which the server breaks", want: "mods", fault: getting(oaitest.Status500), leftOut: map[string]string{"rdf": "HTTP status 500"}},
		{name: "a format that is an HTML page", want: "mods", fault: getting(oaitest.HTML), leftOut: map[string]string{"rdf": "an HTML page"}},
		{name: "the identifier is refused", fault: faulty(asked, oaitest.BadArgument), leftOut: map[string]string{"mods": "does not say", "rdf": "does not say"}},
		{name: "no identifier is known", fault: faulty(asked, oaitest.NoRecord), leftOut: map[string]string{"mods": "does not say", "rdf": "does not say"}},
		{name: "the identifier breaks the server", fault: faulty(asked, oaitest.Status500), leftOut: map[string]string{"mods": "does not say", "rdf": "does not say"}},
		{name: "the identifier is not looked at", fault: faulty(asked, oaitest.AllFormats), leftOut: map[string]string{"mods": "for one that does not exist", "rdf": "for one that does not exist"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := manyOffered(n)
			if c.change != nil {
				c.change(all)
			}
			s := newScene(t, all...)
			s.origin.Inject(c.fault)
			if got := strings.Join(s.offered(), " "); got != c.want {
				t.Errorf("linked are %q, want %q", got, c.want)
			}
			got := s.leftOut()
			if len(got) != len(c.leftOut) {
				t.Errorf("left out are %q, want %q", got, c.leftOut)
			}
			for prefix, part := range c.leftOut {
				if !strings.Contains(got[prefix], part) {
					t.Errorf("%s is left out since %q, want %q", prefix, got[prefix], part)
				}
			}
		})
	}
}

// TestAnEmptyRecordIsNoFormat: of an object, in a format that is harvested.
func TestAnEmptyRecordIsNoFormat(t *testing.T) {
	all := manyOffered(3)
	all[1].Formats["mods"] = `<mods xmlns="http://www.loc.gov/mods/v3"> </mods>`
	s := newScene(t, all...)
	s.r.Prefixes = []string{"oai_dc", "mods"}
	if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"mods oai_dc", "oai_dc", "mods oai_dc"} {
		if got := strings.Join(s.object(identifier(i+1)).Prefixes, " "); got != want {
			t.Errorf("record %d is in %q, want %q", i+1, got, want)
		}
	}
}

// questions are the requests for single records and their formats, and those
// for lists of identifiers.
func (s *scene) questions() []string {
	var out []string
	for _, q := range s.origin.Requests() {
		if strings.Contains(q, "verb=ListMetadataFormats") && !strings.Contains(q, "identifier=") {
			continue
		}
		for _, verb := range []string{"GetRecord", "ListMetadataFormats", "ListIdentifiers"} {
			if strings.Contains(q, "verb="+verb) {
				out = append(out, verb)
			}
		}
	}
	return out
}

func TestOfferedFormatsAreAskedAboutOnceAMonth(t *testing.T) {
	s := newScene(t, manyOffered(50)...)
	s.run(harvest.Options{})
	want := slices.Concat(slices.Repeat([]string{"ListMetadataFormats"}, 6), slices.Repeat([]string{"GetRecord"}, 2*20), slices.Repeat([]string{"ListIdentifiers"}, 3))
	if got := s.questions(); !slices.Equal(got, want) {
		t.Errorf("the first run asked %v, want %v", got, want)
	}
	for _, c := range []struct {
		days, want int
	}{{1, 0}, {28, 0}, {2, len(want)}, {1, 0}} {
		s.origin.Forget()
		s.clock.Advance(time.Duration(c.days) * 24 * time.Hour)
		run := s.run(harvest.Options{})
		if got := len(s.questions()); got != c.want || run.Changed != 0 {
			t.Errorf("%d days later %d questions were asked and %d records changed, want %d and 0", c.days, got, run.Changed, c.want)
		}
	}
}

// A repository without other formats, or with such as nobody needs, is asked
// nothing; nor is one whose administrator wants no other links.
func TestNothingIsAskedForNothing(t *testing.T) {
	alone := newScene(t, records(50)...)
	machinery := records(50)
	everywhere(machinery, "xoai", fullXOAI, always)
	unwanted := newScene(t, manyOffered(50)...)
	unwanted.r.HarvestedOnly = true
	harvested := newScene(t, manyOffered(50)...)
	harvested.r.Prefixes = []string{"oai_dc", "mods", "rdf"}
	for name, s := range map[string]*scene{"alone": alone, "machinery": newScene(t, machinery...), "unwanted": unwanted, "harvested": harvested} {
		if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := s.questions(); len(got) > 0 {
			t.Errorf("%s: it was asked %v", name, got)
		}
		if got := s.kept().Offered; len(got.Prefixes)+len(got.Of) > 0 {
			t.Errorf("%s: kept is %+v", name, got)
		}
	}
}

// A new format is asked about in the next run, one that is no longer offered
// is forgotten, and what is known of the rest stays meanwhile.
func TestOfferedFormatsChange(t *testing.T) {
	all := manyOffered(20)
	s := newScene(t, all...)
	s.run(harvest.Options{})
	put := func(prefix, metadata string) {
		for _, r := range all {
			if r.Formats[prefix] = metadata; metadata == "" {
				delete(r.Formats, prefix)
			}
			s.origin.Put(r)
		}
	}
	put("marc", `<record xmlns="http://www.loc.gov/MARC21/slim"><leader>T</leader></record>`)
	put("rdf", "")
	s.clock.Advance(24 * time.Hour)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Verb: "ListMetadataFormats", Argument: "identifier"})
	if got := s.offered(); !slices.Equal(got, []string{"mods"}) {
		t.Errorf("while it is away linked are %q, want mods", got)
	}
	s.clock.Advance(24 * time.Hour)
	if got := s.offered(); !slices.Equal(got, []string{"marc", "mods"}) {
		t.Errorf("after the next run linked are %q, want marc and mods", got)
	}
}

// One record that is asked about may have vanished without a word; several are
// a repository that does not know its records by their identifiers.
func TestARecordThatVanishedIsNoEvidence(t *testing.T) {
	s := newScene(t, manyOffered(50)...)
	s.run(harvest.Options{})
	for _, c := range []struct {
		vanished int
		want     string
	}{{11, "mods rdf"}, {31, ""}} {
		s.origin.Vanish(identifier(c.vanished))
		s.clock.Advance(31 * 24 * time.Hour)
		s.origin.Forget()
		if got := strings.Join(s.offered(), " "); got != c.want || !s.asked("identifier="+identifier(c.vanished)) {
			t.Errorf("without record %d linked are %q, want %q; asked was %q", c.vanished, got, c.want, s.origin.Requests())
		}
	}
}

// Whatever happens while formats are asked about, the harvest is what it is
// without, and nobody is asked twice.
func TestAskingCostsNothingButLinks(t *testing.T) {
	for _, verb := range []string{"ListMetadataFormats", "GetRecord", "ListIdentifiers"} {
		for _, kind := range []oaitest.Kind{oaitest.Status503, oaitest.Status429, oaitest.Status403, oaitest.Status500, oaitest.HTML, oaitest.EmptyBody, oaitest.NoAnswer, oaitest.Drop, oaitest.Trunc, oaitest.ServerError, oaitest.Redirect} {
			t.Run(fmt.Sprint(verb, " ", kind), func(t *testing.T) {
				s := newScene(t, manyOffered(50)...)
				fault := oaitest.Fault{Kind: kind, Verb: verb, Times: -1}
				if verb == "ListMetadataFormats" {
					fault.Argument = "identifier"
				}
				s.origin.Inject(fault)
				s.wants(s.run(harvest.Options{}), store.Complete, 50)
				most := 6 + 2*20 + 3
				if kind == oaitest.Redirect {
					most *= 6
				}
				if got := len(s.questions()); got > most {
					t.Errorf("%d questions were asked, want %d at most", got, most)
				}
				if got := s.kept().Offered.Prefixes; len(got) > 0 && verb != "ListIdentifiers" {
					t.Errorf("linked are %q, want none", got)
				}
			})
		}
	}
}

func TestOfferedFormatsOfDeletedRecords(t *testing.T) {
	all := manyOffered(50)
	for i := range 25 {
		all[2*i].Deleted, all[2*i].Formats = true, nil
	}
	s := newScene(t, all...)
	if got := s.offered(); !slices.Equal(got, []string{"mods", "rdf"}) {
		t.Errorf("linked are %q, want mods and rdf", got)
	}
	for _, q := range s.origin.Requests() {
		for i := range 25 {
			if strings.HasSuffix(q, fmt.Sprintf("%%3A%d", 2*i+1)) {
				t.Errorf("it was asked about a deleted record: %s", q)
			}
		}
	}
}
