package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"
)

const (
	prefix     = "FINGERPOST_"
	repoPrefix = prefix + "REPOSITORIES_"
	// maxRepositories bounds what a number in a variable's name can ask for.
	maxRepositories = 10000
)

// overlay overrides c with the environment and returns the names that it used.
// Variables are set one at a time, so that an error names the variable.
func overlay(c *Config, environ []string) (map[string]bool, error) {
	vars := env.ToMap(environ)
	if err := c.grow(vars); err != nil {
		return nil, err
	}
	known, err := variables(c, vars)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		switch {
		case known[name] && vars[name] != "":
			used[name] = true
			one := env.Options{Prefix: prefix, Environment: map[string]string{name: vars[name]}}
			if err := env.ParseWithOptions(c, one); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, plainEnvError(err)))
			}
		case !known[name] && strings.HasPrefix(name, repoPrefix) && !serviceLink(name, vars[name]):
			errs = append(errs, fmt.Errorf("%s: no such setting: %s", name, instead(name, known)))
		}
	}
	return used, errors.Join(errs...)
}

// Ignored returns a sentence for each variable of environ that has the name of
// a setting but is none. Without it a misspelt variable would go unnoticed.
func Ignored(environ []string) []string {
	vars := env.ToMap(environ)
	known, _ := variables(new(Config), map[string]string{repoPrefix + "0_ID": ""}) // no error: nothing is parsed
	known[prefix+"OAI_URL"] = true
	var out []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if !strings.HasPrefix(name, prefix) || vars[name] == "" || known[name] || strings.HasPrefix(name, repoPrefix) || serviceLink(name, vars[name]) {
			continue
		}
		out = append(out, name+" sets nothing: "+instead(name, known))
	}
	return out
}

// instead says what to do about an unknown variable.
func instead(name string, known map[string]bool) string {
	if ofRepository := repoPrefix + "0_" + strings.TrimPrefix(name, prefix); known[ofRepository] {
		return "write " + ofRepository + " if that is meant, or unset it"
	}
	return `correct its name, or unset it; "fingerpost config example" has every setting`
}

// serviceLink reports whether Kubernetes set a variable. It sets them in every
// pod beside a service whose name begins with fingerpost: FINGERPOST_SERVICE_HOST,
// FINGERPOST_PORT=tcp://10.0.0.1:80, FINGERPOST_PORT_80_TCP_ADDR.
func serviceLink(name, value string) bool {
	return serviceVariable.MatchString(name) || strings.HasSuffix(name, "_PORT") && strings.Contains(value, "://")
}

var serviceVariable = regexp.MustCompile(`_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$`)

// variables returns the names that c takes from the environment.
func variables(c *Config, vars map[string]string) (map[string]bool, error) {
	params, err := env.GetFieldParamsWithOptions(c, env.Options{Prefix: prefix, Environment: vars})
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	known := map[string]bool{}
	for _, p := range params {
		known[p.Key] = true
	}
	return known, nil
}

// grow appends the repositories that only the environment names, with their
// defaults.
func (c *Config) grow(vars map[string]string) error {
	numbers := map[int]bool{}
	for name, value := range vars {
		number, _, ok := strings.Cut(strings.TrimPrefix(name, repoPrefix), "_")
		if n, err := strconv.Atoi(number); ok && err == nil && value != "" && strings.HasPrefix(name, repoPrefix) {
			numbers[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		switch {
		case n < len(c.Repositories):
		case n == len(c.Repositories) && n < maxRepositories:
			c.Repositories = append(c.Repositories, newRepository())
		default:
			return fmt.Errorf("%s%d_…: there is no repository %d before it: number them from 0 without a gap", repoPrefix, n, len(c.Repositories))
		}
	}
	return nil
}

// plainEnvError rewords an error of the library for administrators.
func plainEnvError(err error) error {
	if parse := (env.ParseError{}); errors.As(err, &parse) && parse.Err != nil {
		err = parse.Err
	}
	if number := (*strconv.NumError)(nil); errors.As(err, &number) {
		if number.Func == "ParseBool" {
			return fmt.Errorf("%q is neither true nor false: write one of them", number.Num)
		}
		return fmt.Errorf("%q is not a whole number: write one, such as 5", number.Num)
	}
	return err
}

// envName is the variable that sets a key: repositories[0].id is set by
// FINGERPOST_REPOSITORIES_0_ID.
func envName(key string) string {
	return prefix + strings.ToUpper(strings.NewReplacer("].", "_", "[", "_", ".", "_", "]", "").Replace(key))
}

// lookup returns the value of a variable, the last one of its name.
func lookup(environ []string, name string) string { return env.ToMap(environ)[name] }
