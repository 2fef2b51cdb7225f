package identifier

import (
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		value  string
		scheme Scheme // "": no identifier
		bare   string
		uri    string
	}{
		// DOIs.
		{"10.5555/abc.1", DOI, "10.5555/abc.1", "https://doi.org/10.5555/abc.1"},
		{"doi:10.5555/ABC", DOI, "10.5555/ABC", "https://doi.org/10.5555/ABC"},
		{"DOI: 10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"doi 10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"doi://10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"\n  doi:10.5555/abc\n ", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"http://dx.doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"http://dx.doi.org/doi:10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"https://doi.org/https://doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"https://www.doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"https://doi.org/https://www.doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"https://doi.org/10.5555/abc?nosfx=y#top", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"info:doi/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"info:eu-repo/semantics/altIdentifier/doi/http://dx.doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"info:doi/https://doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"https://doi.org/http://dx.doi.org/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"info:eu-repo/semantics/altIdentifier/doi/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"urn:doi:10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"hdl:10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"https://hdl.handle.net/10.5555/abc", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"10.5555.12/abc", DOI, "10.5555.12/abc", "https://doi.org/10.5555.12/abc"},
		{"10.5555/Größe", DOI, "10.5555/Größe", "https://doi.org/10.5555/Gr%C3%B6%C3%9Fe"},
		{"10.5555/a#b?c%d", DOI, "10.5555/a#b?c%d", "https://doi.org/10.5555/a%23b%3Fc%25d"},
		// What publishers and people put around them.
		{`https://doi.org/10.5555/strand.00084907"`, DOI, "10.5555/strand.00084907", "https://doi.org/10.5555/strand.00084907"},
		{"10.5555/abc.", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"(doi:10.5555/abc),", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"<https://doi.org/10.5555/abc>", DOI, "10.5555/abc", "https://doi.org/10.5555/abc"},
		{"10.5555/s0140-6736(05)71146-0", DOI, "10.5555/s0140-6736(05)71146-0", "https://doi.org/10.5555/s0140-6736(05)71146-0"},
		{"10.5555/0140-6736(05)", DOI, "10.5555/0140-6736(05)", "https://doi.org/10.5555/0140-6736(05)"},
		{"10.5555/(SICI)1099-1263(199901)19:1<61::AID-SHR1>3.0.CO;2-#", DOI,
			"10.5555/(SICI)1099-1263(199901)19:1<61::AID-SHR1>3.0.CO;2-#",
			"https://doi.org/10.5555/(SICI)1099-1263(199901)19:1%3C61::AID-SHR1%3E3.0.CO;2-%23"},
		{"http://dx.doi.org/10.5555/1520-0442(1998)011&lt;0001:ABC&gt;2.0.CO;2", DOI,
			"10.5555/1520-0442(1998)011<0001:ABC>2.0.CO;2", "https://doi.org/10.5555/1520-0442(1998)011%3C0001:ABC%3E2.0.CO;2"},
		{"https://doi.org/10.5555/1520-0442%281998%29011%3C0001:ABC%3E2.0.CO%3B2", DOI,
			"10.5555/1520-0442(1998)011<0001:ABC>2.0.CO;2", "https://doi.org/10.5555/1520-0442(1998)011%3C0001:ABC%3E2.0.CO;2"},
		// What is no DOI.
		{"10.5555", "", "", ""},
		{"10.5555/", "", "", ""},
		{"10.55/abc", "", "", ""},
		{"10.5555/abc def", "", "", ""},
		{"Harrow, A. (2014) Ripple marks. Shores 12, 1-20. doi:10.5555/abc", "", "", ""},
		{"https://journal.example.org/doi/10.5555/abc", "", "", ""},
		{"https://doi.org/", "", "", ""},

		// Handles.
		{"hdl:2027.42/1234", Handle, "2027.42/1234", "https://hdl.handle.net/2027.42/1234"},
		{"http://hdl.handle.net/1912/2641", Handle, "1912/2641", "https://hdl.handle.net/1912/2641"},
		{"http://hdl.handle.net/1912/2641/", Handle, "1912/2641", "https://hdl.handle.net/1912/2641"},
		{"https://hdl.handle.net/20.500.12345/LU-77?locatt=view:x", Handle, "20.500.12345/LU-77", "https://hdl.handle.net/20.500.12345/LU-77"},
		{"https://hdl.handle.net/21.T15999/ABC", Handle, "21.T15999/ABC", "https://hdl.handle.net/21.T15999/ABC"},
		{"info:hdl/1912/2641", Handle, "1912/2641", "https://hdl.handle.net/1912/2641"},
		{"urn:hdl:1912/2641", Handle, "1912/2641", "https://hdl.handle.net/1912/2641"},
		{"hdl.handle.net/1912/2641", Handle, "1912/2641", "https://hdl.handle.net/1912/2641"},
		{"https://dspace.example.edu/handle/1912/2641", "", "", ""}, // a page
		{"1912/2641", "", "", ""},
		{"https://hdl.handle.net/1912", "", "", ""},

		// ARKs.
		{"ark:/12148/btv1b8621766k", ARK, "ark:/12148/btv1b8621766k", "https://n2t.net/ark:/12148/btv1b8621766k"},
		{"ark:12148/btv1b8621766k", ARK, "ark:12148/btv1b8621766k", "https://n2t.net/ark:/12148/btv1b8621766k"},
		{"http://ark.example.edu/ark:/67531/metapth12/", ARK, "ark:/67531/metapth12", "http://ark.example.edu/ark:/67531/metapth12/"},
		{"http://n2t.net/ark%3A/67531/m12", ARK, "ark:/67531/m12", "https://n2t.net/ark%3A/67531/m12"},
		{"ark:/12/x", "", "", ""},
		{"https://www.example.org/park:/12345/x", "", "", ""},

		// URN:NBN, each where its country resolves it.
		{"urn:nbn:de:kobv:517-opus-1234", URNNBN, "urn:nbn:de:kobv:517-opus-1234", "https://nbn-resolving.org/urn:nbn:de:kobv:517-opus-1234"},
		{"http://nbn-resolving.de/urn/resolver.pl?urn:nbn:de:kobv:517-opus-1234", URNNBN, "urn:nbn:de:kobv:517-opus-1234", "https://nbn-resolving.org/urn:nbn:de:kobv:517-opus-1234"},
		{"https://nbn-resolving.org/urn/resolver.pl?identifier=urn:nbn:de:kobv:517-opus-1234&verb=redirect", URNNBN, "urn:nbn:de:kobv:517-opus-1234", "https://nbn-resolving.org/urn:nbn:de:kobv:517-opus-1234"},
		{"URN:NBN:fi:hulib-200101", URNNBN, "URN:NBN:fi:hulib-200101", "https://urn.fi/URN:NBN:fi:hulib-200101"},
		{"urn:nbn:fi-fe2014120248", URNNBN, "urn:nbn:fi-fe2014120248", "https://urn.fi/urn:nbn:fi-fe2014120248"},
		{"http://urn.kb.se/resolve?urn=urn:nbn:se:uu:diva-1234", URNNBN, "urn:nbn:se:uu:diva-1234", "https://urn.kb.se/resolve?urn=urn:nbn:se:uu:diva-1234"},
		{"urn:nbn:no-1234", URNNBN, "urn:nbn:no-1234", "https://urn.nb.no/urn:nbn:no-1234"},
		{"urn:nbn:nl:ui:13-94-rixj", URNNBN, "urn:nbn:nl:ui:13-94-rixj", "https://persistent-identifier.nl/urn:nbn:nl:ui:13-94-rixj"},
		{"urn:nbn:xx:1", URNNBN, "urn:nbn:xx:1", ""},
		{"urn:nbn:de:1-2/", URNNBN, "urn:nbn:de:1-2", "https://nbn-resolving.org/urn:nbn:de:1-2"},
		{"urn:nbn:de:", "", "", ""},
		{"urn:nbn:de:/", "", "", ""},

		// PURLs and the resolvers of institutions.
		{"http://purl.stanford.edu/zz000yy1111", PURL, "http://purl.stanford.edu/zz000yy1111", "https://purl.stanford.edu/zz000yy1111"},
		{"http://purl.umn.example.edu/12", PURL, "http://purl.umn.example.edu/12", "http://purl.umn.example.edu/12"},
		{"http://purl.org/coar/resource_type/c_6501", "", "", ""},
		{"http://purl.org/dc/terms/title", "", "", ""},
		{"http://w3id.org/shores/1", W3ID, "http://w3id.org/shores/1", "https://w3id.org/shores/1"},
		{"http://resolver.example.edu/AUTHORS:20090807-141212060", Resolver, "http://resolver.example.edu/AUTHORS:20090807-141212060", "http://resolver.example.edu/AUTHORS:20090807-141212060"},
		{"http://nrs.harvard.edu/urn-3:HUL.InstRepos:1", Resolver, "http://nrs.harvard.edu/urn-3:HUL.InstRepos:1", "http://nrs.harvard.edu/urn-3:HUL.InstRepos:1"},
		{"https://resolver.example.edu/", "", "", ""},
		{"swh:1:dir:d198bc9d7a6bcf6db04f476d29314f157507d505;origin=https://git.example.org/x", SWHID,
			"swh:1:dir:d198bc9d7a6bcf6db04f476d29314f157507d505;origin=https://git.example.org/x",
			"https://archive.softwareheritage.org/swh:1:dir:d198bc9d7a6bcf6db04f476d29314f157507d505;origin=https://git.example.org/x"},

		// arXiv.
		{"http://arxiv.org/abs/0709.2184", ArXiv, "0709.2184", "https://arxiv.org/abs/0709.2184"},
		{"https://arxiv.org/pdf/2101.00001v2.pdf", ArXiv, "2101.00001v2", "https://arxiv.org/abs/2101.00001v2"},
		{"arXiv:hep-th/9901001", ArXiv, "hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"},
		{"http://arxiv.org/abs/math.GT/0309136", ArXiv, "math.GT/0309136", "https://arxiv.org/abs/math.GT/0309136"},
		{"oai:arXiv.org:0709.2184", ArXiv, "0709.2184", "https://arxiv.org/abs/0709.2184"},
		{"http://arxiv.org/list/hep-th/new", "", "", ""},

		// What identifies something, but not the object on the web.
		{"PMID:17824323", PMID, "17824323", "https://pubmed.ncbi.nlm.nih.gov/17824323/"},
		{"http://www.ncbi.nlm.nih.gov/pubmed/17824323", PMID, "17824323", "https://pubmed.ncbi.nlm.nih.gov/17824323/"},
		{"http://www.ncbi.nlm.nih.gov/pmc/articles/PMC1968744", PMCID, "PMC1968744", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1968744/"},
		{"PMC1968744", PMCID, "PMC1968744", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1968744/"},
		{"http://www.ncbi.nlm.nih.gov/pmc/articles/PMC", "", "", ""},
		{"978-3-16-148410-0", ISBN, "978-3-16-148410-0", ""},
		{"ISBN 979-10-90636-07-1", ISBN, "979-10-90636-07-1", ""},
		{"977-3-16-148410-3", "", "", ""}, // of no book, though its check digit is right
		{"ISBN: 0-306-40615-2", ISBN, "0-306-40615-2", ""},
		{"urn:isbn:097522980X", ISBN, "097522980X", ""},
		{"978-3-16-148410-1", "", "", ""}, // its check digit is wrong
		{"ISSN 1234-5679", ISSN, "1234-5679", "https://portal.issn.org/resource/ISSN/1234-5679"},
		{"1050-124x", ISSN, "1050-124x", "https://portal.issn.org/resource/ISSN/1050-124X"},
		{"2014-2015", "", "", ""},
		{"1999A&A...345..123X", Bibcode, "1999A&A...345..123X", "https://ui.adsabs.harvard.edu/abs/1999A&A...345..123X"},
		{"1924MNRAS..84..308E", Bibcode, "1924MNRAS..84..308E", "https://ui.adsabs.harvard.edu/abs/1924MNRAS..84..308E"},
		{"urn:lsid:example.org:act:1", LSID, "urn:lsid:example.org:act:1", ""},
		{"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", URN, "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", ""},
		{"oai:repo.example.edu:12", oaiName, "oai:repo.example.edu:12", ""},
		{"ivo://org.example/shores", IVOID, "ivo://org.example/shores", ""},
		{"RRID:AB_12345", RRID, "RRID:AB_12345", ""},
		{"info:eu-repo/grantAgreement/EC/FP7/12345", Grant, "info:eu-repo/grantAgreement/EC/FP7/12345", ""},
		{"https://orcid.org/0000-0002-1825-0097", ORCID, "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"},

		// What is nothing of the kind.
		{"", "", "", ""},
		{":", "", "", ""},
		{"http://", "", "", ""},
		{"https://repo.example.edu/records/12", "", "", ""},
		{"info:eu-repo/semantics/openAccess", "", "", ""},
		{"Shores, 12 (3)", "", "", ""},
		{"4711", "", "", ""},
	} {
		got, ok := Parse(test.value)
		want := ID{Scheme: test.scheme, Value: test.bare, URI: test.uri, Prefix: got.Prefix}
		if ok != (test.scheme != "") || got != want {
			t.Errorf("Parse(%q) = %+v, %v\nwant %+v", test.value, got, ok, want)
		}
	}
}

func TestPersistent(t *testing.T) {
	// From the one that is preferred down to those that may not be cite-as.
	ranked := [][]string{
		{"10.5555/abc"},
		{"hdl:2027.42/1", "https://hdl.handle.net/20.500.12345/1"},
		{"ark:/12148/btv1"},
		{"urn:nbn:de:1-2"},
		{"https://purl.org/shores/1", "https://w3id.org/shores/1", "http://resolver.example.edu/1", "swh:1:dir:d198bc9d7a6bcf6db04f476d29314f157507d505"},
		{"arXiv:0709.2184"},
		{"hdl:123456789/1", "http://hdl.handle.net/123456789/77", "urn:nbn:xx:1", "978-3-16-148410-0", "1234-5679", "pmid:1",
			"PMC123456", "1924MNRAS..84..308E", "oai:a.example.edu:1", "urn:lsid:a:b:c", "urn:uuid:1-2", "ivo://a/b",
			"info:eu-repo/grantAgreement/EC/FP7/1", "https://orcid.org/0000-0002-1825-0097", "RRID:AB_1", "igsn:ABC1"},
	}
	above := 100
	for _, values := range ranked {
		var rank int
		for i, v := range values {
			id, ok := Parse(v)
			if !ok {
				t.Errorf("%q is no identifier", v)
			}
			if i == 0 {
				rank = id.Rank()
			}
			if id.Rank() != rank || rank >= above {
				t.Errorf("%q has rank %d, want %d, below %d", v, id.Rank(), rank, above)
			}
			if got, want := id.Persistent(), rank > 0; got != want {
				t.Errorf("%q: persistent %v, want %v", v, got, want)
			}
		}
		above = rank
	}
	if above != 0 {
		t.Errorf("the last have rank %d, want 0", above)
	}
}

func TestPrefix(t *testing.T) {
	for value, want := range map[string]string{
		"doi:10.5555/abc/d": "10.5555", "10.5555.12/x": "10.5555.12", "hdl:2027.42/1": "2027.42",
		"http://hdl.handle.net/20.500.12345/1": "20.500.12345", "ark:/12148/x": "", "https://purl.org/a/b": "",
	} {
		if id, _ := Parse(value); id.Prefix != want {
			t.Errorf("prefix of %q = %q, want %q", value, id.Prefix, want)
		}
	}
}

func TestSame(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"doi:10.5555/ABC", "http://dx.doi.org/10.5555/abc", true},
		{"10.5555/abc", "10.5555/abd", false},
		{"hdl:1912/2641", "http://hdl.handle.net/1912/2641/", true},
		{"hdl:1912/2641", "hdl:1912/26410", false},
		{"ark:/12148/btv1-b86-21", "http://gallica.bnf.fr/ark:12148/btv1b8621", true},
		{"ark:/12148/btv1B", "ark:/12148/btv1b", false},
		{"URN:NBN:de:1-2", "http://nbn-resolving.de/urn/resolver.pl?urn:nbn:de:1-2", true},
		{"http://purl.org/shores/1", "https://purl.org/shores/1/", true},
		{"978-3-16-148410-0", "isbn 9783161484100", true},
		{"doi:10.5555/1", "hdl:5555/1", false},
	} {
		a, _ := Parse(test.a)
		b, _ := Parse(test.b)
		if got := a.Same(b); got != test.want {
			t.Errorf("%q and %q are the same: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"doi:10.5555/abc", "https://doi.org/10.5555/%3Ca%3E", "hdl:1/2", "http://h.example.edu/ark:/12345/x", "urn:nbn:de:1-2",
		"https://urn.fi/urn:nbn:fi:1", "arXiv:hep-th/9901001v1", "swh:1:cnt:d198bc9d7a6bcf6db04f476d29314f157507d505", "PMC1",
		"ISBN 978-3-16-148410-0", "1234-5679", "https://orcid.org/0000-0002-1825-0097", "ror.org/02mhbdp94", "http://purl.org/a/",
		"1924MNRAS..84..308E", "info:eu-repo/semantics/altIdentifier/pmid/1", `<"(10.5555/a)">`,
		"hdl:1/\x97", "urn:nbN:de:1", "urn:nbn:de:#", "urn:nBn:de:/", "http://purl.]/|", "swh:1:cnt:d198\v157\x1607", "https://doi.org/10.5555/a%2\xbe",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		id, ok := Parse(value)
		if !ok {
			return
		}
		if !id.Same(id) || id.Scheme == "" || id.Value == "" {
			t.Errorf("Parse(%q) = %+v", value, id)
		}
		if id.URI == "" {
			return
		}
		if !inURI.Keeps(id.URI) {
			t.Errorf("the URI of %q is not one: %q", value, id.URI)
		}
		again, ok := Parse(id.URI)
		if !ok || !again.Same(id) || again.URI != id.URI {
			t.Errorf("Parse(%q) = %+v, its URI again %+v", value, id, again)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, value := range []string{
		"https://doi.org/10.5555/shores.2014.12.3",
		"https://repo.example.edu/id/eprint/4711/1/ripples.pdf",
		"Harrow, Ada and Brandt, Jörg (2014) Ripple marks and their makers. Journal of Shores, 12 (3). pp. 1-20.",
	} {
		b.Run(value[:8], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(value)
			}
		})
	}
}
