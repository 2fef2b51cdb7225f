package bridge

import (
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/vocabulary"
)

// Record is one record in one format, as the mapping takes it.
type Record struct {
	Prefix   string
	Sets     []string
	Metadata []byte
	Origin   string // base URL of the repository that it comes from; "" for the one that was harvested
}

// Learned is what a repository's records and answers taught about it.
type Learned struct {
	Platform    string   `json:"platform,omitempty"`     // "" = unknown: the generic procedure alone
	OwnPrefixes []string `json:"own_prefixes,omitempty"` // DOI and Handle prefixes that are its own
	// PagePrefixes are those that only its landing pages taught.
	PagePrefixes []string `json:"page_prefixes,omitempty"`
	// PageFiles is whether the files that its landing pages name are files.
	PageFiles PageFiles `json:"page_files,omitempty"`
	// Origins is what was learned about the repositories that it mirrors, by the
	// base URL of their OAI-PMH interface.
	Origins map[string]LearnedOrigin `json:"origins,omitempty"`
}

// LearnedOrigin is what the records of a mirror taught about a repository that it
// mirrors.
type LearnedOrigin struct {
	Platform    string   `json:"platform,omitempty"`
	OwnPrefixes []string `json:"own_prefixes,omitempty"`
}

// PageFiles is whether files that landing pages name are believed.
type PageFiles string

// They are believed only after some of them were asked for.
const (
	FilesUntried    PageFiles = ""
	FilesBelieved   PageFiles = "believed"
	FilesDistrusted PageFiles = "distrusted"
)

// disbelieved says why they are not believed; "" if they are.
func (p PageFiles) disbelieved() (reason string) {
	switch p {
	case FilesBelieved:
	case FilesDistrusted:
		reason = "the landing pages of this repository name files that are none"
	default:
		reason = "the files that the landing pages of this repository name are not tried yet"
	}
	return reason
}

// Settings are what an administrator may say about a repository's mapping.
// They beat everything learned and built in.
type Settings struct {
	// Platform is a name in the table of platforms; "" takes the one learned.
	Platform string
	// LandingPage is a template for the landing page, such as
	// "https://repo.example.edu/records/{local}"; "" reads it from the
	// metadata. {local}, {identifier}, {doi} and {handle} stand for the parts
	// of the OAI identifier and for the object's own DOI and Handle, {base} for
	// scheme and host of the OAI-PMH interface; for a record that lacks what the
	// template names, it is read from the metadata.
	LandingPage string
	// Hosts are further names under which the repository is known.
	Hosts []string
	// CiteAs is "" (a persistent identifier only) or "landing_page": where
	// there is no persistent identifier, the landing page is what to cite.
	CiteAs string
	// CiteAsPublishedDOI allows a publisher's DOI where there is no own identifier.
	CiteAsPublishedDOI bool
	// Probe lets what servers answer about files and persistent identifiers
	// put the metadata right: Mapping.Probed.
	Probe bool `json:",omitempty"`
	// Pages lets what landing pages state complete the metadata.
	Pages bool `json:",omitempty"`
	// Rules are applied to the metadata before anything else.
	Rules []Rule
}

// CiteAsLandingPage is the value of Settings.CiteAs that lets the landing
// page stand in for a persistent identifier.
const CiteAsLandingPage = "landing_page"

// Mapping says how the records of one repository become Objects. It is built
// once, by NewMapping, and may be used by several goroutines.
type Mapping struct {
	baseURL  string
	learned  Learned
	settings Settings

	platform vocabulary.Platform
	hosts    []string // the repository's own, as uri.HostKey gives them
	own      []string // DOI and Handle prefixes, in lower case
	rules    []compiledRule
	version  string
}

// NewMapping returns the mapping of the repository whose OAI-PMH interface is
// at baseURL. The error says which setting cannot be used, and why.
func NewMapping(baseURL string, learned Learned, settings Settings) (Mapping, error) {
	m := Mapping{baseURL: baseURL, learned: learned, settings: settings}
	name := learned.Platform
	if settings.Platform != "" {
		name = settings.Platform
	}
	p, ok := vocabulary.PlatformNamed(name)
	if !ok && settings.Platform != "" {
		return Mapping{}, fmt.Errorf("platform %q is not known: leave it out, or use one of %s", name, strings.Join(vocabulary.PlatformNames(), ", "))
	}
	m.platform = p
	if c := settings.CiteAs; c != "" && c != CiteAsLandingPage {
		return Mapping{}, fmt.Errorf("cite_as %q is not known: leave it out, or use %q", c, CiteAsLandingPage)
	}
	if err := checkTemplate(settings.LandingPage); err != nil {
		return Mapping{}, fmt.Errorf("landing_page: %w", err)
	}
	rules, err := compileRules(settings.Rules)
	if err != nil {
		return Mapping{}, err
	}
	m.rules = rules
	m.hosts = knownHosts(baseURL, settings.Hosts)
	m.own = lowered(slices.Concat(learned.OwnPrefixes, learned.PagePrefixes))
	m.version, err = m.fingerprint()
	return m, err
}

