package verify

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// headerCheck examines the Link header of the page: its syntax, its size, and
// what confuses clients in use.
type headerCheck struct{ *check }

func (c headerCheck) examine() {
	values := c.got.header.Values("Link")
	_, err := linkset.ParseHeader(values, c.FinalURL)
	for _, fault := range formErrors(err) {
		c.add("FP-HEADER-FORM", "In the Link header, %v.", fault)
	}
	c.headerLinks()
	targets := map[string]bool{}
	for _, l := range signposts(c.Header) {
		targets[l.Href] = true
	}
	joined := 0
	for _, value := range values {
		written := targetsIn(value)
		joined = max(joined, len(written))
		c.headerTargets(written, targets)
		c.headerText(value)
	}
	if joined > 1 {
		c.add("FP-HEADER-JOINED", "One Link header has %d links.", joined)
	}
	c.size()
}

// headerLinks checks the links as they were read, except the characters of their
// targets.
func (c headerCheck) headerLinks() {
	for _, l := range c.Header {
		if l.Type != "" && !isMediaType(l.Type) {
			c.add("FP-HEADER-TYPE", "In the Link header, the type of the link to %s is %q, which is not a bare media type.", l.Href, l.Type)
		}
	}
	for _, l := range signposts(c.Header) {
		l.Type = ""
		if err := checkLink(l); err != nil && isURI(l.Href) {
			c.add("FP-HEADER-LINK", "In the Link header, the link to %s has an invalid value: %v.", l.Href, err)
		}
		if l.Anchor != c.FinalURL && !strings.Contains(l.Anchor, "#") && loosely(l.Anchor) == loosely(c.FinalURL) {
			c.add("FP-HEADER-ANCHOR", "In the Link header, the link to %s has the anchor %s, and this page is %s.", l.Href, l.Anchor, c.FinalURL)
		}
	}
}

// The places that clients differ in.
var (
	quoted               = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	cutInQuotes          = regexp.MustCompile(`(?i)\b(?:title|profile|anchor)[ \t]*=[ \t]*"(?:[^"\\,;]|\\.)*[,;]`)
	quotedOrAngled       = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|<[^<>]*>`)
	spaceBeforeSemicolon = regexp.MustCompile(`>[ \t]+;`)
	spaceBeforeComma     = regexp.MustCompile(`[ \t],[ \t]*<`)
)

// targetsIn are the targets of one Link header as they are written.
func targetsIn(value string) []string {
	var out []string
	for _, part := range quotedOrAngled.FindAllString(value, -1) {
		if part[0] == '<' {
			out = append(out, strings.Trim(part, "<> \t"))
		}
	}
	return out
}

// headerTargets checks the characters of targets. A relative one matters in
// Signposting links only, not in one to a style sheet.
func (c headerCheck) headerTargets(written []string, signposts map[string]bool) {
	for _, target := range written {
		absolute, err := linkset.URI(target)
		switch {
		case errors.Is(err, linkset.ErrRelative), errors.Is(err, linkset.ErrEmpty):
			if signposts[c.got.resolved(target)] {
				c.add("FP-HEADER-RELATIVE", "In the Link header, the target %q is not absolute.", target)
			}
		case err != nil:
			c.add("FP-HEADER-TARGET", "In the Link header, the target %v.", err)
		case absolute != target:
			c.add("FP-HEADER-TARGET", "In the Link header, the target %q has a character that is not allowed in a URI. It should be %s.", target, absolute)
		case strings.ContainsAny(target, ",;"):
			c.add("FP-HEADER-SEPARATOR", "In the Link header, the target %s has a comma or a semicolon.", target)
		}
	}
}

// headerText checks how one Link header is written.
func (c headerCheck) headerText(value string) {
	for _, cut := range cutInQuotes.FindAllString(value, -1) {
		c.add("FP-HEADER-QUOTED", "In the Link header, a quoted value has a comma or a semicolon: %s", outbound.Printable(cut, 60))
	}
	bare := quoted.ReplaceAllString(value, `""`)
	if spaceBeforeSemicolon.MatchString(bare) {
		c.add("FP-HEADER-SPACE-SEMICOLON", "In the Link header, there is white space before a semicolon: %s", outbound.Printable(value, 60))
	}
	if spaceBeforeComma.MatchString(bare) {
		c.add("FP-HEADER-SPACE-COMMA", "In the Link header, there is white space before a comma.")
	}
}

// size compares the header with what servers and clients accept by default.
func (c headerCheck) size() {
	total, lines := headerSize(c.got.header)
	links := 0
	header := c.got.header
	for _, name := range slices.Sorted(maps.Keys(header)) {
		longest := 0
		for _, value := range header[name] {
			longest = max(longest, len(name)+len(": ")+len(value))
			if name == "Link" {
				links += len("Link: \r\n") + len(value)
			}
		}
		switch {
		case longest > 65536:
			c.add("FP-HEADER-PYTHON-LINE", "A %s header has %d bytes.", name, longest)
		case longest > 8192:
			c.add("FP-HEADER-APACHE", "A %s header has %d bytes.", name, longest)
		}
	}
	if lines > 100 {
		c.add("FP-HEADER-PYTHON-COUNT", "The answer has %d headers.", lines)
	}
	code := ""
	switch {
	case total > 16384:
		code = "FP-HEADER-NODE"
	case total > 8192:
		code = "FP-HEADER-NGINX-8K"
	case total > 4096:
		code = "FP-HEADER-NGINX-4K"
	default:
		return
	}
	c.add(code, "All headers of the answer have %d bytes, %d of them in links.", total, links)
}

// headerSize is how many bytes and lines a header has in HTTP/1.1.
func headerSize(header http.Header) (bytes, lines int) {
	for name, values := range header {
		for _, value := range values {
			bytes += len(name) + len(": ") + len(value) + len("\r\n")
			lines++
		}
	}
	return bytes, lines
}
