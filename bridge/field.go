package bridge

import (
	"fmt"
	"regexp"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/landingpage"
)

// field names elements of the metadata, or an attribute of theirs, for a rule:
//
//	identifier, dc:identifier         in any format; a prefix is for the reader
//	oai_datacite/alternateIdentifier  in the format with that metadataPrefix
//	alternateIdentifier@type          an attribute
//	didl:Component/didl:Resource/@ref as Evidence.From has it: below another
//	oai_dc dc:identifier[2]           with the format; the number is for the reader
//	landing page meta citation_doi    on the landing page
type field struct {
	prefix string // of the format; "": any
	first  string // a step of the path, or the prefix of the format; "": neither
	path   string // local names of elements, divided by "/"
	local  string // the last of them
	attr   string
}

var (
	stepNumber = regexp.MustCompile(`\[\d+\]`)
	namePrefix = regexp.MustCompile(`[^/@ ]*:`)
)

func parseField(text string) (field, error) {
	text = strings.TrimSpace(text)
	if path, ok := strings.CutPrefix(text, onLandingPage); ok {
		text = landingpage.Prefix + " " + strings.ReplaceAll(path, " ", "/")
	}
	prefix, path, found := strings.Cut(text, " ")
	if !found {
		prefix, path = "", prefix
	}
	f := field{prefix: prefix}
	hasPrefix := strings.Contains(path[:strings.IndexByte(path+"/", '/')], ":")
	path = namePrefix.ReplaceAllString(stepNumber.ReplaceAllString(strings.TrimSpace(path), ""), "")
	f.path, f.attr, _ = strings.Cut(path, "@")
	f.path = strings.Trim(f.path, "/")
	f.local = f.path[strings.LastIndexByte(f.path, '/')+1:]
	if first, rest, ok := strings.Cut(f.path, "/"); ok && !found && !hasPrefix {
		f.first, f.path = first, rest
	}
	if f.local == "" || strings.ContainsAny(f.path+f.attr, " ") {
		return f, fmt.Errorf("field %q names no element; write for example dc:identifier, as explain prints it", text)
	}
	return f, nil
}

// names reports whether the field is that of an element of a record in the
// format with a metadataPrefix.
func (f field) names(e element.Element, format string) bool {
	switch {
	case e.Local() != f.local || f.prefix != "" && f.prefix != format:
		return false
	case f.first == format:
		return f.isPath(e, f.path)
	case f.first != "":
		return f.isPath(e, f.first+"/"+f.path)
	}
	return f.isPath(e, f.path)
}

// isPath reports whether the way to an element ends with a path.
func (f field) isPath(e element.Element, path string) bool {
	if path == f.local {
		return true
	}
	way := namePrefix.ReplaceAllString(stepNumber.ReplaceAllString(e.Path(), ""), "")
	return strings.HasSuffix("/"+way, "/"+path)
}
