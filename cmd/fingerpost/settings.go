package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/config"
)

// settings are what the configuration file says, or, without one, a single
// repository at oaiURL. With neither they are what the environment says, or
// the repositories of a data folder that was filled before.
func (a *app) settings(ctx context.Context, oaiURL, listen string) (config.Config, error) {
	for _, sentence := range config.Ignored(a.env) {
		a.log.Warn("config: " + sentence)
	}
	env := a.environment(listen)
	if a.file != "" {
		if oaiURL != "" {
			return config.Config{}, &usageError{errors.New("give either a configuration file or the address of a repository, not both")}
		}
		return configured(config.Load(a.file, env))
	}
	if oaiURL != "" || names(env) {
		c, err := config.ForURL(oaiURL, env)
		return configured(c, asTyped(err, oaiURL, listen))
	}
	folder, kept, err := a.kept(ctx, env)
	if err != nil {
		return config.Config{}, &configError{err}
	}
	if len(kept) == 0 {
		return config.Config{}, &configError{fmt.Errorf("no repository is named, and the data folder %s holds none: give the address of a repository or a configuration file, or name the folder of an earlier harvest with --data", folder)}
	}
	return configured(config.ForURL("", append(env, kept...)))
}

// environment is that of the program, with the flags that go over it.
func (a *app) environment(listen string) []string {
	env := slices.Clone(a.env)
	if a.data != "" {
		env = append(env, "FINGERPOST_DATA="+a.data)
	}
	if listen != "" {
		env = append(env, "FINGERPOST_LISTEN="+listen)
	}
	return env
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
	for _, p := range config.Problems(err) {
		switch {
		case p.Key == "repositories[0].oai_url" && oaiURL != "":
			p.Key = "OAI_URL"
		case p.Key == "listen" && listen != "":
			p.Key, p.Place = "--listen", ""
		}
	}
	return err
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

// nowhere stands for a repository where it does not matter which it is.
const nowhere = "http://repository.invalid/oai"

// kept names the repositories of a data folder as the environment would.
func (a *app) kept(ctx context.Context, env []string) (folder string, out []string, err error) {
	c, err := config.ForURL(nowhere, env)
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
