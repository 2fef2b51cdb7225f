package vocabulary

import "strings"

// Contradicts reports whether a file cannot be of both media types: the one
// that is stated of it, and the one that the ending of its name tells. Some
// types are others' forms, as text/plain is of all that people can read.
func Contradicts(stated, ending string) bool {
	if stated == ending || stated == OctetStream || ending == OctetStream {
		return false
	}
	return !isFormOf(stated, ending) && !isFormOf(ending, stated) && !sameFamily(stated, ending)
}

// isFormOf reports whether files of one type are also of another, broader one.
func isFormOf(narrow, broad string) bool {
	switch broad {
	case "text/plain":
		return strings.HasPrefix(narrow, "text/") || isTextual(narrow)
	case "application/zip":
		return strings.HasSuffix(narrow, "+zip") || strings.Contains(narrow, "openxmlformats") || strings.Contains(narrow, "opendocument") ||
			narrow == "application/java-archive"
	case "application/xml", "text/xml":
		return strings.HasSuffix(narrow, "xml") || narrow == "text/html"
	case "application/json":
		return strings.HasSuffix(narrow, "json")
	}
	return false
}

// isTextual reports whether a type that is not of text is readable as such.
func isTextual(t string) bool {
	return strings.HasSuffix(t, "xml") || strings.HasSuffix(t, "json") || strings.HasPrefix(t, "application/x-") || t == "application/rtf"
}

// sameFamily reports whether two types are names of one thing, or of the files
// of one program.
func sameFamily(a, b string) bool {
	if strings.ReplaceAll(a, "/x-", "/") == strings.ReplaceAll(b, "/x-", "/") {
		return true
	}
	if IsOutdated(a, b) || IsOutdated(b, a) {
		return true
	}
	for _, family := range [...][]string{
		{"gzip", "tar"}, {"audio/", "ogg"}, {"video/", "ogg"}, {"image/tiff", "image/geotiff"},
	} {
		if strings.Contains(a, family[0]) && strings.Contains(b, family[1]) || strings.Contains(b, family[0]) && strings.Contains(a, family[1]) {
			return true
		}
	}
	return strings.Contains(a, "compressed") || strings.Contains(b, "compressed")
}

// IsOutdated reports whether a stated type is that of the older files of an office
// program, with which some repositories file the newer ones too, and the ending of
// the file's name tells a newer one.
func IsOutdated(stated, ending string) bool {
	for _, forms := range [...][2]string{{"msword", "wordprocessingml"}, {"ms-excel", "spreadsheetml"}, {"ms-powerpoint", "presentationml"}} {
		if strings.Contains(stated, forms[0]) && strings.Contains(ending, forms[1]) {
			return true
		}
	}
	return false
}
