package description

import (
	"cmp"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/identifier"
)

// idOf is what the object is called in linked data.
func idOf(o *bridge.Object) string { return cmp.Or(o.CiteAs, o.LandingPage.URL) }

// idsOf are all its identifiers.
func idsOf(o *bridge.Object) []string {
	out := []string{idOf(o)}
	for _, a := range o.Aliases {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// doiOf is the object's own, without its resolver; "" if it has none.
func doiOf(o *bridge.Object) string {
	if id, ok := identifier.Parse(o.CiteAs); ok && id.Scheme == identifier.DOI {
		return id.Value
	}
	return ""
}

// classOf is the class of schema.org without its namespace.
func classOf(o *bridge.Object) string {
	if class, ok := strings.CutPrefix(o.Type, schemaOrgClass); ok {
		return class
	}
	return "CreativeWork"
}

// schemaOrgClass begins the URIs of the classes of schema.org in links.
const schemaOrgClass = "https://schema.org/"
