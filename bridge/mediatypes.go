package bridge

import (
	_ "embed"
	"strings"
	"sync"
)

// mediaTypeOf returns the media type that a value of dc:format states, bare
// and in lower case: one that is written as such, or a label like "PDF". Sizes
// and extents are none.
func mediaTypeOf(value string) (string, bool) {
	v := strings.ToLower(cleanValue(value))
	v, _, _ = strings.Cut(v, ";") // parameters are not the type's
	v = strings.TrimSpace(v)
	if t, ok := mediaTypes().labels[v]; ok {
		return t, true
	}
	if isMediaType(v) {
		return v, true
	}
	if t, ok := mediaTypes().labels[fold(v)]; ok {
		return t, true
	}
	t, ok := mediaTypes().extensions[strings.TrimPrefix(v, ".")]
	return t, ok && len(v) > 1 && t != octetStream // "R" and "DAT" may be anything
}

// octetStream is the media type that says nothing.
const octetStream = "application/octet-stream"

// mediaTypeByExtension returns the media type that the extension of a file's
// name tells: the last part of a URL's path, or of a query that names a file.
func mediaTypeByExtension(uri string) (string, bool) {
	t, ok := mediaTypes().extensions[extension(uri)]
	return t, ok
}

// mediaTypeTable is tables/mediatypes.tsv.
type mediaTypeTable struct {
	extensions, labels map[string]string
}

//go:embed tables/mediatypes.tsv
var mediaTypesTSV string

var mediaTypes = sync.OnceValue(func() mediaTypeTable {
	t := mediaTypeTable{map[string]string{}, map[string]string{}}
	for _, row := range rows(mediaTypesTSV) {
		if row[0] == "extension" {
			t.extensions[row[1]] = row[2]
			continue
		}
		label := strings.ToLower(row[1])
		t.labels[label] = row[2]
		if !strings.Contains(label, "/") {
			t.labels[fold(label)] = row[2]
		}
	}
	return t
})

// isMediaType reports whether v, in lower case, is a type of the registry's
// top level and a subtype. RFC 6838, 4.2.
func isMediaType(v string) bool {
	top, sub, ok := strings.Cut(v, "/")
	if !ok || sub == "" || len(sub) > 127 || sub == "*" {
		return false
	}
	switch top {
	case "application", "audio", "chemical", "font", "image", "message", "model", "multipart", "text", "video":
	default:
		return false
	}
	for i := 0; i < len(sub); i++ {
		if c := sub[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("!#$&-^_.+", c) < 0 {
			return false
		}
	}
	return isLetter(sub[0]) || isDigit(sub[0])
}

// extension returns the extension of the file that a URL names, in lower case
// without the full stop; "" if there is none.
func extension(uri string) string {
	return extensionIn(pathAndQuery(uri))
}

func extensionIn(path, query string) string {
	if e := nameExtension(path); e != "" && !isScript(e) {
		return e
	}
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		switch strings.ToLower(name) {
		case "file", "filename", "name", "fname", "path", "f", "attachment", "document":
			if e := nameExtension(unescape(value)); e != "" {
				return e
			}
		case "title", "q", "query", "search": // of a page about a file, or about many
		default: // "lm.php?url=12/thesis.pdf"
			if e := nameExtension(unescape(value)); e == "pdf" {
				return e
			}
		}
	}
	return ""
}

// isScript reports whether an extension is that of a program which sends
// pages and files of any type.
func isScript(ext string) bool {
	switch ext {
	case "cgi", "php", "jsp", "asp", "aspx", "do", "xhtml", "action", "jsf":
		return true
	}
	return false
}

func pathAndQuery(uri string) (path, query string) {
	uri, _, _ = strings.Cut(uri, "#")
	path, query, _ = strings.Cut(uri, "?")
	if _, rest, ok := splitURL(path); ok {
		path = rest
	}
	return path, query
}

func nameExtension(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || len(name)-dot > 9 {
		return ""
	}
	e := strings.ToLower(name[dot+1:])
	if !isAlphanumeric(e) {
		return ""
	}
	return e
}

// filePaths are parts of paths under which platforms serve files.
var filePaths = [...]string{
	"/bitstream/", "/bitstreams/", "/download/", "/downloads/", "/viewcontent.cgi", "/datastream/", "/ws/files/",
	"/ndownloader", "/file/", "/getfile", "/api/access/datafile/", "/smash/get/",
}

// isFileURL reports whether a URL looks like that of a file: by the extension
// of its name, or by the way that platforms serve files.
func isFileURL(uri string) bool {
	host, rest, ok := splitURL(uri)
	if !ok {
		rest = uri
	}
	return isFileAt(host, rest)
}

// isFileAt is isFileURL for a host and what follows it.
func isFileAt(host, rest string) bool {
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	if e := nameExtension(path); e != "" && isFileExtension(e) {
		return true
	}
	path = strings.ToLower(path)
	for _, part := range filePaths {
		if strings.Contains(path, part) {
			return true
		}
	}
	return strings.HasSuffix(path, "/download") || strings.HasSuffix(path, "/viewcontent") || strings.HasPrefix(host, "ndownloader.") ||
		strings.Contains(query, "pdf=render") || query != "" && isFileExtension(extensionIn(path, query))
}

// isFileExtension leaves out the extensions that landing pages have too.
func isFileExtension(e string) bool {
	switch e {
	case "", "html", "htm":
		return false
	}
	_, ok := mediaTypes().extensions[e]
	return ok && !isScript(e)
}

// neverItem reports whether a URL is that of a preview, a licence text, a file
// derived from another, or a IIIF manifest: things that are served like files
// and are none of the object's.
func neverItem(uri string) bool {
	path, _ := pathAndQuery(uri)
	path = strings.ToLower(path)
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch name {
	case "license.txt", "licence.txt", "license_rdf", "license_text", "license_url": // DSpace
		return true
	case "indexcodes.txt": // EPrints
		return true
	case "manifest", "manifest.json":
		return strings.Contains(strings.ToLower(uri), "iiif")
	}
	return strings.Contains(path, "/thumbnail") || strings.Contains(path, "/getthumbnail") ||
		strings.Contains(path, "thumbnailversion/") || isDerived(name)
}

// isDerived recognises the names under which DSpace keeps the text and a
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
