package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// A Problem is one thing in a configuration that must be mended.
type Problem struct {
	Place string // "fingerpost.yaml:7" or a variable's name; "" if not known
	Key   string // "repositories[0].oai_url"
	Text  string // what is wrong, and the remedy
}

func (p *Problem) Error() string {
	s := p.Key + " " + p.Text
	if p.Place != "" {
		s = p.Place + ": " + s
	}
	return s
}

// problems collects all that is wrong, so that one look at the messages is
// enough to mend a file.
type problems []error

func (p *problems) add(key, format string, args ...any) {
	*p = append(*p, &Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// check adds err's text to a key, if there is an error.
func (p *problems) check(key string, err error) {
	if err != nil {
		p.add(key, "%v", err)
	}
}

func (p problems) join() error { return errors.Join(p...) }

func unjoin(err error) []*Problem {
	if p := (*Problem)(nil); errors.As(err, &p) {
		if j, ok := err.(interface{ Unwrap() []error }); ok {
			var all []*Problem
			for _, e := range j.Unwrap() {
				all = append(all, unjoin(e)...)
			}
			return all
		}
		return []*Problem{p}
	}
	return nil
}

// validate returns everything that is wrong with c, each a *Problem, joined.
// It takes c as Load leaves it, with what follows from other values filled in.
func (c Config) validate() error {
	var p problems
	p.check("public_url", webURL(c.PublicURL))
	p.check("contact", contact(c.Contact))
	if strings.Contains(c.Database, "://") {
		p.add("database", "%q is an address, but only SQLite is built in: give the path of a file", c.Database)
	}
	if len(c.Repositories) == 0 {
		p.add("repositories", "is empty: give the address of an OAI-PMH interface under oai_url, or as FINGERPOST_OAI_URL")
	}
	c.checkListeners(&p)
	ids := map[string]int{}
	for i, r := range c.Repositories {
		key := fmt.Sprintf("repositories[%d].", i)
		if first, twice := ids[r.ID]; twice && r.ID != "" {
			p.add(key+"id", "%q is also the id of repositories[%d]: give each its own", r.ID, first)
		}
		ids[r.ID] = i
		r.check(&p, key)
	}
	return p.join()
}

// checkListeners wants every listener on an address of its own.
func (c Config) checkListeners(p *problems) {
	taken := map[string]string{}
	check := func(key, addr string) {
		p.check(key, hostPort(addr))
		if other := taken[addr]; other != "" && !strings.HasSuffix(addr, ":0") {
			p.add(key, "%q is taken by %s: choose another port", addr, other)
		}
		taken[addr] = key
	}
	check("listen", c.Listen)
	if c.AdminListen != "" {
		check("admin_listen", c.AdminListen)
	}
	for i, r := range c.Repositories {
		if r.Edge.Listen != "" {
			check(fmt.Sprintf("repositories[%d].edge.listen", i), r.Edge.Listen)
		}
	}
}

func (r Repository) check(p *problems, key string) {
	p.check(key+"id", repositoryID(r.ID))
	p.check(key+"oai_url", oaiURL(r.OAIURL))
	for i, f := range r.Formats {
		p.check(fmt.Sprintf("%sformats[%d]", key, i), word(f, "a metadataPrefix, such as oai_dc"))
	}
	for i, s := range r.Sets {
		p.check(fmt.Sprintf("%ssets[%d]", key, i), word(s, "a setSpec as ListSets prints it"))
	}
	p.check(key+"formats", distinct(r.Formats))
	p.check(key+"sets", distinct(r.Sets))
	r.checkTimes(p, key)
	p.check(key+"landing_page", landingPage(r.LandingPage))
	if r.Inbox != "" {
		p.check(key+"inbox", webURL(r.Inbox))
	}
	p.check(key+"probe", oneOf(r.Probe, "", "items"))
	r.Mapping.check(p, key+"mapping.")
	r.Politeness.check(p, key+"politeness.")
	r.Header.check(p, key+"header.")
	r.Edge.check(p, key+"edge.")
}

func (r Repository) checkTimes(p *problems, key string) {
	if _, err := time.LoadLocation(r.Timezone); err != nil {
		_, err = parseSchedule("@daily", r.Timezone)
		p.check(key+"timezone", err)
		return
	}
	_, err := r.Harvests()
	p.check(key+"schedule", err)
	_, err = r.Sweeps()
	p.check(key+"politeness.sweep", err)
}

func (m Mapping) check(p *problems, key string) {
	for i, h := range m.Hosts {
		p.check(fmt.Sprintf("%shosts[%d]", key, i), hostName(h))
	}
	p.check(key+"cite_as", oneOf(m.CiteAs, "", "landing_page"))
	for i, o := range m.OwnPrefixes {
		if !pidPrefix.MatchString(o) {
			p.add(fmt.Sprintf("%sown_prefixes[%d]", key, i), "%q is not a DOI or Handle prefix: write only what stands before the slash, such as 10.5072 or 2027.42", o)
		}
	}
	for i, r := range m.Rules {
		r.check(p, fmt.Sprintf("%srules[%d].", key, i))
	}
}

func (r Rule) check(p *problems, key string) {
	if r.Field == "" {
		p.add(key+"field", `is missing: name the element, such as dc:relation, as "fingerpost explain" prints it`)
	}
	p.check(key+"as", oneOf(r.As, ruleTargets...))
	re, err := regexp.Compile(r.Match)
	if err != nil {
		p.add(key+"match", "%q is not a regular expression (%v): put \\ before characters that stand for themselves", r.Match, err)
		return
	}
	for _, m := range groupRef.FindAllStringSubmatch(strings.ReplaceAll(r.Value, "$$", ""), -1) {
		n, err := strconv.Atoi(m[1])
		if named := re.SubexpIndex(m[1]); err != nil && named < 0 || err == nil && n > re.NumSubexp() {
			p.add(key+"value", "names the group %s, which match does not have: put ( ) around a part of match, and write ${1} before letters", m[0])
		}
	}
}

func (s Politeness) check(p *problems, key string) {
	between(p, key+"min_interval", s.MinInterval, 0, 60*minute)
	between(p, key+"timeout", s.Timeout, Duration(time.Second), 60*minute)
	between(p, key+"max_retry_after", s.MaxRetryAfter, 0, day)
	between(p, key+"overlap", s.Overlap, 0, 366*day)
	between(p, key+"max_page_bytes", s.MaxPageBytes, 64e3, 2e9)
	if s.Retries < 0 || s.Retries > 20 {
		p.add(key+"retries", "is %d: write a number from 0 to 20", s.Retries)
	}
	p.check(key+"granularity", oneOf(s.Granularity, "", "day"))
	if !httpguts.ValidHeaderFieldValue(s.UserAgent) {
		p.add(key+"user_agent", "holds a control character: write it on one line")
	}
	s.checkHeaders(p, key+"headers")
	if s.Username == "" && (s.Password != "" || s.PasswordFile != "") {
		p.add(key+"username", "is missing beside the password: give both")
	}
	if s.CAFile != "" {
		p.check(key+"ca_file", certificates(s.CAFile))
	}
}

func (s Politeness) checkHeaders(p *problems, key string) {
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			p.add(key, "has %q, which is not a header's name: write letters, digits and hyphens", name)
		case !httpguts.ValidHeaderFieldValue(s.Headers[name].Reveal()):
			p.add(key, "has a control character in %s: write its value on one line", name)
		case strings.EqualFold(name, "User-Agent"):
			p.add(key, "has %s: use the key user_agent", name)
		}
	}
}

