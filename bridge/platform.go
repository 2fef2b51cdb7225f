package bridge

import (
	"slices"
	"strings"
)

// platform is what is known of a kind of repository: by which marks it is
// recognised, and where it departs from the generic procedure.
type platform struct {
	name  string
	marks []mark
	// named is the form of the local parts of its OAI identifiers, without
	// which a path in its address proves nothing; nil: any.
	named func(local string) bool

	landingPage     string   // L5: template of its pages where the metadata prints none
	localPrefix     string   // before a bare number in its URLs, in lower case
	pages           []string // parts of paths under which its pages lie, on whatever host its customers have
	files           []string // parts of paths, beyond the common ones, under which its files lie
	firstFile       string   // how the address ends that sends the first of its files, whatever its name
	filesBelow      bool     // its files lie below the page, numbered
	firstURL        bool     // L2b: the first URL is its page, on whatever host
	galleys         bool     // I3: dc:relation holds galley pages
	ownsDOIs        bool     // C3: a publisher or data repository, so that a DOI is the object's
	relatedDOI      bool     // C3: the object's DOI stands in dc:relation
	publishedDOI    bool     // C4: the publisher's DOI is taken where there is no other
	persistentPages bool     // C8: its landing pages are its persistent identifiers
	aggregator      bool     // its pages are about other repositories' objects
	setTypes        []setType
}

// setType is a type that a platform expresses by a set alone; typ is a word
// of the table of types.
type setType struct{ set, typ string }

// mark is something by which a platform is known, in lower case. All parts of
// it that are not empty must be there.
type mark struct {
	base       string // in the URL of the OAI-PMH interface
	end        string // at the end of that URL
	toolkit    string // in a description of Identify
	identifier string // at the beginning of most OAI identifiers
	set        string // at the beginning of a setSpec
	format     string // at the beginning of the namespace of a format
}

// platforms are the repositories that are known. The first that fits is
// taken: single services first, then the software that they run.
var platforms = []platform{
	{name: "arxiv", marks: []mark{{identifier: "oai:arxiv.org:"}}, persistentPages: true},
	{name: "zenodo", marks: []mark{{identifier: "oai:zenodo.org:"}, {base: "zenodo.org/"}},
		landingPage: "https://zenodo.org/records/{local}", ownsDOIs: true,
		setTypes: []setType{{"software", "info:eu-repo/semantics/software"}, {"openaire_data", "info:eu-repo/semantics/dataset"}}},
	{name: "pangaea", marks: []mark{{identifier: "oai:pangaea.de:"}}, landingPage: "https://doi.pangaea.de/{doi}", ownsDOIs: true},
	{name: "hal", marks: []mark{{identifier: "oai:hal:"}, {base: "api.archives-ouvertes.fr/oai"}},
		files: []string{"/document", "/file/"}, firstFile: "/document", persistentPages: true},
	{name: "pmc", marks: []mark{{identifier: "oai:pubmedcentral.nih.gov:"}}, localPrefix: "pmc", publishedDOI: true},
	{name: "figshare", marks: []mark{{base: "api.figshare.com/"}, {identifier: "oai:figshare.com:"}}, pages: []string{"/articles/"}, ownsDOIs: true},
	{name: "escholarship", marks: []mark{{base: "escholarship.org/"}}, persistentPages: true},
	{name: "dryad", marks: []mark{{base: "datadryad.org/"}}, ownsDOIs: true},
	{name: "erudit", marks: []mark{{base: "erudit.org/"}}, ownsDOIs: true},
	{name: "nature", marks: []mark{{identifier: "oai:nature.com:"}}, ownsDOIs: true},
	{name: "doaj", marks: []mark{{base: "doaj.org/"}}, firstURL: true, ownsDOIs: true},
	{name: "icpsr", marks: []mark{{base: "icpsr.umich.edu/"}}, ownsDOIs: true},
	{name: "columbia", marks: []mark{{base: "academiccommons.columbia.edu"}}, ownsDOIs: true},
	{name: "datacite", marks: []mark{{base: "oai.datacite.org"}, {base: "oai.da-ra.de"}, {identifier: "oai:oai.datacite.org:"}, {identifier: "oai:oai.da-ra.de:"}, {identifier: "oai:doidb."}}, ownsDOIs: true},
	{name: "openedition", marks: []mark{{base: "openedition.org/"}}, firstURL: true, ownsDOIs: true},
	{name: "scielo", marks: []mark{{identifier: "oai:scielo:"}}, ownsDOIs: true, relatedDOI: true},
	{name: "bhl", marks: []mark{{identifier: "oai:biodiversitylibrary.org:"}}, firstURL: true},
	{name: "tdar", marks: []mark{{identifier: "oai:tdar.org:"}}, firstURL: true},
	{name: "springshare", marks: []mark{{identifier: "oai:libguides.com:"}}, firstURL: true},
	{name: "citeseerx", marks: []mark{{identifier: "oai:citeseerx.psu:"}}, firstURL: true},
	{name: "gallica", marks: []mark{{identifier: "oai:bnf.fr:"}}, firstURL: true},
	{name: "rcaap", marks: []mark{{base: "www.rcaap.pt/"}}, aggregator: true},
	{name: "base", marks: []mark{{base: "oai.base-search.net"}}, aggregator: true},
	{name: "core", marks: []mark{{identifier: "oai:core.ac.uk:"}}, aggregator: true},

	{name: "digitalcommons", named: contextNamed, marks: []mark{{base: "/do/oai"}, {toolkit: "digital commons"}, {toolkit: "bepress"}, {set: "publication:"}}},
	{name: "eprints", named: isDigits, marks: []mark{{base: "/cgi/oai2"}, {toolkit: "eprints"}, {set: "7374617475733d"}}, filesBelow: true},
	{name: "pkp", named: pathNamed, marks: []mark{{toolkit: "open journal systems"}, {toolkit: "open monograph press"}, {toolkit: "open preprint systems"}, {identifier: "oai:ojs"}, {base: "/index.php/", end: "/oai"}},
		files: []string{"/downloadSuppFile/"}, galleys: true, ownsDOIs: true},
	{name: "dataverse", marks: []mark{{toolkit: "dataverse"}, {format: "https://dataverse.org/schema/core"}, {identifier: "doi:10.", end: "/oai"}, {identifier: "hdl:", end: "/oai"}},
		landingPage: "{base}/dataset.xhtml?persistentId={identifier}", ownsDOIs: true},
	{name: "dspace7", named: handleNamed, marks: []mark{{base: "/server/oai/"}}},
	{name: "dspace", named: handleNamed, marks: []mark{{base: "/oai/request"}, {base: "/dspace-oai"}, {toolkit: "dspace"}, {set: "hdl_"}, {set: "com_"}, {set: "col_"}, {format: "http://www.dspace.org/xmlns/dspace/dim"}, {format: "http://www.lyncode.com/xoai"}}},
	{name: "inveniordm", named: recordIDNamed, marks: []mark{{base: "/oai2d"}}, landingPage: "{base}/records/{local}", ownsDOIs: true},
	{name: "invenio", named: isDigits, marks: []mark{{base: "/oai2d"}, {toolkit: "invenio"}}, ownsDOIs: true},
	{name: "librecat", marks: []mark{{toolkit: "librecat"}, {set: "research_dataftxt"}, {identifier: "oai:archive.ugent.be:"}}},
	{name: "opus", marks: []mark{{toolkit: "opus 4"}, {toolkit: "opus4"}, {base: "/opus4"}}},
	{name: "mycore", marks: []mark{{base: "/servlets/oaidataprovider"}, {toolkit: "mycore"}}},
	{name: "pure", marks: []mark{{base: "/ws/oai"}, {identifier: "oai:pure.atira.dk:"}, {toolkit: "pure.atira"}}, pages: []string{"/publications/"}, files: []string{"/ws/files/", "/ws/portalfiles/"}},
	{name: "contentdm", marks: []mark{{base: "/oai/oai.php"}, {base: "contentdm"}, {toolkit: "contentdm"}}},
	{name: "islandora", marks: []mark{{toolkit: "islandora"}, {base: "/islandora"}}},
	{name: "esploro", marks: []mark{{base: "/view/oai/"}}, pages: []string{"/esploro/outputs/"}},
	{name: "dlibra", marks: []mark{{base: "/oai-pmh-repository.xml"}}},
	{name: "omeka", marks: []mark{{base: "/oai-pmh-repository"}, {toolkit: "omeka"}}},
	{name: "janeway", named: articleNamed, marks: []mark{{base: "/api/oai"}, {toolkit: "janeway"}}, ownsDOIs: true},
	{name: "scicat", marks: []mark{{base: "scicat"}, {toolkit: "scicat"}}, ownsDOIs: true},
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

// platformNames returns the names that Settings.Platform may have.
func platformNames() []string {
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
		for _, m := range p.marks {
			if m.in(s) && (m.base == "" || s.named(p.named)) {
				return p.name
			}
		}
	}
	return ""
}

