package config

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/fingerpost.yaml")

// docs/fingerpost.yaml is what the program prints, and it loads.
func TestExample(t *testing.T) {
	text, err := Example()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "docs", "fingerpost.yaml")
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(kept), string(text)); diff != "" {
		t.Errorf("go test ./config -update rewrites %s; -kept +made:\n%s", file, diff)
	}
	c, err := Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := example()
	want.Database = "data/fingerpost.db"
	want.Repositories[0].Mapping.Rules[0].Place = c.Repositories[0].Mapping.Rules[0].Place
	if at := want.Repositories[0].Mapping.Rules[0].Place; !strings.HasPrefix(at, file+":") {
		t.Errorf("the rule stands at %q", at)
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +loaded:\n%s", diff)
	}
}

// No field is without a manual, and each says whether it may be left out.
func TestEveryFieldHasAManual(t *testing.T) {
	comments, err := readComments()
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{"Repositories": true, "OAIURL": true, "Field": true, "As": true}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			deep := f.Type
			if deep.Kind() == reflect.Slice {
				deep = deep.Elem()
			}
			if f.Tag.Get("yaml") == "-" {
				continue // no key of the file
			}
			text := comments[comment{typ.Name(), f.Name}]
			if text == "" {
				t.Errorf("%s.%s has no comment", typ.Name(), f.Name)
			}
			if deep.Kind() == reflect.Struct {
				walk(deep)
				continue
			}
			if f.Name != "Origin" && strings.Contains(text, "Optional") == required[f.Name] {
				t.Errorf("%s.%s does not say whether it is optional: %s", typ.Name(), f.Name, text)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
}

func TestSchema(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]struct {
			Description string
			Enum        []string
		}
		Required             []string
		AdditionalProperties *bool
	}
	var s struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if got := s.Properties["public_url"].Description; !strings.HasPrefix(got, "The address under which the world sees this gateway, with a path prefix if") {
		t.Errorf("public_url is described as %q", got)
	}
	if s.AdditionalProperties == nil || *s.AdditionalProperties {
		t.Error("the schema takes unknown keys")
	}
	if got, want := s.Defs["Repository"].Required, []string{"oai_url"}; !cmp.Equal(got, want) {
		t.Errorf("a repository must have %q, want %q", got, want)
	}
	if got, want := s.Defs["Politeness"].Properties["granularity"].Enum, []string{"", "day"}; !cmp.Equal(got, want) {
		t.Errorf("granularity is one of %q, want %q", got, want)
	}
}
