package vocabulary

import "strings"

// DescriptionOf returns the media type and the profile of a description that is
// known by its name, and that others can read where it is. The profile is that
// of Signmap's own example, or what the format calls itself, without a version:
// the name does not tell it.
func DescriptionOf(address string) (format MetadataFormat, ok bool) {
	path, _ := pathAndQuery(address)
	base, ending, _ := strings.Cut(strings.ToLower(path[strings.LastIndexByte(path, '/')+1:]), ".")
	switch {
	case base == "ro-crate-metadata":
		format.Profile = "https://w3id.org/ro/crate"
	case base == "datapackage":
		format.Profile = "https://specs.frictionlessdata.io/data-package/"
	case base == "codemeta":
		format.Profile = "https://w3id.org/codemeta"
	case base == "dcat":
		format.Profile = "http://www.w3.org/ns/dcat#"
	case isCroissant(base):
		format.Profile = "http://mlcommons.org/croissant/"
	default:
		return MetadataFormat{}, false
	}
	switch {
	case ending == "json" && base == "datapackage":
		format.MediaType = "application/json"
	case ending == "json", ending == "jsonld":
		format.MediaType = "application/ld+json"
	case base == "dcat" && ending == "ttl":
		format.MediaType = "text/turtle"
	case base == "dcat" && (ending == "rdf" || ending == "xml"):
		format.MediaType = "application/rdf+xml"
	default:
		return MetadataFormat{}, false
	}
	return format, true
}

// isCroissant reports whether a file's name is that of a description in
// Croissant: it ends with the word.
func isCroissant(base string) bool { return strings.HasSuffix(base, "croissant") }
