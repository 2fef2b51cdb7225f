package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/config"
	"fingerpost/oaipmh"
	"fingerpost/server"
)

// settings are what the configuration file says, or, without one, a single
// repository at oaiURL. With neither they are what the environment says, or
// the repositories of a data folder that was filled before.
func (a *app) settings(ctx context.Context, oaiURL, listen string) (config.Config, error) {
	env := a.env[:len(a.env):len(a.env)]
	if a.data != "" {
		env = append(env, "FINGERPOST_DATA="+a.data)
	}
	if listen != "" {
		env = append(env, "FINGERPOST_LISTEN="+listen)
	}
	if a.file != "" {
		if oaiURL != "" {
			return config.Config{}, &usageError{errors.New("give either a configuration file or the address of a repository, not both")}
		}
		return configured(config.Load(a.file, env))
	}
	if oaiURL != "" || names(env) {
		c, err := config.ForURL(oaiURL, "", "", env)
		return configured(c, asTyped(err, oaiURL, listen))
	}
	folder, kept, err := a.kept(ctx, env)
	if err != nil {
		return config.Config{}, &configError{err}
	}
	if len(kept) == 0 {
		return config.Config{}, &configError{fmt.Errorf("no repository is named, and the data folder %s holds none: give the address of a repository or a configuration file, or name the folder of an earlier harvest with --data", folder)}
	}
	return configured(config.ForURL("", "", "", append(env, kept...)))
}

// names tells whether the environment names a repository.
func names(env []string) bool {
	return slices.ContainsFunc(env, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "FINGERPOST_") && strings.HasSuffix(name, "OAI_URL") && value != ""
	})
}

// asTyped names what was given on the command line as it is called there.
func asTyped(err error, oaiURL, listen string) error {
	for _, p := range problems(err) {
		switch {
		case p.Key == "repositories[0].oai_url" && oaiURL != "":
			p.Key = "OAI_URL"
		case p.Key == "listen" && listen != "":
			p.Key, p.Place = "--listen", ""
		}
	}
	return err
}

// problems are those of a configuration, which come joined.
func problems(err error) []*config.Problem {
	var all []*config.Problem
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, problems(e)...)
		}
		return all
	}
	if p := (*config.Problem)(nil); errors.As(err, &p) {
		all = append(all, p)
	}
	return all
}

// configured checks what the configuration alone cannot: it does not know how
// records are mapped.
func configured(c config.Config, err error) (config.Config, error) {
	if err != nil {
		return c, &configError{err}
	}
	for _, r := range c.Repositories {
		if _, err := bridge.NewMapping(r.OAIURL, bridge.Learned{}, mappingSettings(r)); err != nil {
			return c, &configError{fmt.Errorf("mapping of repository %s: %w", r.ID, err)}
		}
	}
	return c, nil
}

// kept names the repositories of a data folder as the environment would.
func (a *app) kept(ctx context.Context, env []string) (folder string, out []string, err error) {
	c, err := config.ForURL("http://repository.invalid/oai", "", "", env)
	if err != nil {
		return "", nil, err
	}
	if _, err := os.Stat(c.Database); errors.Is(err, fs.ErrNotExist) {
		return c.Data, nil, nil
	}
	db, err := sqlite.Open(ctx, c.Database)
	if err != nil {
		return "", nil, err
	}
	defer db.Close()
	repositories, err := db.Repositories(ctx)
	if err != nil {
		return "", nil, err
	}
	for i, r := range repositories {
		out = append(out, fmt.Sprintf("FINGERPOST_REPOSITORIES_%d_ID=%s", i, r.ID), fmt.Sprintf("FINGERPOST_REPOSITORIES_%d_OAI_URL=%s", i, r.OAIURL))
	}
	return c.Data, out, nil
}

