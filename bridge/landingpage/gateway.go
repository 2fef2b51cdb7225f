package landingpage

import (
	"slices"
	"strings"
)

// ofGateway reports whether links were written by a gateway such as this one: they
// lead to its link set in both forms. What it wrote it took from the metadata, or
// from this page: read as the page's own, it would stay when both are corrected.
func ofGateway(links []statement) bool {
	for _, l := range links {
		if set, ok := strings.CutSuffix(l.value, "/linkset.json"); ok && l.name == "linkset" {
			return slices.ContainsFunc(links, func(o statement) bool { return o.name == "linkset" && o.value == set+"/linkset.txt" })
		}
	}
	return false
}

// withoutGateway drops what a gateway wrote into the headers and into the page.
// Which links of the two are whose cannot be told, nor whose JSON-LD it is.
func (s *statements) withoutGateway() {
	if ofGateway(s.headers) {
		s.headers = nil
	}
	if ofGateway(s.links) {
		s.works = nil
		s.links = slices.DeleteFunc(s.links, func(l statement) bool { return l.name != "canonical" && l.name != "alternate" })
	}
}
