package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	prefix     = "FINGERPOST_"
	repoPrefix = prefix + "REPOSITORIES_"
	// maxRepositories bounds what a number in a variable's name can ask for.
	maxRepositories = 10000
)

// overlay overrides c with the environment and returns the names that it used.
func overlay(c *Config, environ []string) (map[string]bool, error) {
	vars := variables(environ)
	if err := c.grow(vars); err != nil {
		return nil, err
	}
	known, used := newSettable(), map[string]bool{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		switch s, of, ok := known.of(c, name); {
		case ok && vars[name] != "":
			used[name] = true
			if err := s.set(of, vars[name]); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		case !ok && strings.HasPrefix(name, repoPrefix) && !serviceLink(name, vars[name]):
			errs = append(errs, fmt.Errorf("%s: no such setting: %s", name, known.instead(name)))
		}
	}
	return used, errors.Join(errs...)
}

// settable are the settings of the configuration and of a repository, by the
// names of their variables, each without what stands before it.
type settable struct{ top, repository map[string]setting }

func newSettable() settable {
	byName := func(t reflect.Type) map[string]setting {
		out := map[string]setting{}
		for _, s := range settingsOf(t) {
			out[strings.TrimPrefix(envName(s.key), prefix)] = s
		}
		return out
	}
	return settable{byName(reflect.TypeFor[Config]()), byName(reflect.TypeFor[Repository]())}
}

// of returns the setting that a variable has the name of, and what it sets.
func (k settable) of(c *Config, name string) (s setting, of reflect.Value, ok bool) {
	number, rest, _ := strings.Cut(strings.TrimPrefix(name, repoPrefix), "_")
	n, err := strconv.Atoi(number)
	switch {
	case !strings.HasPrefix(name, prefix):
		return s, of, false
	case !strings.HasPrefix(name, repoPrefix):
		s, ok = k.top[strings.TrimPrefix(name, prefix)]
		return s, reflect.ValueOf(c).Elem(), ok
	case err != nil || n < 0 || n >= len(c.Repositories) || strconv.Itoa(n) != number:
		return s, of, false
	}
	s, ok = k.repository[rest]
	return s, reflect.ValueOf(&c.Repositories[n]).Elem(), ok
}

// Ignored returns a sentence for each variable of environ that has the name of
// a setting but is none. Without it a misspelt variable would go unnoticed.
func Ignored(environ []string) []string {
	vars, known := variables(environ), newSettable()
	known.top["OAI_URL"] = setting{}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		_, _, ok := known.of(new(Config), name)
		if !strings.HasPrefix(name, prefix) || vars[name] == "" || ok || strings.HasPrefix(name, repoPrefix) || serviceLink(name, vars[name]) {
			continue
		}
		out = append(out, name+" sets nothing: "+known.instead(name))
	}
	return out
}

// instead says what to do about an unknown variable.
func (k settable) instead(name string) string {
	if rest := strings.TrimPrefix(name, prefix); k.repository[rest].key != "" {
		return "write " + repoPrefix + "0_" + rest + " if that is meant, or unset it"
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

// variables returns the variables of an environment, of each name the last.
func variables(environ []string) map[string]string {
	out := make(map[string]string, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
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

// envName is the variable that sets a key: repositories[0].id is set by
// FINGERPOST_REPOSITORIES_0_ID.
func envName(key string) string {
	return prefix + strings.ToUpper(strings.NewReplacer("].", "_", "[", "_", ".", "_", "]", "").Replace(key))
}

// lookup returns the value of a variable, the last one of its name.
func lookup(environ []string, name string) string { return variables(environ)[name] }
