package vocabulary

import (
	"strconv"
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// Why an address is no file of the object, although it is served like one.
const (
	APreview     = "a preview, not a file of the object"
	ADescription = "it describes the object, and is no file of it"
	ALicenceText = "the text of a licence, not a file of the object"
	ADerivedFile = "the text or the preview of another file, not a file of the object"
)

// NotContent says why an address, by its form, is neither a file of the object
// nor its page; "" if it may be one.
func NotContent(a uri.Address) string {
	rest, _, _ := strings.Cut(strings.ToLower(a.Rest), "#")
	path, query, _ := strings.Cut(rest, "?")
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case isPreview(path, query, name):
		return APreview
	case isDescription(path, name), isManifest(a.URL, name):
		return ADescription
	case isLicenceText(name):
		return ALicenceText
	case isDerived(name):
		return ADerivedFile
	}
	return ""
}

// isPreview recognises small pictures of a file by the paths and the queries
// at which platforms serve them.
func isPreview(path, query, name string) bool {
	return isThumbnail(path, name) || isLunaSize(path) || strings.Contains(path, "/ro-crate-preview") || isPreviewStream(path) ||
		isOmekaSize(path) || isSmallIIIF(path, name) || asksForPreview(query)
}

func isThumbnail(path, name string) bool {
	if !strings.Contains(path, "thumb") { // as in most
		return false
	}
	base, _, _ := strings.Cut(name, ".")
	return text.ContainsAny(path, "/thumbnail", "/getthumbnail", "thumbnailversion/", "/thumb/", "/thumbs/") ||
		strings.HasSuffix(base, "_thumb") || strings.HasSuffix(base, "-thumb")
}

// isLunaSize reports whether a path is that of one of Luna's small pictures.
func isLunaSize(path string) bool {
	_, after, ok := strings.Cut(path, "/size")
	return ok && len(after) > 1 && '0' <= after[0] && after[0] <= '2' && after[1] == '/'
}

// isPreviewStream reports whether a path is that of a preview in Islandora.
func isPreviewStream(path string) bool {
	_, after, _ := strings.Cut(path, "/datastream/")
	stream, _, _ := strings.Cut(after, "/")
	switch stream {
	case "tn", "preview", "medium_size":
		return true
	}
	return false
}

// isOmekaSize reports whether a path is that of one of the pictures that Omeka
// makes of each file: /files/square/0f1e.jpg.
func isOmekaSize(path string) bool {
	_, after, ok := strings.Cut(path, "/files/")
	size, name, found := strings.Cut(after, "/")
	if !ok || !found || strings.Contains(name, "/") {
		return false
	}
	switch size {
	case "large", "medium", "square", "fullsize", "square_thumbnails", "thumbnails":
		return strings.HasSuffix(name, ".jpg")
	}
	return false
}

// isSmallIIIF reports whether a path asks for a small picture: that ends with
// region, size, rotation, and quality with a format. IIIF Image API 3.0, 4.
func isSmallIIIF(path, name string) bool {
	switch quality, _, _ := strings.Cut(name, "."); quality {
	case "default", "native", "color", "gray", "bitonal":
	default:
		return false
	}
	parts := strings.Split(uri.Decode(path), "/")
	return len(parts) > 4 && isSmall(strings.TrimLeft(parts[len(parts)-3], "!^"))
}

// isSmall reports whether a size of IIIF is smaller than what people read.
func isSmall(size string) bool {
	const legible = 1000
	if share, ok := strings.CutPrefix(size, "pct:"); ok {
		n, err := strconv.ParseFloat(share, 64)
		return err == nil && n <= 25
	}
	width, height, ok := strings.Cut(size, ",")
	w, _ := strconv.Atoi(width)
	h, _ := strconv.Atoi(height)
	return ok && max(w, h) > 0 && max(w, h) < legible
}

// asksForPreview reports whether a query, in lower case, asks for a preview:
// "file=thumbnail", as Hyrax has it, or "thumbnail=true".
func asksForPreview(query string) bool {
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		switch value {
		case "thumbnail", "thumb", "preview", "tn":
			return true
		case "", "0", "false", "no":
			continue
		}
		if name == "thumbnail" || name == "thumb" {
			return true
		}
	}
	return false
}

// isDescription recognises metadata by the names that documents and the
// services which send them have.
func isDescription(path, name string) bool {
	if strings.Contains(path, "/cgi/export/") { // EPrints
		return true
	}
	if _, after, ok := strings.Cut(path, "/datastream/"); ok { // Islandora
		stream, _, _ := strings.Cut(after, "/")
		return isMetadataStream(stream)
	}
	base, ending, _ := strings.Cut(name, ".")
	switch ending {
	case "xml", "json", "jsonld", "rdf", "ttl":
		return isMetadataName(base) || isCroissant(base)
	case "cff":
		return base == "citation"
	}
	return false
}

// isManifest reports whether an address is that of a manifest of IIIF.
func isManifest(address, name string) bool {
	return (name == "manifest" || name == "manifest.json") && text.IndexFold(address, "iiif") >= 0
}

// isMetadataStream reports whether a datastream of Fedora is metadata.
func isMetadataStream(stream string) bool {
	switch stream {
	case "dc", "mods", "rels-ext", "rels-int", "techmd", "policy":
		return true
	}
	return false
}

// isMetadataName reports whether a file's name, without its ending, is that of
// a metadata format, or of a document that is metadata by its definition.
func isMetadataName(base string) bool {
	switch base {
	case "oai_dc", "oai_dcterms", "dc", "qdc", "dublin_core", "dcterms", "mets", "mods", "marc", "marcxml", "marc21", "didl", "dim", "xoai",
		"etdms", "oai_etdms", "uketd_dc", "olac", "cmdi", "premis", "datacite", "oai_datacite", "oai_openaire", "rioxx",
		"ddi", "oai_ddi", "eml", "dif", "fgdc", "iso19115", "iso19139", "edm", "epicur", "xmetadissplus", "oai_doaj",
		"metadata", "codemeta", "ro-crate-metadata", "datapackage", "dcat":
		return true
	}
	return false
}

// isLicenceText recognises the licence texts that DSpace and EPrints file.
func isLicenceText(name string) bool {
	switch name {
	case "license.txt", "licence.txt", "license_rdf", "license_text", "license_url", "indexcodes.txt":
		return true
	}
	return false
}

// isDerived recognises the names under which DSpace files the text and a
// preview of a file: "a.pdf.txt" and "a.pdf.jpg".
func isDerived(name string) bool {
	if original, ok := strings.CutSuffix(name, ".jpg"); ok {
		return isFileExtension(nameExtension(original))
	}
	original, _ := strings.CutSuffix(name, ".txt")
	switch nameExtension(original) {
	case "pdf", "doc", "docx", "ppt", "pptx", "rtf", "odt", "html", "htm":
		return original != name
	}
	return false
}