func (m mark) in(s says) bool {
	return strings.Contains(s.base, m.base) &&
		strings.HasSuffix(strings.TrimRight(s.base, "/?"), m.end) &&
		anyHas(s.descriptions, m.toolkit, strings.Contains) &&
		mostBegin(s.identifiers, m.identifier) &&
		anyHas(s.sets, m.set, strings.HasPrefix) &&
		anyHas(s.formats, m.format, strings.HasPrefix)
}

func anyHas(values []string, part string, has func(string, string) bool) bool {
	return part == "" || slices.ContainsFunc(values, func(v string) bool { return has(v, part) })
}

// named reports whether at least half of the OAI identifiers have a form.
func (s says) named(form func(local string) bool) bool {
	if form == nil {
		return true
	}
	n := 0
	for _, identifier := range s.identifiers {
		if form(splitIdentifier(identifier, "").local) {
			n++
		}
	}
	return 2*n >= len(s.identifiers)
}

// handleNamed is how DSpace names records: by their Handles.
func handleNamed(local string) bool {
	prefix, suffix, ok := strings.Cut(local, "/")
	return ok && suffix != "" && isHandlePrefix(prefix) && !isDOIPrefix(prefix)
}

// contextNamed is how Digital Commons names records: context-article.
func contextNamed(local string) bool {
	context, article, ok := cutLast(local, "-")
	return ok && context != "" && isDigits(article)
}

// pathNamed is how OJS, OMP and OPS name records: article/12.
func pathNamed(local string) bool {
	path, number, ok := cutLast(local, "/")
	return ok && path != "" && isDigits(number)
}

// articleNamed is how Janeway names records: id:12, after the journal's code.
func articleNamed(local string) bool {
	number, ok := strings.CutPrefix(local, "id:")
	return ok && isDigits(number)
}

// recordIDNamed is how InvenioRDM names records: ten letters and digits with a
// hyphen in their middle.
func recordIDNamed(local string) bool {
	before, after, ok := strings.Cut(local, "-")
	return ok && len(before) == 5 && len(after) == 5 && isAlphanumeric(before) && isAlphanumeric(after)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// mostBegin reports whether more than half of the values begin with part.
func mostBegin(values []string, part string) bool {
	n := 0
	for _, v := range values {
		if strings.HasPrefix(v, part) {
			n++
		}
	}
	return part == "" || 2*n > len(values)
}