// open opens the store, whose folder it makes if need be.
func open(ctx context.Context, c config.Config) (*sqlite.DB, error) {
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return nil, &configError{fmt.Errorf("the data folder %s cannot be made (%w): name another with --data, or let this user write there", c.Data, cause(err))}
	}
	db, err := sqlite.Open(ctx, c.Database)
	if err != nil {
		return nil, &configError{err}
	}
	return db, nil
}

// cause is what went wrong, without the calls in which it did.
func cause(err error) error {
	var call *os.SyscallError
	var file *fs.PathError
	var request *url.Error
	switch {
	case errors.As(err, &call):
		return call.Err
	case errors.As(err, &file):
		return fmt.Errorf("%s: %w", file.Path, file.Err)
	case errors.As(err, &request):
		return request.Err
	}
	return err
}

// session is a configuration with its store open.
type session struct {
	config.Config
	db *sqlite.DB
}

// begin reads the configuration and opens the store.
func (a *app) begin(ctx context.Context, oaiURL, listen string) (*session, error) {
	c, err := a.settings(ctx, oaiURL, listen)
	if err != nil {
		return nil, err
	}
	db, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &session{Config: c, db: db}, nil
}

// withStore is what a command does that needs no more than the configuration
// and the store, which is open as long as do runs.
func (a *app) withStore(do func(ctx context.Context, s *session, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := a.begin(cmd.Context(), "", "")
		if err != nil {
			return err
		}
		defer s.db.Close()
		return do(cmd.Context(), s, args)
	}
}

