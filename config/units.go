package config

import (
	"encoding"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/invopop/jsonschema"
)

// Size is a number of bytes, written "64MB", "4KiB" or "4096".
type Size int64

// Decimal units come before binary ones: "64MB" is nicer to read than a
// fraction of MiB, and 4096 is not a multiple of 1000.
var sizeUnits = []struct {
	name  string
	bytes Size
}{
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1},
}

// UnmarshalText reads a size; the case of the unit does not matter.
func (s *Size) UnmarshalText(text []byte) error {
	t := strings.TrimSpace(string(text))
	digits := strings.TrimRight(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit, ok := sizeUnit(strings.TrimSpace(t[len(digits):]))
	if err != nil || !ok || n < 0 || n > math.MaxInt64/int64(unit) {
		return fmt.Errorf(`%q is not a size: write a whole number and a unit, such as "64MB" or "4KiB"`, t)
	}
	*s = Size(n) * unit
	return nil
}

func sizeUnit(name string) (Size, bool) {
	for _, u := range sizeUnits {
		if strings.EqualFold(name, u.name) {
			return u.bytes, true
		}
	}
	return 1, name == ""
}

// MarshalText writes the size in the largest unit of which it is a multiple.
func (s Size) MarshalText() ([]byte, error) {
	for _, u := range sizeUnits {
		if s != 0 && s%u.bytes == 0 {
			return fmt.Appendf(nil, "%d%s", s/u.bytes, u.name), nil
		}
	}
	return []byte("0B"), nil
}

// UnmarshalYAML reads a size from a file, and lets an error show where.
func (s *Size) UnmarshalYAML(node ast.Node) error { return readScalar(node, s) }

// JSONSchema allows for both forms that a size has in YAML.
func (Size) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "integer", Minimum: "0"},
		{Type: "string", Pattern: `^[0-9]+ *([kKmMgG][iI]?)?[bB]?$`},
	}}
}

// Duration is a length of time, written "90s", "15m", "1h30m" or "1d".
type Duration time.Duration

const (
	minute = Duration(time.Minute)
	day    = Duration(24 * time.Hour)
)

// UnmarshalText reads a duration. A day is 24 hours.
func (d *Duration) UnmarshalText(text []byte) error {
	t := strings.TrimSpace(string(text))
	if days, ok := strings.CutSuffix(t, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		if err == nil && n <= uint64(math.MaxInt64/int64(day)) {
			*d = Duration(n) * day
			return nil
		}
	}
	v, err := time.ParseDuration(t)
	if err != nil || v < 0 {
		return fmt.Errorf(`%q is not a duration: write a number and a unit, such as "30s", "15m", "2h" or "1d"`, t)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration as an administrator would.
func (d Duration) MarshalText() ([]byte, error) {
	if d != 0 && d%day == 0 {
		return fmt.Appendf(nil, "%dd", d/day), nil
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return []byte(s), nil
}

// UnmarshalYAML reads a duration from a file, and lets an error show where.
func (d *Duration) UnmarshalYAML(node ast.Node) error { return readScalar(node, d) }

// JSONSchema describes a duration as text.
func (Duration) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^(0|[0-9]+d|([0-9.]+(ns|us|µs|ms|s|m|h))+)$`}
}

// Probes are what a repository's web server is asked, written as one word or as
// a list of them.
type Probes []string

// What may be asked.
const (
	ProbePages = "pages"
	ProbeItems = "items"
)

// Has reports whether something is asked.
func (p Probes) Has(what string) bool { return slices.Contains(p, what) }

// UnmarshalYAML reads one word or a list.
func (p *Probes) UnmarshalYAML(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		text, err := scalarText(node)
		if err != nil {
			return &yaml.SyntaxError{Message: err.Error(), Token: node.GetToken()}
		}
		if *p = nil; text != "" && node.Type() != ast.NullType {
			*p = Probes{text}
		}
		return nil
	}
	*p = Probes{}
	for _, value := range list.Values {
		text, err := scalarText(value)
		if err != nil {
			return &yaml.SyntaxError{Message: err.Error(), Token: value.GetToken()}
		}
		*p = append(*p, text)
	}
	return nil
}

// JSONSchema describes a word or a list.
func (Probes) JSONSchema() *jsonschema.Schema {
	word := &jsonschema.Schema{Type: "string", Enum: []any{ProbePages, ProbeItems}}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "string", Enum: []any{"", ProbePages, ProbeItems}},
		{Type: "array", Items: word},
	}}
}

// Secret is text that is used but never shown: printed, logged or marshalled
// it reads "***".
type Secret string

const masked = "***"

// String masks the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString masks the secret in %#v too.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// MarshalText masks the secret in YAML, JSON and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// JSONSchema describes a secret as text.
func (Secret) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// readScalar reads a node's text into v. Its error carries the place, which
// the YAML decoder drops for an encoding.TextUnmarshaler.
func readScalar(node ast.Node, v encoding.TextUnmarshaler) error {
	text, err := scalarText(node)
	if err == nil {
		err = v.UnmarshalText([]byte(text))
	}
	if err != nil {
		return &yaml.SyntaxError{Message: err.Error(), Token: node.GetToken()}
	}
	return nil
}

func scalarText(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case ast.ScalarNode:
		return n.GetToken().Value, nil
	}
	return "", fmt.Errorf("a single value belongs here, not a list or keys with values")
}
