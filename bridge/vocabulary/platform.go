package vocabulary

import (
	"slices"
	"strings"

	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

// Platform is what is known of a kind of repository: by which marks it is
// recognised, and where it departs from the generic procedure.
type Platform struct {
	Name  string
	marks []mark
	// named is the form of the local parts of its OAI identifiers, without
	// which a path in its address proves nothing; nil: any.
	named func(local string) bool

	LandingPage     string   // L5: template of its pages where the metadata prints none
	LocalPrefix     string   // before a bare number in its URLs, in lower case
	Pages           []string // parts of paths under which its pages lie, on any of its customers' hosts
	Files           []string // parts of paths, beyond the common ones, under which its files lie
	FirstFile       string   // the end of the address that sends the first of its files under any name
	FilesBelow      bool     // its files lie below the page, numbered
	FirstURL        bool     // L2b: the first URL is its page, on any host
	Galleys         bool     // I3: dc:relation contains galley pages
	OwnsDOIs        bool     // C3: a publisher or data repository, so that a DOI is the object's
	RelatedDOI      bool     // C3: the object's DOI stands in dc:relation
	PublishedDOI    bool     // C4: the publisher's DOI is taken where there is no other
	PersistentPages bool     // C8: its landing pages are its persistent identifiers
	Aggregator      bool     // its pages are about other repositories' objects
	SetTypes        []SetType
	Words           []Word
	LicenceIDs      bool // it names licences by the ids of EPrints
	Series          bool // dc:source is the collection, whose name may say what is in it

	// numbered is the form of the local parts that LandingPage is right for;
	// nil: any.
	numbered func(local string) bool
}

// HasPage reports whether LandingPage is right for a local part.
func (p *Platform) HasPage(local string) bool {
	return p.LandingPage != "" && (p.numbered == nil || p.numbered(local))
}

// Word is a type that a platform calls by a word which means something else
// elsewhere; Type is a value that TypeOf reads.
type Word struct{ Said, Type string }

// journalWords are those of publishers: what archives call a letter is none.
var journalWords = []Word{{"Letter", "letter to the editor"}}

// articleWords are those of journals that call each article a text.
var articleWords = []Word{{"text", "https://schema.org/Article"}}

// Meant returns what a platform means by the value of a type.
func (p *Platform) Meant(value string) string {
	for _, w := range p.Words {
		if strings.EqualFold(w.Said, value) {
			return w.Type
		}
	}
	return value
}

// SetType is a type that a platform expresses by a set alone; Type is a value
// that TypeOf reads.
type SetType struct{ Set, Type string }

// mark is something by which a platform is recognised, in lower case. All its
// parts that are not empty must be there.
type mark struct {
	base       string // in the URL of the OAI-PMH interface
	end        string // at the end of that URL
	toolkit    string // in a description of Identify
	identifier string // at the beginning of most OAI identifiers
	set        string // at the beginning of a setSpec
	format     string // at the beginning of the namespace of a format
}

// platforms are the repositories that can be recognised. The first that fits is
// taken: single services first, then the software that they run.
var platforms = []Platform{
	{Name: "arxiv", marks: []mark{{identifier: "oai:arxiv.org:"}}, PersistentPages: true, Words: []Word{{"text", "preprint"}}},
	{Name: "zenodo", marks: []mark{{identifier: "oai:zenodo.org:"}, {base: "zenodo.org/"}},
		LandingPage: "https://zenodo.org/records/{local}", numbered: text.IsDigits, OwnsDOIs: true,
		SetTypes: []SetType{{"software", "info:eu-repo/semantics/software"}}},
	{Name: "pangaea", marks: []mark{{identifier: "oai:pangaea.de:"}}, LandingPage: "https://doi.pangaea.de/{doi}", OwnsDOIs: true},
	{Name: "hal", marks: []mark{{identifier: "oai:hal:"}, {base: "api.archives-ouvertes.fr/oai"}},
		Files: []string{"/document", "/file/"}, FirstFile: "/document", PersistentPages: true},
	{Name: "pmc", marks: []mark{{identifier: "oai:pubmedcentral.nih.gov:"}}, LocalPrefix: "pmc", PublishedDOI: true, Words: []Word{{"text", "article"}}},
	{Name: "figshare", marks: []mark{{base: "api.figshare.com/"}, {identifier: "oai:figshare.com:"}}, Pages: []string{"/articles/"}, OwnsDOIs: true},
	{Name: "escholarship", marks: []mark{{base: "escholarship.org/"}}, PersistentPages: true},
	{Name: "dryad", marks: []mark{{base: "datadryad.org/"}}, OwnsDOIs: true},
	{Name: "erudit", marks: []mark{{base: "erudit.org/"}}, OwnsDOIs: true, Words: articleWords},
	{Name: "cyberleninka", marks: []mark{{identifier: "oai:cyberleninka.ru:article/"}}, Words: articleWords},
	{Name: "nature", marks: []mark{{identifier: "oai:nature.com:"}}, OwnsDOIs: true, Words: journalWords},
	{Name: "doaj", marks: []mark{{base: "doaj.org/"}}, FirstURL: true, OwnsDOIs: true},
	{Name: "icpsr", marks: []mark{{base: "icpsr.umich.edu/"}}, OwnsDOIs: true},
	{Name: "columbia", marks: []mark{{base: "academiccommons.columbia.edu"}}, OwnsDOIs: true},
	{Name: "datacite", marks: []mark{{base: "oai.datacite.org"}, {base: "oai.da-ra.de"}, {identifier: "oai:oai.datacite.org:"}, {identifier: "oai:oai.da-ra.de:"}, {identifier: "oai:doidb."}}, OwnsDOIs: true},
	{Name: "openedition", marks: []mark{{base: "openedition.org/"}}, FirstURL: true, OwnsDOIs: true},
	{Name: "scielo", marks: []mark{{identifier: "oai:scielo:"}}, OwnsDOIs: true, RelatedDOI: true},
	{Name: "bhl", marks: []mark{{identifier: "oai:biodiversitylibrary.org:"}}, FirstURL: true},
	{Name: "tdar", marks: []mark{{identifier: "oai:tdar.org:"}}, FirstURL: true},
	{Name: "springshare", marks: []mark{{identifier: "oai:libguides.com:"}}, FirstURL: true},
	{Name: "citeseerx", marks: []mark{{identifier: "oai:citeseerx.psu:"}}, FirstURL: true},
	{Name: "gallica", marks: []mark{{identifier: "oai:bnf.fr:"}}, FirstURL: true},
	{Name: "rcaap", marks: []mark{{base: "www.rcaap.pt/"}}, Aggregator: true},
	{Name: "base", marks: []mark{{base: "oai.base-search.net"}}, Aggregator: true},
	{Name: "core", marks: []mark{{identifier: "oai:core.ac.uk:"}}, Aggregator: true},

	{Name: "digitalcommons", named: contextNamed, marks: []mark{{base: "/do/oai"}, {toolkit: "digital commons"}, {toolkit: "bepress"}, {set: "publication:"}}, Series: true},
	{Name: "eprints", named: text.IsDigits, marks: []mark{{base: "/cgi/oai2"}, {toolkit: "eprints"}, {set: "7374617475733d"}}, FilesBelow: true, LicenceIDs: true,
		Words: []Word{{"Monograph", "report"}}}, // a report, a manual or a working paper
	{Name: "pkp", named: pathNamed, marks: []mark{{toolkit: "open journal systems"}, {toolkit: "open monograph press"}, {toolkit: "open preprint systems"}, {identifier: "oai:ojs"}, {base: "/index.php/", end: "/oai"}},
		Files: []string{"/downloadSuppFile/"}, Galleys: true, OwnsDOIs: true, Words: journalWords},
	{Name: "dataverse", marks: []mark{{toolkit: "dataverse"}, {format: "https://dataverse.org/schema/core"}, {identifier: "doi:10.", end: "/oai"}, {identifier: "hdl:", end: "/oai"}},
		LandingPage: "{base}/dataset.xhtml?persistentId={identifier}", OwnsDOIs: true},
	{Name: "dspace7", named: handleNamed, marks: []mark{{base: "/server/oai/"}}},
	{Name: "dspace", named: handleNamed, marks: []mark{{base: "/oai/request"}, {base: "/dspace-oai"}, {toolkit: "dspace"}, {set: "hdl_"}, {set: "com_"}, {set: "col_"}, {format: "http://www.dspace.org/xmlns/dspace/dim"}, {format: "http://www.lyncode.com/xoai"}}},
	{Name: "inveniordm", named: recordIDNamed, marks: []mark{{base: "/oai2d"}}, LandingPage: "{base}/records/{local}", numbered: isRecordNumber, OwnsDOIs: true},
	{Name: "invenio", named: text.IsDigits, marks: []mark{{base: "/oai2d"}, {toolkit: "invenio"}}, OwnsDOIs: true},
	{Name: "librecat", marks: []mark{{toolkit: "librecat"}, {set: "research_dataftxt"}, {identifier: "oai:archive.ugent.be:"}}},
	{Name: "opus", marks: []mark{{toolkit: "opus 4"}, {toolkit: "opus4"}, {base: "/opus4"}}},
	{Name: "mycore", marks: []mark{{base: "/servlets/oaidataprovider"}, {toolkit: "mycore"}}},
	{Name: "pure", marks: []mark{{base: "/ws/oai"}, {identifier: "oai:pure.atira.dk:"}, {toolkit: "pure.atira"}}, Pages: []string{"/publications/"}, Files: []string{"/ws/files/", "/ws/portalfiles/"}},
	{Name: "contentdm", marks: []mark{{base: "/oai/oai.php"}, {base: "contentdm"}, {toolkit: "contentdm"}}},
	{Name: "islandora", marks: []mark{{toolkit: "islandora"}, {base: "/islandora"}}},
	{Name: "esploro", marks: []mark{{base: "/view/oai/"}}, Pages: []string{"/esploro/outputs/"}},
	{Name: "dlibra", marks: []mark{{base: "/oai-pmh-repository.xml"}}},
	{Name: "omeka", marks: []mark{{base: "/oai-pmh-repository"}, {toolkit: "omeka"}}},
	{Name: "janeway", named: articleNamed, marks: []mark{{base: "/api/oai"}, {toolkit: "janeway"}}, OwnsDOIs: true},
	{Name: "scicat", marks: []mark{{base: "scicat"}, {toolkit: "scicat"}}, OwnsDOIs: true},
}

// PlatformNamed returns a platform of the table; "" is the one about which
// nothing is known.
func PlatformNamed(name string) (Platform, bool) {
	for _, p := range platforms {
		if p.Name == name && name != "" {
			return p, true
		}
	}
	return Platform{}, name == ""
}

// PlatformNames returns the names of all platforms.
func PlatformNames() []string {
	names := make([]string, 0, len(platforms))
	for _, p := range platforms {
		names = append(names, p.Name)
	}
	return names
}

// Signs are what a repository says of itself, by which its platform can be
// recognised. All but the OAI identifiers must be in lower case.
type Signs struct {
	BaseURL      string
	Descriptions []string
	Identifiers  []string
	Sets         []string
	Formats      []string // their namespaces
}

// Detect returns the name of the first platform with a mark among the signs; ""
// if there is none.
func Detect(s Signs) string {
	for _, p := range platforms {
		for _, m := range p.marks {
			if m.in(s) && (m.base == "" || s.named(p.named)) {
				return p.Name
			}
		}
	}
	return ""
}

func (m mark) in(s Signs) bool {
	return strings.Contains(s.BaseURL, m.base) &&
		strings.HasSuffix(strings.TrimRight(s.BaseURL, "/?"), m.end) &&
		anyHas(s.Descriptions, m.toolkit, strings.Contains) &&
		mostBegin(s.Identifiers, m.identifier) &&
		anyHas(s.Sets, m.set, strings.HasPrefix) &&
		anyHas(s.Formats, m.format, strings.HasPrefix)
}

func anyHas(values []string, part string, has func(string, string) bool) bool {
	return part == "" || slices.ContainsFunc(values, func(v string) bool { return has(v, part) })
}

// named reports whether at least half of the OAI identifiers have a form.
func (s Signs) named(form func(local string) bool) bool {
	if form == nil {
		return true
	}
	n := 0
	for _, id := range s.Identifiers {
		if form(identifier.SplitOAI(id, "").Local) {
			n++
		}
	}
	return 2*n >= len(s.Identifiers)
}

// handleNamed is how DSpace names records: by their Handles.
func handleNamed(local string) bool {
	id, ok := identifier.Parse("hdl:" + local)
	return ok && id.Scheme == identifier.Handle
}

// contextNamed is how Digital Commons names records: context-article.
func contextNamed(local string) bool {
	context, article, ok := cutLast(local, "-")
	return ok && context != "" && text.IsDigits(article)
}

// pathNamed is how OJS, OMP and OPS name records: article/12.
func pathNamed(local string) bool {
	path, number, ok := cutLast(local, "/")
	return ok && path != "" && text.IsDigits(number)
}

// articleNamed is how Janeway names records: id:12, after the journal's code.
func articleNamed(local string) bool {
	number, ok := strings.CutPrefix(local, "id:")
	return ok && text.IsDigits(number)
}

// recordIDNamed is how InvenioRDM names records: ten letters and digits with a
// hyphen in their middle.
func recordIDNamed(local string) bool {
	before, after, ok := strings.Cut(local, "-")
	return ok && len(before) == 5 && len(after) == 5 && text.IsAlphanumeric(before) && text.IsAlphanumeric(after)
}

// isRecordNumber is how Invenio has records in the addresses of their pages.
func isRecordNumber(local string) bool {
	return text.IsDigits(local) || recordIDNamed(local)
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