// NoLandingPageError says that a record cannot be linked, since nothing in it
// leads to a landing page.
type NoLandingPageError struct {
	Identifier string
	Reason     string
}

func (e *NoLandingPageError) Error() string {
	return fmt.Sprintf("no landing page for %s: %s", e.Identifier, e.Reason)
}

// Map makes the Object of an OAI identifier from all records kept for it, in
// any order. The error is a *NoLandingPageError, or says which record could
// not be read. What became of every value goes to trace, which may be nil. A
// trace has parts of the metadata in it; the Object and the error do not.
func (m Mapping) Map(identifier string, records []Record, trace *Trace) (Object, error) {
	return m.Mapper().Map(identifier, records, trace)
}

// Mapper maps one object after the other in the same memory. It is for one
// goroutine at a time.
type Mapper struct {
	view
	page    view // of what the landing page states
	root    *Mapping
	origins map[string]*Mapping // made of root
}

// Mapper returns a new mapper of the mapping.
func (m Mapping) Mapper() *Mapper {
	return &Mapper{root: &m, view: view{
		mapping:    &m,
		statements: crosswalk.Statements{List: make([]crosswalk.Statement, 0, 32)}, // as many as plain records have
		candidates: make([]candidate, 0, 12),
	}}
}

// Map is Mapping.Map.
func (m *Mapper) Map(identifier string, records []Record, trace *Trace) (Object, error) {
	origin := originOf(records)
	if origin == m.root.baseURL {
		origin = ""
	}
	m.turn(origin)
	m.begin(identifier, trace)
	if err := m.read(records); err != nil {
		return Object{}, fmt.Errorf("record %s: %w", identifier, err)
	}
	m.divide(&m.page)
	o, err := m.object(records)
	accounting{&m.view, o.LandingPage.URL, false}.account()
	accounting{&m.page, o.LandingPage.URL, true}.account()
	o.detach()
	o.Origin = origin
	return o, err
}

// object decides everything, in the order in which one thing needs another.
func (m *Mapper) object(records []Record) (Object, error) {
	v := &m.view
	n := naming{v}
	own := n.own()
	page, err := landing{v, own}.page()
	if err != nil {
		return Object{}, err
	}
	page = landing{&m.page, nil}.shown(page)
	if _, err := linkset.Anchor(page.URL); err != nil {
		return Object{}, v.noLandingPage(fmt.Sprintf("%q cannot be an anchor: %v", page.URL, err))
	}
	page.IsContent = v.ruled.pageIsContent
	o := Object{LandingPage: page}
	o.CiteAs = m.cited(n, own, page)
	var several []statedLicence
	o.License, several = licensing{v}.licence()
	o.Type = objectType(v, records)
	o.Authors = authors(v)
	f := filing{view: v, object: o, licences: several, metadata: v.ruled.describedBy}
	o.Items = f.items()
	o.DescribedBy = f.metadata
	if len(m.page.statements.List) > 0 {
		m.complete(&o, several)
	}
	o.Aliases = n.aliases(nil, o.CiteAs)
	o.Aliases = naming{&m.page}.aliases(o.Aliases, o.CiteAs)
	var dated bool
	o.Year, dated = year(v)
	o.Documents = documents(v, o, dated)
	return o, nil
}

// cited decides what to cite: an identifier in the harvested metadata, one on the
// landing page, the landing page.
func (m *Mapper) cited(n naming, own []ownIdentifier, page LandingPage) string {
	if id := n.citeAs(own); id != "" {
		return id
	}
	shown := naming{&m.page}
	if id := shown.citeAs(shown.own()); id != "" {
		return id
	}
	return n.landingPage(page)
}

// complete decides from what the landing page states where the harvested
// metadata gave nothing.
func (m *Mapper) complete(o *Object, several []statedLicence) {
	v := &m.page
	if o.License == "" && len(several) == 0 {
		o.License, _ = licensing{v}.licence()
	}
	if o.Type == "" {
		o.Type = objectType(v, nil)
	}
	if len(o.Authors) == 0 {
		o.Authors = authors(v)
	}
	f := filing{view: v, object: *o, metadata: o.DescribedBy, harvested: m.view.candidates}
	f.each(crosswalk.Described, f.described)
	if len(o.Items) == 0 {
		o.Items = f.items()
	}
	o.DescribedBy = f.metadata
}

// UnmatchedRules returns the places in Settings.Rules of those that matched
// nothing in all that was mapped.
func (m *Mapper) UnmatchedRules() (places []int) {
	for i := range m.mapping.rules {
		if m.matched == nil || !m.matched[i] {
			places = append(places, i)
		}
	}
	return places
}