func (h Header) check(p *problems, key string) {
	between(p, key+"bytes", h.Bytes, 512, 64<<10)
	if h.Lines < 5 || h.Lines > 1000 {
		p.add(key+"lines", "is %d: write a number from 5 to 1000", h.Lines)
	}
}

func (e Edge) check(p *problems, key string) {
	switch {
	case e == Edge{Maps: e.Maps}: // files are written without a proxy too
	case e.Listen == "":
		p.add(key+"listen", "is missing: give host and port for the proxy, or remove origin and html")
	case e.Origin == "":
		p.add(key+"origin", "is missing: give the address of the repository's own web server")
	default:
		p.check(key+"origin", webURL(e.Origin))
		if u, err := url.Parse(e.Origin); err == nil && u.Path != "" {
			p.add(key+"origin", "%q has a path: give scheme, host and port only", e.Origin)
		}
	}
}

// between bounds a Size or a Duration.
func between[T interface {
	Size | Duration
	MarshalText() ([]byte, error)
}](p *problems, key string, v, least, most T) {
	if v < least || v > most {
		p.add(key, "is %s: choose from %s to %s", text(v), text(least), text(most))
	}
}

func text(v interface{ MarshalText() ([]byte, error) }) string {
	b, _ := v.MarshalText() // neither Size nor Duration fails
	return string(b)
}

var (
	idForm    = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	pidPrefix = regexp.MustCompile(`^[0-9]+(\.[0-9A-Za-z]+)*$`)
	hostForm  = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	groupRef  = regexp.MustCompile(`\$\{?([0-9A-Za-z_]+)\}?`)
	// variable is a place in a landing page's template.
	variable = regexp.MustCompile(`\{[^{}]*\}`)
)

