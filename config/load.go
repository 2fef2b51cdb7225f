package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds what is read as configuration or as a secret, in bytes.
const maxFile = 4 << 20

// Load reads a configuration from file, overrides it with env (entries
// "NAME=value", of which the last of a name counts) and validates the result. A
// flag is given as a further entry of env. Errors may be joined. Each is for
// the administrator and says what to do.
func Load(file string, env []string) (Config, error) {
	src, err := readBounded(file, maxFile)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Config{}, fmt.Errorf("configuration: %w: let fingerpost's user read it", err)
	case err != nil:
		return Config{}, fmt.Errorf("configuration: %w: name an existing file with --config", err)
	}
	c, err := decode(src)
	if err != nil {
		return Config{}, fmt.Errorf("%s:%w", file, err)
	}
	if lookup(env, "FINGERPOST_OAI_URL") != "" {
		return Config{}, fmt.Errorf("FINGERPOST_OAI_URL is set, but %s lists the repositories: unset it, or use FINGERPOST_REPOSITORIES_0_OAI_URL", file)
	}
	return finish(c, env, file, src)
}

// ForURL returns the configuration without a file: one repository called main
// at oaiURL, and everything else from env, as in Load. Without an oaiURL env
// names one repository (FINGERPOST_OAI_URL) or several
// (FINGERPOST_REPOSITORIES_0_OAI_URL and so on).
func ForURL(oaiURL string, env []string) (Config, error) {
	var c Config
	if oaiURL == "" {
		oaiURL = lookup(env, "FINGERPOST_OAI_URL")
	}
	if oaiURL != "" {
		r := newRepository()
		r.OAIURL = oaiURL
		c.Repositories = []Repository{r}
		// oaiURL takes precedence: an empty entry hides the variable.
		env = append(slices.Clip(env), "FINGERPOST_REPOSITORIES_0_OAI_URL=")
	}
	return finish(c, env, "", nil)
}

// finish completes a configuration: environment, derived values, secrets from
// their files. Then it validates the whole.
func finish(c Config, env []string, file string, src []byte) (Config, error) {
	set, err := overlay(&c, env)
	if err != nil {
		return Config{}, err
	}
	c.derive()
	if c.Sources != "" && !set[envName("sources")] && !filepath.IsAbs(c.Sources) {
		if folder, err := filepath.Abs(filepath.Dir(file)); err == nil {
			c.Sources = filepath.Join(folder, c.Sources)
		}
	}
	if err := errors.Join(c.readSecrets(), c.validate(), c.readTable()); err != nil {
		return Config{}, place(err, set, file, src)
	}
	c.placeRules(file, src)
	return c, nil
}

// readTable reads the table of sources, if there is one.
func (c *Config) readTable() (err error) {
	if c.Sources == "" {
		return nil
	}
	var p problems
	c.Table, err = newTable(c.Sources, c.Repositories)
	p.check("sources", err)
	return p.join()
}

// placeRules notes in which line of the file each rule stands.
func (c *Config) placeRules(file string, src []byte) {
	var doc *ast.File
	for i, r := range c.Repositories {
		for j := range r.Mapping.Rules {
			if doc == nil {
				doc, _ = parser.ParseBytes(src, 0)
			}
			if doc != nil {
				r.Mapping.Rules[j].Place = fmt.Sprintf("%s:%d", file, line(doc, fmt.Sprintf("repositories[%d].mapping.rules[%d]", i, j)))
			}
		}
	}
}

// decode reads exactly one YAML document; a key that Config does not have is
// an error that shows its line.
func decode(src []byte) (c Config, err error) {
	// The library panics on some broken documents.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf(" not readable as YAML (%v): compare it with what \"fingerpost config example\" prints", r)
		}
	}()
	if err := readable(src); err != nil {
		return Config{}, fmt.Errorf("\n%w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(src), yaml.Strict())
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return Config{}, fmt.Errorf("\n%w\nhint: \"fingerpost config example\" prints every key with its meaning", understood(err))
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Config{}, errors.New(` holds more than one YAML document: remove the line "---" and what follows`)
	}
	return c, nil
}

