package bridge

import "strings"

// platform is what is known of a kind of repository: by which marks it is
// recognised, and where it departs from the generic procedure.
type platform struct {
	name  string
	marks marks

	landingPage     string   // L5: template of its pages where the metadata prints none
	localPrefix     string   // before a bare number in its URLs, in lower case
	files           []string // parts of paths, beyond the common ones, under which its files lie
	filesBelow      bool     // its files lie below the page, numbered
	firstURL        bool     // L2b: the first URL is its page, on whatever host
	galleys         bool     // I3: dc:relation holds galley pages
	ownsDOIs        bool     // C3: a publisher or data repository, so that a DOI is the object's
	publishedDOI    bool     // C4: the publisher's DOI is taken where there is no other
	persistentPages bool     // C8: its landing pages are its persistent identifiers
	aggregator      bool     // its pages are about other repositories' objects
	setTypes        []setType
}

// setType is a type that a platform expresses by a set alone; typ is a word
// of the table of types.
type setType struct{ set, typ string }

// marks are parts of what a repository says, in lower case. One is enough.
type marks struct {
	base       []string // in the URL of its OAI-PMH interface
	toolkit    []string // in the descriptions of Identify
	identifier []string // at the beginning of its OAI identifiers
	set        []string // at the beginning of its setSpecs
	format     []string // namespaces of its formats
}

// platforms are the repositories that are known. The first that fits is
// taken: single services first, then the software that they run.
var platforms = []platform{
	{name: "arxiv", marks: marks{identifier: []string{"oai:arxiv.org:"}}, persistentPages: true},
	{name: "zenodo", marks: marks{base: []string{"zenodo.org/"}, identifier: []string{"oai:zenodo.org:"}},
		landingPage: "https://zenodo.org/records/{local}", ownsDOIs: true,
		setTypes: []setType{{"software", "info:eu-repo/semantics/software"}, {"openaire_data", "info:eu-repo/semantics/dataset"}}},
	{name: "pangaea", marks: marks{identifier: []string{"oai:pangaea.de:"}}, landingPage: "https://doi.pangaea.de/{doi}", ownsDOIs: true},
	{name: "hal", marks: marks{identifier: []string{"oai:hal:"}, base: []string{"api.archives-ouvertes.fr/oai"}},
		files: []string{"/document", "/file/"}, persistentPages: true},
	{name: "pmc", marks: marks{identifier: []string{"oai:pubmedcentral.nih.gov:"}}, localPrefix: "pmc", publishedDOI: true},
	{name: "figshare", marks: marks{base: []string{"api.figshare.com/"}}, firstURL: true, ownsDOIs: true},
	{name: "escholarship", marks: marks{base: []string{"escholarship.org/"}}, persistentPages: true},
	{name: "dryad", marks: marks{base: []string{"datadryad.org/"}}, ownsDOIs: true},
	{name: "erudit", marks: marks{base: []string{"erudit.org/"}}, ownsDOIs: true},
	{name: "nature", marks: marks{identifier: []string{"oai:nature.com:"}}, ownsDOIs: true},
	{name: "doaj", marks: marks{base: []string{"doaj.org/"}}, aggregator: true},
	{name: "rcaap", marks: marks{base: []string{"www.rcaap.pt/"}}, aggregator: true},
	{name: "base", marks: marks{base: []string{"oai.base-search.net"}}, aggregator: true},
	{name: "core", marks: marks{identifier: []string{"oai:core.ac.uk:"}}, aggregator: true},
	{name: "datacite", marks: marks{base: []string{"oai.datacite.org", "oai.da-ra.de"}, identifier: []string{"oai:oai.datacite.org:", "oai:oai.da-ra.de:", "oai:doidb."}}, ownsDOIs: true},
	{name: "bhl", marks: marks{identifier: []string{"oai:biodiversitylibrary.org:"}}, firstURL: true},
	{name: "tdar", marks: marks{identifier: []string{"oai:tdar.org:"}}, firstURL: true},
	{name: "springshare", marks: marks{identifier: []string{"oai:libguides.com:"}}, firstURL: true},
	{name: "citeseerx", marks: marks{identifier: []string{"oai:citeseerx.psu:"}}, firstURL: true},
	{name: "gallica", marks: marks{identifier: []string{"oai:bnf.fr:"}}, firstURL: true},
	{name: "icpsr", marks: marks{base: []string{"icpsr.umich.edu/"}}, ownsDOIs: true},
	{name: "columbia", marks: marks{base: []string{"academiccommons.columbia.edu"}}, ownsDOIs: true},

	{name: "digitalcommons", marks: marks{base: []string{"/do/oai"}, toolkit: []string{"digital commons", "bepress"}, set: []string{"publication:"}}},
	{name: "eprints", marks: marks{base: []string{"/cgi/oai2"}, toolkit: []string{"eprints"}, set: []string{"7374617475733d"}}, filesBelow: true},
	{name: "pkp", marks: marks{toolkit: []string{"open journal systems", "open monograph press", "open preprint systems"}, identifier: []string{"oai:ojs"}, base: []string{"/index.php/"}},
		files: []string{"/downloadSuppFile/"}, galleys: true, ownsDOIs: true},
	{name: "dataverse", marks: marks{toolkit: []string{"dataverse"}, identifier: []string{"doi:10.", "hdl:"}, format: []string{"https://dataverse.org/schema/core"}},
		landingPage: "{base}/dataset.xhtml?persistentId={identifier}", ownsDOIs: true},
	{name: "dspace7", marks: marks{base: []string{"/server/oai/"}}},
	{name: "dspace", marks: marks{base: []string{"/oai/request", "/dspace-oai"}, toolkit: []string{"dspace"}, set: []string{"hdl_", "com_", "col_"}, format: []string{"http://www.dspace.org/xmlns/dspace/dim", "http://www.lyncode.com/xoai"}}},
	{name: "invenio", marks: marks{base: []string{"/oai2d"}, toolkit: []string{"invenio"}}, ownsDOIs: true},
	{name: "librecat", marks: marks{toolkit: []string{"librecat"}, set: []string{"driver:librecat", "research_dataftxt"}, identifier: []string{"oai:archive.ugent.be:"}}},
	{name: "opus", marks: marks{toolkit: []string{"opus 4", "opus4"}, base: []string{"/opus4", "/frontdoor/"}}},
	{name: "mycore", marks: marks{base: []string{"/servlets/oaidataprovider", "/oai2/"}, toolkit: []string{"mycore"}}},
	{name: "pure", marks: marks{base: []string{"/ws/oai"}, identifier: []string{"oai:pure.atira.dk:"}, toolkit: []string{"pure.atira"}}, files: []string{"/ws/files/", "/ws/portalfiles/"}},
	{name: "contentdm", marks: marks{base: []string{"/oai/oai.php", "contentdm"}, toolkit: []string{"contentdm"}}},
	{name: "islandora", marks: marks{base: []string{"/oai2"}, toolkit: []string{"islandora"}}},
	{name: "omeka", marks: marks{base: []string{"/oai-pmh-repository"}, toolkit: []string{"omeka"}}, firstURL: true},
	{name: "janeway", marks: marks{base: []string{"/api/oai"}, toolkit: []string{"janeway"}}, ownsDOIs: true},
	{name: "scicat", marks: marks{base: []string{"scicat"}, toolkit: []string{"scicat"}}, ownsDOIs: true},
}

