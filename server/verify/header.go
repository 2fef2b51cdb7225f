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

// header checks the Link header of the page: its form, what clients in use
// stumble over, and its size.
func (c *check) header() {
	values := c.Landing.got.header.Values("Link")
	_, err := linkset.ParseHeader(values, c.FinalURL)
	for _, fault := range formErrors(err) {
		c.add("FP-HEADER-FORM", "In the Link header, %v.", fault)
	}
	for _, l := range c.Header {
		if bare, _ := linkset.MediaType(l.Type); l.Type != "" && !strings.EqualFold(bare, l.Type) {
			c.add("FP-HEADER-TYPE", "In the Link header, the type of the link to %s is %q, which is not a bare media type.", l.Href, l.Type)
		}
	}
	joined := 0
	for _, value := range values {
		c.headerTargets(value)
		for _, cut := range cutInQuotes.FindAllString(value, -1) {
			c.add("FP-HEADER-QUOTED", "In the Link header, a quoted value has a comma or a semicolon: %s", outbound.Printable(cut, 60))
		}
		bare := quoted.ReplaceAllString(value, `""`)
		if spaceBeforeSemicolon.MatchString(bare) {
			c.add("FP-HEADER-SPACE-SEMICOLON", "In the Link header, white space stands before a semicolon: %s", outbound.Printable(value, 60))
		}
		if spaceBeforeComma.MatchString(bare) {
			c.add("FP-HEADER-SPACE-COMMA", "In the Link header, white space stands before a comma.")
		}
		joined = max(joined, len(angled.FindAllString(bare, -1)))
	}
	if joined > 1 {
		c.add("FP-HEADER-JOINED", "One Link header has %d links.", joined)
	}
	c.size()
}

// The places that clients differ in.
var (
	quoted               = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	cutInQuotes          = regexp.MustCompile(`(?i)\b(?:title|profile|anchor)[ \t]*=[ \t]*"(?:[^"\\,;]|\\.)*[,;]`)
	angled               = regexp.MustCompile(`<[^<>]*>`)
	spaceBeforeSemicolon = regexp.MustCompile(`>[ \t]+;`)
	spaceBeforeComma     = regexp.MustCompile(`[ \t],[ \t]*<`)
)

// headerTargets checks the targets of one Link header as they are written.
func (c *check) headerTargets(value string) {
	for _, target := range angled.FindAllString(value, -1) {
		target = strings.Trim(target, "<> \t")
		absolute, err := linkset.URI(target)
		switch {
		case errors.Is(err, linkset.ErrRelative), errors.Is(err, linkset.ErrEmpty):
			c.add("FP-HEADER-RELATIVE", "In the Link header, the target %q is not absolute.", target)
		case err != nil:
			c.add("FP-HEADER-TARGET", "In the Link header, the target %v.", err)
		case absolute != target:
			c.add("FP-HEADER-TARGET", "In the Link header, the target %q has a character that no URI may have. It should be %s.", target, absolute)
		case strings.ContainsAny(target, ",;"):
			c.add("FP-HEADER-SEPARATOR", "In the Link header, the target %s has a comma or a semicolon.", target)
		}
	}
}

// size holds the header against what servers and clients take by default.
func (c *check) size() {
	total, lines := headerSize(c.Landing.got.header)
	links := 0
	header := c.Landing.got.header
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

// headerSize is what a header takes on the wire in HTTP/1.1, and its lines.
func headerSize(header http.Header) (bytes, lines int) {
	for name, values := range header {
		for _, value := range values {
			bytes += len(name) + len(": ") + len(value) + len("\r\n")
			lines++
		}
	}
	return bytes, lines
}