// derive fills in the values that follow from others.
func (c *Config) derive() {
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.PublicURL = strings.TrimRight(cmp.Or(c.PublicURL, defaultURL(c.Listen)), "/")
	c.Data = cmp.Or(c.Data, "data")
	c.Database = cmp.Or(c.Database, filepath.Join(c.Data, "fingerpost.db"))
	c.Workers = cmp.Or(c.Workers, 8)
	for i := range c.Repositories {
		r := &c.Repositories[i]
		if len(c.Repositories) == 1 && c.Sources == "" {
			r.ID = cmp.Or(r.ID, "main")
		}
		r.derive()
	}
}

func (r *Repository) derive() {
	r.Schedule = cmp.Or(r.Schedule, daily(r.ID))
	r.Timezone = cmp.Or(r.Timezone, "UTC")
	r.Edge.Origin = strings.TrimRight(r.Edge.Origin, "/")
}

// Shared reports whether the database is one that several machines may share:
// PostgreSQL.
func (c Config) Shared() bool { return strings.Contains(c.Database, "://") }

const defaultListen = "127.0.0.1:8080"

// defaultURL is the public address of a gateway that was given none.
func defaultURL(listen string) string { return "http://" + reachable(listen) }

// Assume replaces listen and public_url where they are the defaults. An empty
// value replaces nothing.
func (c *Config) Assume(listen, publicURL string) {
	noURL := c.PublicURL == defaultURL(c.Listen)
	if c.Listen == defaultListen {
		c.Listen = cmp.Or(listen, c.Listen)
	}
	if noURL {
		c.PublicURL = cmp.Or(publicURL, defaultURL(c.Listen))
	}
}

// reachable is the address at which this machine reaches a listener.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return listen
}

// readSecrets reads passwords from their files.
func (c *Config) readSecrets() error {
	var p problems
	readSecret(&p, "database_password_file", c.DatabasePasswordFile, &c.DatabasePassword)
	for i := range c.Repositories {
		s := &c.Repositories[i].Politeness
		readSecret(&p, fmt.Sprintf("repositories[%d].politeness.password_file", i), s.PasswordFile, &s.Password)
	}
	return p.join()
}

// readSecret reads a secret from its file, if there is one.
func readSecret(p *problems, key, file string, into *Secret) {
	if file == "" {
		return
	}
	if *into != "" {
		p.add(key, "is set beside %s: keep one of the two", strings.TrimSuffix(key[strings.LastIndexByte(key, '.')+1:], "_file"))
		return
	}
	text, err := readBounded(file, maxFile)
	if err != nil {
		p.add(key, "cannot be read (%v): name a file that fingerpost's user may read", err)
		return
	}
	*into = Secret(bytes.TrimRight(text, "\r\n"))
}

func readBounded(file string, most int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", file, most)
	}
	return text, nil
}

// place adds to each problem where its value was given: a variable, or a line
// of the file.
func place(err error, set map[string]bool, file string, src []byte) error {
	doc, _ := parser.ParseBytes(src, 0)
	for _, p := range Problems(err) {
		switch name := envName(p.Key); {
		case set[name]:
			p.Place = name
		case file != "" && doc != nil:
			p.Place = fmt.Sprintf("%s:%d", file, line(doc, p.Key))
		}
	}
	return err
}

// line returns the line of a key in the file, or of the nearest key around it.
func line(doc *ast.File, key string) int {
	for key != "" {
		path, err := yaml.PathString("$." + key)
		if err == nil {
			if node, err := path.FilterFile(doc); err == nil && node != nil {
				return node.GetToken().Position.Line
			}
		}
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
	}
	return 1
}
