package config

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/invopop/jsonschema"
)

// The comments in this file are the manual, in the running program too.
//
//go:embed config.go
var source []byte

// Schema returns a JSON schema of the file, for editors.
func Schema() ([]byte, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	r := jsonschema.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		LookupComment: func(t reflect.Type, field string) string {
			return strings.Join(strings.Fields(comments[comment{t.Name(), field}]), " ")
		},
	}
	s := r.Reflect(&Config{})
	s.Title = "fingerpost"
	return json.MarshalIndent(s, "", "  ")
}

// Example returns a file with every key and its manual. It can be loaded as it
// is.
func Example() ([]byte, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	c := example()
	notes := yaml.CommentMap{}
	annotate(notes, comments, "$", reflect.ValueOf(c))
	return yaml.MarshalWithOptions(c, yaml.WithComment(notes), yaml.IndentSequence(true))
}

// YAML returns the configuration with its defaults and the environment. Secrets
// are masked, and secrets from files are left out.
func (c Config) YAML() ([]byte, error) {
	if c.DatabasePasswordFile != "" {
		c.DatabasePassword = ""
	}
	c.Repositories = slices.Clone(c.Repositories)
	for i := range c.Repositories {
		if s := &c.Repositories[i].Politeness; s.PasswordFile != "" {
			s.Password = ""
		}
	}
	return yaml.MarshalWithOptions(c, yaml.IndentSequence(true))
}

// example is the configuration of a small university, with values for most
// keys.
func example() Config {
	r := newRepository()
	r.ID = "main"
	r.Name = "Example Institutional Repository"
	r.OAIURL = "https://repo.example.edu/oai"
	r.Formats = []string{}
	r.Sets = []string{}
	r.Schedule = "30 4 * * *"
	r.Timezone = "Europe/Berlin"
	r.Mapping.Hosts = []string{"eprints.example.edu"}
	r.Mapping.OwnPrefixes = []string{}
	r.Mapping.Rules = []Rule{{
		Field: "dc:relation",
		Match: `^https?://repo\.example\.edu/files/(.+)$`,
		As:    "item",
		Value: "https://repo.example.edu/download/${1}",
	}}
	r.Politeness.Headers, r.Politeness.Query = map[string]Secret{}, map[string]Secret{}
	r.Edge.Omit, r.Probe = []string{}, Probes{}
	return Config{
		PublicURL:    "https://links.example.edu",
		Listen:       "127.0.0.1:8080",
		AdminListen:  "127.0.0.1:9090",
		AdminHosts:   []string{},
		Data:         "data",
		Workers:      8,
		Contact:      "library-it@example.edu",
		Repositories: []Repository{r},
	}
}

// comment names the comment on a type or a field.
type comment struct{ typ, field string }

// readComments takes the comments of types and fields out of the source.
func readComments() (map[comment]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "config.go", source, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read the manual of the configuration: %w", err)
	}
	comments := map[comment]string{}
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		spec := gen.Specs[0].(*ast.TypeSpec)
		comments[comment{spec.Name.Name, ""}] = gen.Doc.Text()
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				comments[comment{spec.Name.Name, field.Names[0].Name}] = field.Doc.Text()
			}
		}
	}
	return comments, nil
}

// annotate adds the manual of every field of v above its key.
func annotate(notes yaml.CommentMap, comments map[comment]string, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			annotate(notes, comments, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			key := path + "." + f.Tag.Get("yaml")
			if text := strings.TrimSpace(comments[comment{v.Type().Name(), f.Name}]); text != "" {
				notes[key] = []*yaml.Comment{yaml.HeadComment(lines(text)...)}
			}
			annotate(notes, comments, key, v.Field(i))
		}
	}
}

// lines returns the lines of a comment, each with the space that belongs after
// "#".
func lines(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		out = append(out, " "+strings.TrimRight(l, "\n"))
	}
	return out
}
