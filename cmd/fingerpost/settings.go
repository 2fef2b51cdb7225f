package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/config"
)

// given is what the command line and the environment say of the configuration.
type given struct {
	env       []string
	file      string // --config
	data      string // --data
	listen    string // --listen of serve
	publicURL string // --public-url of serve
	serving   bool   // this is serve: how it was started last does not matter
}

// settings are what the command was told. Where that leaves something open,
// they are what `serve` was told last.
func (g *given) settings(ctx context.Context, oaiURL string, log *slog.Logger) (config.Config, error) {
	for _, sentence := range config.Ignored(g.env) {
		log.Warn("config: " + sentence)
	}
	c, err := g.told(ctx, oaiURL)
	if err == nil && !g.serving {
		c, err = asStarted(c)
	}
	if c, err = configured(c, g.asTyped(err, oaiURL)); err == nil {
		warnOfRows(c, log)
	}
	return c, err
}

// warnOfRows says which rows of the table of sources are left out, and why.
func warnOfRows(c config.Config, log *slog.Logger) {
	bad, rows := c.Bad()
	for _, p := range bad {
		log.Warn("config: a source is left out: " + p.Error())
	}
	if rows > 0 {
		log.Warn("config: sources that are left out: correct their rows", "file", c.Sources, "rows", rows)
	}
}

// told reads the configuration file or, without one, takes a single repository
// at oaiURL. With neither it takes what the environment says, or the
// repositories of a data folder that was filled before.
func (g *given) told(ctx context.Context, oaiURL string) (config.Config, error) {
	env := g.environment()
	switch {
	case g.file != "" && oaiURL != "":
		return config.Config{}, &usageError{errors.New("give either a configuration file or the address of a repository, not both")}
	case g.file != "":
		return config.Load(g.file, env)
	case oaiURL != "" || names(env):
		return config.ForURL(oaiURL, env)
	}
	return g.ofFolder(ctx, env)
}

// ofFolder takes the configuration file that `serve` was started with on a data
// folder or, without one, the repositories in its database.
func (g *given) ofFolder(ctx context.Context, env []string) (config.Config, error) {
	c, err := config.ForURL(nowhere, env)
	if err != nil {
		return c, err
	}
	last, err := startedIn(c.Data)
	if err != nil {
		return c, err
	}
	if last.Config != "" && !g.serving {
		return config.Load(last.Config, append(env, "FINGERPOST_DATA="+c.Data))
	}
	repositories, err := inDatabase(ctx, c)
	if err != nil {
		return c, err
	}
	if len(repositories) == 0 {
		return c, fmt.Errorf("no repository is named, and the data folder %s has none: give the address of a repository or a configuration file, or name the folder of an earlier harvest with --data", c.Data)
	}
	return config.ForURL("", append(env, repositories...))
}

// environment is that of the program, overridden by flags.
func (g *given) environment() []string {
	env := slices.Clone(g.env)
	for name, value := range map[string]string{"DATA": g.data, "LISTEN": g.listen, "PUBLIC_URL": g.publicURL} {
		if value != "" {
			env = append(env, "FINGERPOST_"+name+"="+value)
		}
	}
	return env
}

// names reports whether the environment names a repository.
func names(env []string) bool {
	return slices.ContainsFunc(env, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "FINGERPOST_") && (strings.HasSuffix(name, "OAI_URL") || name == "FINGERPOST_SOURCES") && value != ""
	})
}

// asTyped names a flag or argument in an error, instead of a key.
func (g *given) asTyped(err error, oaiURL string) error {
	for _, p := range config.Problems(err) {
		switch {
		case p.Key == "repositories[0].oai_url" && oaiURL != "":
			p.Key = "OAI_URL"
		case p.Key == "listen" && g.listen != "":
			p.Key, p.Place = "--listen", ""
		case p.Key == "public_url" && g.publicURL != "":
			p.Key, p.Place = "--public-url", ""
		}
	}
	return err
}

// configured checks the mapping, which package config does not know, of the
// repositories that may have rules.
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

// nowhere is the address of a repository that does not matter.
const nowhere = "http://repository.invalid/oai"

// inDatabase names the repositories of a database as the environment would.
func inDatabase(ctx context.Context, c config.Config) (out []string, err error) {
	if _, err := os.Stat(c.Database); !c.Shared() && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := openDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	repositories, err := db.Repositories(ctx)
	for i, r := range repositories {
		out = append(out, fmt.Sprintf("FINGERPOST_REPOSITORIES_%d_ID=%s", i, r.ID), fmt.Sprintf("FINGERPOST_REPOSITORIES_%d_OAI_URL=%s", i, r.OAIURL))
	}
	return out, err
}

// setPublicURL is what to do about links that lead to this machine.
const setPublicURL = "set public_url to the address under which the world sees the gateway (serve --public-url, or FINGERPOST_PUBLIC_URL)"

// onlyHere says that nobody on another machine can follow the links; it is
// empty if they can.
func onlyHere(c config.Config) string {
	if !onThisMachine(c.PublicURL) {
		return ""
	}
	return "every link begins with " + c.PublicURL + ", which only this machine can reach: " + setPublicURL
}

// warnOnlyHere says so before a command prints anything.
func (o output) warnOnlyHere(s *session) {
	if sentence := onlyHere(s.Config); sentence != "" {
		fmt.Fprintln(o.err, "fingerpost: "+sentence)
	}
}

// misleads reports whether the gateway serves other machines with links that
// lead to this one.
func misleads(c config.Config) bool {
	return onThisMachine(c.PublicURL) && !onThisMachine("http://"+c.Listen)
}

// onThisMachine reports whether an address is one of this machine alone.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
}