// platformNamed returns a platform of the table; "" is the one about which
// nothing is known.
func platformNamed(name string) (platform, bool) {
	for _, p := range platforms {
		if p.name == name && name != "" {
			return p, true
		}
	}
	return platform{}, name == ""
}

// PlatformNames returns the names that Settings.Platform may have.
func PlatformNames() []string {
	names := make([]string, 0, len(platforms))
	for _, p := range platforms {
		names = append(names, p.name)
	}
	return names
}

// says is what a repository says of itself, in lower case.
type says struct {
	base         string
	descriptions []string
	identifiers  []string
	sets         []string
	formats      []string
}

// detect returns the name of the first platform with a mark in s.
func detect(s says) string {
	for _, p := range platforms {
		if p.marks.in(s) {
			return p.name
		}
	}
	return ""
}

func (m marks) in(s says) bool {
	return anyHas([]string{s.base}, m.base, strings.Contains) ||
		anyHas(s.descriptions, m.toolkit, strings.Contains) ||
		mostHave(s.identifiers, m.identifier) ||
		anyHas(s.sets, m.set, strings.HasPrefix) ||
		anyHas(s.formats, m.format, strings.HasPrefix)
}

func anyHas(values, marks []string, has func(string, string) bool) bool {
	for _, v := range values {
		for _, m := range marks {
			if has(v, m) {
				return true
			}
		}
	}
	return false
}

// mostHave reports whether more than half of the values begin with a mark.
func mostHave(values, marks []string) bool {
	n := 0
	for _, v := range values {
		if anyHas([]string{v}, marks, strings.HasPrefix) {
			n++
		}
	}
	return 2*n > len(values)
}
