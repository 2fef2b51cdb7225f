package vocabulary

import (
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// MediaTypeByExtension returns the media type that the extension of a file's
// name tells: the last part of a URL's path, or of a query that names a file.
func MediaTypeByExtension(address string) (string, bool) {
	t, ok := mediaTypes().extensions[extension(address)]
	return t, ok
}

// extension returns the extension of the file that a URL names, in lower case
// without the full stop; "" if there is none.
func extension(address string) string {
	return extensionIn(pathAndQuery(address))
}

func extensionIn(path, query string) string {
	if e := nameExtension(path); e != "" && !isScript(e) {
		return e
	}
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		switch strings.ToLower(name) {
		case "file", "filename", "name", "fname", "path", "f", "attachment", "document":
			if e := nameExtension(uri.Decode(value)); e != "" {
				return e
			}
		case "title", "q", "query", "search": // of a page about a file, or about many
		default: // "lm.php?url=12/thesis.pdf"
			if e := nameExtension(uri.Decode(value)); e == "pdf" {
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

func pathAndQuery(address string) (path, query string) {
	address, _, _ = strings.Cut(address, "#")
	path, query, _ = strings.Cut(address, "?")
	if _, rest, ok := uri.Split(path); ok {
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
	if !text.IsAlphanumeric(e) {
		return ""
	}
	return e
}

// filePaths are parts of paths under which platforms serve files.
var filePaths = [...]string{
	"/bitstream/", "/bitstreams/", "/download/", "/downloads/", "/viewcontent.cgi", "/datastream/", "/ws/files/",
	"/ndownloader", "/file/", "/getfile", "/api/access/datafile/", "/smash/get/",
}

// IsFileURL reports whether a URL looks like that of a file: by the extension
// of its name, or by the way that platforms serve files.
func IsFileURL(address string) bool {
	host, rest, ok := uri.Split(address)
	if !ok {
		rest = address
	}
	return IsFileAt(host, rest)
}

// IsFileAt is IsFileURL for a host and what follows it.
func IsFileAt(host, rest string) bool {
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