// only returns the repositories with these names; all for none.
func (s *session) only(names []string) ([]config.Repository, error) {
	if len(names) == 0 {
		return s.Repositories, nil
	}
	var out []config.Repository
	for _, n := range names {
		r, ok := s.repository(n)
		if !ok {
			return nil, &usageError{fmt.Errorf("there is no repository %q: %s", n, s.known())}
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *session) repository(id string) (config.Repository, bool) {
	for _, r := range s.Repositories {
		if r.ID == id {
			return r, true
		}
	}
	return config.Repository{}, false
}

func (s *session) known() string {
	var ids []string
	for _, r := range s.Repositories {
		ids = append(ids, r.ID)
	}
	return "the configuration names " + strings.Join(ids, ", ")
}

// sources are repositories as the harvest takes them. They share one guard
// that sends one request at a time to a host.
func (s *session) sources(repositories []config.Repository) ([]harvest.Repository, error) {
	hosts := new(oaipmh.Hosts)
	var out []harvest.Repository
	for _, r := range repositories {
		options, err := clientOptions(s.Config, r)
		if err != nil {
			return nil, err
		}
		options.Hosts = hosts
		out = append(out, harvest.Repository{
			ID: r.ID, OAIURL: r.OAIURL, Prefixes: r.Formats, Sets: r.Sets,
			Settings: mappingSettings(r), Learned: bridge.Learned{OwnPrefixes: r.Mapping.OwnPrefixes},
			Overlap: time.Duration(r.Politeness.Overlap), FullOnly: r.Politeness.FullOnly,
			IgnoreSize: r.Politeness.IgnoreListSize, HeldOnly: !r.DescribedBy.GetRecord || !r.DescribedBy.Offered, Client: options,
		})
	}
	return out, nil
}

// mappingSettings are what the configuration says about the mapping.
func mappingSettings(r config.Repository) bridge.Settings {
	m := bridge.Settings{
		LandingPage: r.LandingPage, Hosts: r.Mapping.Hosts, CiteAs: r.Mapping.CiteAs,
		CiteAsPublishedDOI: r.Mapping.CiteAsPublishedDOI, Platform: r.Mapping.Platform, Probe: r.Probe == "items",
	}
	for _, rule := range r.Mapping.Rules {
		m.Rules = append(m.Rules, bridge.Rule(rule))
	}
	return m
}

// clientOptions say how a repository is asked.
func clientOptions(c config.Config, r config.Repository) (oaipmh.Options, error) {
	p := r.Politeness
	o := oaipmh.Options{
		UserAgent: userAgent(c, p.UserAgent), Username: p.Username, Password: p.Password.Reveal(),
		POST: p.Post, Cookies: p.Cookies, VerbatimToken: p.VerbatimToken, DayGranularity: p.Granularity == "day",
		MaxBytes: int64(p.MaxPageBytes), Timeout: time.Duration(p.Timeout), Retries: orNone(p.Retries),
		MaxRetryAfter: time.Duration(p.MaxRetryAfter), MinInterval: time.Duration(p.MinInterval), Jitter: time.Duration(p.MinInterval) / 4,
	}
	if strings.Contains(c.Contact, "@") {
		o.From = c.Contact
	}
	for name, value := range p.Headers {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set(name, value.Reveal())
	}
	if p.CAFile == "" {
		return o, nil
	}
	pool, err := authorities(p.CAFile)
	if err != nil {
		return o, &configError{fmt.Errorf("ca_file of repository %s: %w", r.ID, err)}
	}
	o.RootCAs = pool
	return o, nil
}

// orNone is how oaipmh.Options says that nothing is tried again.
func orNone(retries int) int {
	if retries == 0 {
		return -1
	}
	return retries
}

// authorities are the system's certificates and those of a PEM file.
func authorities(file string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// userAgent says who asks and how to reach them. OAI-PMH Implementation
// Guidelines for harvesters, 2.1.
func userAgent(c config.Config, own string) string {
	if own != "" {
		return own
	}
	agent := "fingerpost/" + version + " (+" + c.PublicURL
	if c.Contact != "" {
		agent += "; " + c.Contact
	}
	return agent + ")"
}

// public makes the server of the published documents.
func (s *session) public(ready func() (bool, string), log *slog.Logger) (*server.Server, error) {
	address, err := url.Parse(s.PublicURL)
	if err != nil {
		return nil, &configError{fmt.Errorf("public_url: %w", err)}
	}
	c := server.Config{
		PublicURL: address, Version: version, Contact: s.Contact, Ready: ready, Log: log,
		Signmaps: s.Data + "/signmaps",
	}
	for _, r := range s.Repositories {
		c.Repositories = append(c.Repositories, server.Repository{
			ID: r.ID, Name: r.Name, OAIURL: r.OAIURL, Inbox: r.Inbox, Hosts: r.Mapping.Hosts,
			Budget:      linkset.Budget{Bytes: int(r.Header.Bytes), Lines: r.Header.Lines},
			Describedby: server.Describedby{OmitGetRecord: !r.DescribedBy.GetRecord, OmitCopies: !r.DescribedBy.Copies, OmitOffered: !r.DescribedBy.Offered},
		})
	}
	return server.New(c, s.db)
}

// logger writes text for people and JSON for machines.
func (a *app) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return nil, &usageError{fmt.Errorf("--log-level %s: use debug, info, warn or error", a.logLevel)}
	}
	options := &slog.HandlerOptions{Level: level}
	switch {
	case a.logFormat == "json", a.logFormat == "" && !terminal(a.err):
		return slog.New(slog.NewJSONHandler(a.err, options)), nil
	case a.logFormat == "text", a.logFormat == "":
		return slog.New(slog.NewTextHandler(a.err, options)), nil
	}
	return nil, &usageError{fmt.Errorf("--log-format %s: use text or json", a.logFormat)}
}

// terminal tells whether w is one.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// print writes v as one line of JSON.
func (a *app) print(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// harvested tells whether a repository was ever harvested to an end: then
// there is something to serve.
func harvested(ctx context.Context, r store.Reader, id string) bool {
	runs, err := r.Runs(ctx, id, 50)
	if err != nil {
		return false
	}
	for _, run := range runs {
		if run.State == store.Complete || run.State == store.Incomplete {
			return true
		}
	}
	return false
}
