package vocabulary

import (
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// NotOffered says why an address that a landing page offers as a file is none of
// the object's, by its form; "" if it may be one.
func NotOffered(a uri.Address) string {
	rest := strings.ToLower(a.Rest)
	path, query, _ := strings.Cut(rest, "?")
	switch {
	case text.ContainsAny(rest, "{{", "%7b%7b", "${", "<%", "[%", "/undefined", "/null/"):
		return "what is left of a template, not an address"
	case strings.Trim(path, "/") == "" && query == "":
		return "the front page of a site"
	case IsLogin(rest), text.ContainsAny(rest, "/restricted-resource", "/request-a-copy", "/request_doc", "accesorestringido", "no_local_copy"):
		return "a page to log in, or to ask for a copy"
	case text.ContainsAny(rest, "suppl_file", "supinfo", "-supplement", "/appendix", "downloadsuppfile", "_toc.", "booktoc", "bookbackmatter", "/samples/", "first-page"):
		return "supplementary material, or a part of something larger"
	case text.ContainsAny(rest, "productflyer", "author_agreement", "deposit_agreement", "letter_to_publisher", "termsofuse", "content_policy"):
		return "a form or the rules of the repository, not a file of the object"
	case text.ContainsAny(rest, "x-amz-signature=", "x-goog-signature=", "&signature=", "?signature=", "expires="):
		return "an address that is signed, and valid for a while only"
	case strings.HasSuffix(path, ".pdf+html"): // HighWire
		return "a page around a file, not the file"
	case strings.HasSuffix(path, "/dataset/filename"): // Dataverse
		return "a file name that stands for any"
	case isCover(path):
		return APreview
	}
	return NotContent(a)
}

// IsLogin reports whether an address is that of a page to log in, or to switch
// cookies on.
func IsLogin(address string) bool {
	address = strings.ToLower(address)
	path, _, _ := strings.Cut(address, "?")
	return strings.HasSuffix(path, "/login") || text.ContainsAny(address, "/password-login", "samlrequest=", "cookieabsent", "cookies_not_supported")
}

// isCover reports whether a path is that of the picture of a cover.
func isCover(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	base, ending, _ := strings.Cut(name, ".")
	switch ending {
	case "jpg", "jpeg", "png", "gif", "webp", "svg", "ico":
		return base == "favicon" || text.ContainsAny(base, "cover", "logo", "icon")
	}
	return strings.HasSuffix(path, "/cover")
}

// SaysRestricted reports whether a statement says that not everybody may open
// the object's files.
func SaysRestricted(value string) bool {
	v := strings.ToLower(text.Clean(value))
	for _, prefix := range [...]string{"info:eu-repo/semantics/", "http://purl.org/coar/access_right/", "https://purl.org/coar/access_right/", "https://vocabularies.coar-repositories.org/access_rights/"} {
		v = strings.TrimPrefix(v, prefix)
	}
	switch strings.TrimSuffix(v, "/") {
	case "restricted", "closed", "embargoed", "restrictedaccess", "closedaccess", "embargoedaccess", "restricted access", "closed access", "embargoed access", "limited access",
		"c_16ec", "c_14cb", "c_f1cf": // restricted, metadata only, embargoed
		return true
	}
	return false
}