// ruleTargets and placeholders are the words that package bridge knows too: a
// test holds the two equal. They are checked here so that an error can name
// the line.
var (
	ruleTargets  = []string{"landing_page", "item", "cite_as", "license", "type", "drop"}
	placeholders = []string{"{local}", "{identifier}", "{doi}", "{handle}", "{base}"}
)

// reserved are the names that the gateway's own documents have where a
// repository's stand.
var reserved = []string{"linkset", "links", "robots.txt", "healthz", "readyz", ".well-known"}

func repositoryID(id string) error {
	switch {
	case id == "":
		return errors.New("is missing: give each repository a short name for its URLs, such as main")
	case slices.Contains(reserved, id):
		return fmt.Errorf("%q is a name that the gateway itself needs: choose another", id)
	case !idForm.MatchString(id):
		return fmt.Errorf(`%q is not 1 to 40 of a-z, 0-9 and "-": choose such a name`, id)
	}
	return nil
}

func oaiURL(s string) error {
	if s == "" {
		return errors.New("is missing: give the address that answers ?verb=Identify")
	}
	u, err := webAddress(s)
	switch {
	case err != nil:
		return err
	case u.Query().Has("verb"):
		return fmt.Errorf("%q already holds a request: leave out verb and what belongs to it", s)
	}
	return nil
}

// webURL is for addresses below which others are built.
func webURL(s string) error {
	u, err := webAddress(s)
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		return fmt.Errorf(`%q has a query: leave out "?" and what follows`, s)
	}
	return err
}

func webAddress(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err == nil && u.User != nil:
		return nil, errors.New("holds a user name or password: give them under politeness as username and password_file")
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is not a web address: write it with http:// or https://, such as https://repo.example.edu/oai", s)
	case u.Fragment != "" || strings.HasSuffix(s, "#"):
		return nil, fmt.Errorf(`%q has a fragment: leave out "#" and what follows`, s)
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"{}|\^`+"`", r) }):
		return nil, fmt.Errorf("%q holds characters that an address cannot: percent-encode them, and write a host name in its xn-- form", s)
	}
	return u, nil
}

func landingPage(template string) error {
	for _, v := range variable.FindAllString(template, -1) {
		if !slices.Contains(placeholders, v) {
			return fmt.Errorf("has %s: the places to fill are %s", v, strings.Join(placeholders, ", "))
		}
	}
	if template == "" {
		return nil
	}
	filled := strings.ReplaceAll(template, "{base}", "https://repo.example.edu")
	if !variable.MatchString(filled) {
		return fmt.Errorf("%q is the same for every record: put {local} where the record's number belongs", template)
	}
	_, err := webAddress(variable.ReplaceAllString(filled, "1"))
	return err
}

func contact(s string) error {
	if s == "" {
		return nil
	}
	if _, err := webAddress(s); err == nil {
		return nil
	}
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
		return fmt.Errorf("%q is neither a mail address nor a web page: write one, such as library-it@example.edu", s)
	}
	return nil
}

func hostPort(s string) error {
	_, port, err := net.SplitHostPort(s)
	if n, perr := strconv.ParseUint(port, 10, 16); err == nil && perr == nil && strconv.FormatUint(n, 10) == port {
		return nil
	}
	return fmt.Errorf("%q is not host and port: write both, such as 127.0.0.1:8080, or :8080 for every interface", s)
}

func hostName(s string) error {
	if !hostForm.MatchString(s) {
		return fmt.Errorf("%q is not a host name: leave out scheme, port and path", s)
	}
	return nil
}

// word refuses what could not stand in a request's argument without doubt.
func word(s, what string) error {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ',' }) {
		return fmt.Errorf("is %q: write %s, without white space", s, what)
	}
	return nil
}

func distinct(list []string) error {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return fmt.Errorf("names %q twice: remove one", s)
		}
	}
	return nil
}

func oneOf(s string, allowed ...string) error {
	if slices.Contains(allowed, s) {
		return nil
	}
	var quoted []string
	for _, a := range allowed {
		if a != "" {
			quoted = append(quoted, strconv.Quote(a))
		}
	}
	if slices.Contains(allowed, "") {
		return fmt.Errorf("is %q: write %s, or leave it out", s, strings.Join(quoted, " or "))
	}
	return fmt.Errorf("is %q: write one of %s", s, strings.Join(quoted, ", "))
}

func certificates(file string) error {
	pem, err := readBounded(file)
	if err != nil {
		return fmt.Errorf("cannot be read (%v): name a file that fingerpost's user may read", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate: it must have at least one block BEGIN CERTIFICATE", file)
	}
	return nil
}
