package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// between checks the bounds of a Size or a Duration.
func between[T Size | Duration](p *problems, key string, v, least, most T) {
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
	// variable is a placeholder in a template for landing pages.
	variable = regexp.MustCompile(`\{[^{}]*\}`)
)

// ruleTargets and placeholders repeat the words of package bridge; a test
// compares them. They are checked here so that an error can name the line.
var (
	ruleTargets  = []string{"landing_page", "page_is_content", "item", "cite_as", "license", "type", "author", "describedby", "drop"}
	placeholders = []string{"{local}", "{identifier}", "{doi}", "{handle}", "{base}"}
)

// reserved are names of the gateway's own documents, which no repository can
// have.
var reserved = []string{"linkset", "links", "robots.txt", "healthz", "readyz", ".well-known", "oai"}

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
	if err != nil {
		return err
	}
	for name := range u.Query() {
		if secretName.MatchString(name) {
			return fmt.Errorf("has a secret in its query, and addresses are published: move %s to politeness.query, which is sent and never shown", name)
		}
	}
	if u.Query().Has("verb") {
		return fmt.Errorf("%q already has a request: leave out verb and what belongs to it", s)
	}
	return nil
}

// secretName matches the names of arguments that are secrets.
var secretName = regexp.MustCompile(`(?i)^(.*[^a-z])?(access|api|auth|client|secret|user)?(key|token|secret|passwor[dt]|passwd|pwd|auth|credentials?|signature|sig)$`)

// CheckDatabase checks the place of a database: a file, or an address.
func CheckDatabase(s string) error {
	scheme, _, isAddress := strings.Cut(s, "://")
	if !isAddress {
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case err == nil && hasPassword(u):
		return errors.New("has a password: move it to database_password_file")
	case scheme != "postgres" && scheme != "postgresql" || err != nil || strings.Trim(u.Path, "/") == "":
		return errors.New("is neither a file nor the address of a PostgreSQL database: write postgres://USER@HOST/DATABASE")
	}
	return nil
}

func hasPassword(u *url.URL) bool {
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

// webURL checks an address that others are built from.
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
		return nil, errors.New("has a user name or password: give them under politeness as username and password_file")
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is not a web address: write it with http:// or https://, such as https://repo.example.edu/oai", s)
	case u.Fragment != "" || strings.HasSuffix(s, "#"):
		return nil, fmt.Errorf(`%q has a fragment: leave out "#" and what follows`, s)
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"{}|\^`+"`", r) }):
		return nil, fmt.Errorf("%q has characters that an address cannot have: percent-encode them, and write a host name in its xn-- form", s)
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

// word rejects values that cannot be an argument of a request.
func word(s, what string) error {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ',' }) {
		return fmt.Errorf("is %q: write %s, without white space", s, what)
	}
	return nil
}

// unmasked rejects the placeholder that "config show" prints for a secret.
func unmasked(s Secret) error {
	if s == masked {
		return fmt.Errorf("is %s, which \"fingerpost config show\" prints instead of a secret: write the secret itself", masked)
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
	pem, err := readBounded(file, maxFile)
	if err != nil {
		return fmt.Errorf("cannot be read (%v): name a file that fingerpost's user may read", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s has no certificate: it must have at least one block BEGIN CERTIFICATE", file)
	}
	return nil
}
