package landingpage

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// isHTML reports whether an answer is a page: what it is said to be, and what it
// begins with.
func isHTML(contentType string, body []byte) bool {
	begins := http.DetectContentType(body)
	said, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil || said == "":
		return strings.HasPrefix(begins, "text/html")
	case said != "text/html" && said != "application/xhtml+xml":
		return false
	}
	return strings.HasPrefix(begins, "text/")
}

// inUTF8 returns a page in UTF-8. What says the character set is, in this order:
// the byte order mark, the header, the page's meta element, the bytes. HTML, 13.2.3.2.
func inUTF8(body []byte, contentType string) []byte {
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	switch {
	case name == "utf-8":
		return bytes.TrimPrefix(body, []byte("\uFEFF"))
	case !certain && name == "windows-1252" && isUTF8(body): // only the beginning was looked at
		return body
	}
	out, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return out
}

// isUTF8 reports whether a text is UTF-8, but for a character that is cut off at
// its end.
func isUTF8(body []byte) bool {
	for i := 0; i < utf8.UTFMax && len(body) > 0; i++ {
		if utf8.Valid(body) {
			return true
		}
		body = body[:len(body)-1]
	}
	return utf8.Valid(body)
}
