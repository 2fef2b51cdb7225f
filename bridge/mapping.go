package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// codeVersion changes whenever the same metadata may give another Object than
// before, so that kept records are mapped again.
const codeVersion = 3

// Record is one record in one format, as the mapping takes it.
type Record struct {
	Prefix   string
	Sets     []string
	Metadata []byte
}

// Learned is what a repository's records and answers taught about it.
type Learned struct {
	Platform    string   `json:"platform,omitempty"`     // "" = unknown: the generic procedure alone
	OwnPrefixes []string `json:"own_prefixes,omitempty"` // DOI and Handle prefixes that are its own
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
	// scheme and host of the OAI-PMH interface; a record that has not got what
	// the template names is read from the metadata.
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

	platform platform
	hosts    []string // the repository's own, as hostKey gives them
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
	p, ok := platformNamed(name)
	if !ok && settings.Platform != "" {
		return Mapping{}, fmt.Errorf("platform %q is not known: leave it out, or use one of %s", name, strings.Join(platformNames(), ", "))
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
	m.hosts = ownHosts(baseURL, settings.Hosts)
	for _, p := range learned.OwnPrefixes {
		m.own = append(m.own, strings.ToLower(p))
	}
	m.version = m.fingerprint()
	return m, nil
}

// Version changes when the same record may be mapped to another Object than
// before: with the code, with what was learned, and with the settings.
func (m Mapping) Version() string {
	return m.version
}

func (m Mapping) fingerprint() string {
	said, err := json.Marshal(struct {
		Code     int
		BaseURL  string
		Learned  Learned
		Settings Settings
	}{codeVersion, m.baseURL, m.learned, m.settings})
	if err != nil { // strings, booleans and lists of them: cannot fail
		return ""
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:8])
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

// Map makes the Object of an OAI identifier from all records held for it, in
// any order. The error is a *NoLandingPageError, or says which record could
// not be read. What became of every value goes to trace, which may be nil. A
// trace holds parts of the metadata; the Object and the error do not.
func (m Mapping) Map(identifier string, records []Record, trace *Trace) (Object, error) {
	return m.Mapper().Map(identifier, records, trace)
}

// Mapper maps one object after the other in the same memory. It is for one
// goroutine at a time.
type Mapper struct {
	d decision
}

// Mapper returns a new mapper of the mapping.
func (m Mapping) Mapper() *Mapper {
	return &Mapper{decision{
		mapping:    &m,
		statements: statements{list: make([]statement, 0, 32)}, // as many as plain records have
		candidates: make([]candidate, 0, 12),
	}}
}

// Map is Mapping.Map.
func (m *Mapper) Map(identifier string, records []Record, trace *Trace) (Object, error) {
	d := &m.d
	d.begin(identifier, trace)
	if err := d.statements.read(records); err != nil {
		return Object{}, fmt.Errorf("record %s: %w", identifier, err)
	}
	return d.object(records)
}

// object decides everything, in the order in which one thing needs another.
func (d *decision) object(records []Record) (Object, error) {
	d.applyRules()
	d.consider()
	own := d.ownIdentifiers()
	page, err := d.landingPage(own)
	if err != nil {
		d.account()
		return Object{}, err
	}
	if _, err := linkset.Anchor(page.URL); err != nil {
		d.account()
		return Object{}, d.noLandingPage(fmt.Sprintf("%q cannot be an anchor: %v", page.URL, err))
	}
	d.page = page
	o := Object{LandingPage: page}
	o.CiteAs = d.citeAs(own, page)
	o.License = d.licence()
	o.Type = d.objectType(records)
	o.Authors = d.authors()
	o.Items = d.items(o)
	o.Aliases = d.aliases(o.CiteAs)
	o.Year = d.year()
	d.account()
	o.detach()
	return o, nil
}

func (d *decision) noLandingPage(reason string) error {
	return &NoLandingPageError{Identifier: d.identifier.whole, Reason: reason}
}

// ownHosts returns the names of the repository's host.
func ownHosts(baseURL string, aliases []string) []string {
	var hosts []string
	if a, ok := parseAddress(baseURL); ok {
		hosts = append(hosts, hostKey(a.host))
	}
	for _, h := range aliases {
		if a, ok := parseAddress(h); ok {
			h = a.host
		}
		hosts = append(hosts, hostKey(h))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
