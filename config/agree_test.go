package config

import (
	"testing"

	"fingerpost/bridge"
)

// What is checked here, so that an error can name the line, is what the
// mapping understands: no more, no less.
func TestAgreesWithTheMapping(t *testing.T) {
	understands := func(s bridge.Settings) bool {
		_, err := bridge.NewMapping("https://repo.example.edu/oai", bridge.Learned{}, s)
		return err == nil
	}
	for _, as := range append([]string{"", "contributor", "ignore", "nonsense"}, ruleTargets...) {
		rule := Rule{Field: "dc:relation", Match: ".", As: as}
		var p problems
		rule.check(&p, "")
		if here, there := p == nil, understands(bridge.Settings{Rules: []bridge.Rule{bridge.Rule(rule)}}); here != there {
			t.Errorf("as %q: config says %v, bridge %v", as, here, there)
		}
	}
	for _, place := range append([]string{"{nonsense}", "{}"}, placeholders...) {
		template := "https://repo.example.edu/{local}/" + place
		if here, there := landingPage(template) == nil, understands(bridge.Settings{LandingPage: template}); here != there {
			t.Errorf("%s: config says %v, bridge %v", template, here, there)
		}
	}
	for _, s := range []string{"", bridge.CiteAsLandingPage, "always"} {
		var p problems
		Mapping{CiteAs: s}.check(&p, "")
		if here, there := p == nil, understands(bridge.Settings{CiteAs: s}); here != there {
			t.Errorf("cite_as %q: config says %v, bridge %v", s, here, there)
		}
	}
}
