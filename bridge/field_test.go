package bridge

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fingerpost/bridge/element"
)

// TestFieldsAsExplained: whatever explain prints of where a value stands can be
// written as the field of a rule, and matches there.
func TestFieldsAsExplained(t *testing.T) {
	for _, name := range caseFiles(t) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c := readCase(t, archive)
		var trace Trace
		_, _ = c.mapping.Map(c.identifier, c.records, &trace)
		for _, e := range trace.Evidence {
			prefix, path, _ := strings.Cut(e.From, " ")
			if !strings.Contains(path, ":") && prefix != "oai_dc" { // "set x", "platform y", "landing page"
				continue
			}
			settings := c.mapping.settings
			settings.Rules = []Rule{{Field: e.From, As: "drop"}}
			m, err := NewMapping(c.mapping.baseURL, c.mapping.learned, settings)
			if err != nil {
				t.Fatalf("%s: field %q: %v", name, e.From, err)
			}
			mapper := m.Mapper()
			_, _ = mapper.Map(c.identifier, c.records, nil)
			if unmatched := mapper.UnmatchedRules(); len(unmatched) > 0 {
				t.Errorf("%s: field %q matches nothing", name, e.From)
			}
		}
	}
}

func TestField(t *testing.T) {
	const record = `<d:DIDL xmlns:d="urn:mpeg:mpeg21:2002:02-DIDL-NS"><d:Item><d:Component><d:Resource ref="x"/></d:Component></d:Item></d:DIDL>`
	root, err := element.Parse([]byte(record))
	if err != nil {
		t.Fatal(err)
	}
	e := root.First("Resource")
	for text, want := range map[string]bool{
		"Resource":             true,
		"didl:Resource@ref":    true,
		"nl_didl/Resource@ref": true,
		"didl:Item/didl:Component/didl:Resource/@ref":                  true,
		"nl_didl didl:Item[1]/didl:Component[2]/didl:Resource[3]/@ref": true,
		"Component/Resource":            true,
		"nl_didl/Component/Resource":    true,
		"other/Resource":                false,
		"other didl:Resource":           false,
		"didl:Item/didl:Resource":       false,
		"Descriptor/Component/Resource": false,
		"Component":                     false,
	} {
		f, err := parseField(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := f.names(e, "nl_didl"); got != want {
			t.Errorf("%q names the element: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "@ref", "dc:", "the dc:rights of it"} {
		if f, err := parseField(text); err == nil {
			t.Errorf("%q is read as %+v", text, f)
		}
	}
}
