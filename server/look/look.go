// Package look is how the pages for people look: one style sheet, one script, and
// how numbers, times and strangers' texts are written.
package look

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Style is the style sheet.
//
//go:embed style.css
var Style string

//go:embed page.js
var script string

// Where every listener serves the style sheet and the script.
const (
	StylePath  = "/style.css"
	ScriptPath = "/page.js"
)

// Policy allows a page the style sheet, the script and the forms of its own host,
// and nothing else: no frame, nothing inline, no other host.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// ServeStyle answers with the style sheet.
func ServeStyle(w http.ResponseWriter) { serve(w, "text/css; charset=utf-8", Style) }

// ServeScript answers with the script, which no page needs to be read.
func ServeScript(w http.ResponseWriter) { serve(w, "text/javascript; charset=utf-8", script) }

func serve(w http.ResponseWriter, mediaType, body string) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = io.WriteString(w, body) // it fails only if the client has gone
}

// Funcs are for templates.
var Funcs = template.FuncMap{"text": Text, "raw": Raw, "when": When, "time": Time, "stamp": stamp, "day": day, "number": Number, "share": Share}

// When is a time as a sentence has it.
func When(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04 UTC") }

// Time is a time as an element, which the script rewrites.
func Time(t time.Time) template.HTML {
	return template.HTML(`<time datetime="` + stamp(t) + `">` + When(t) + `</time>`)
}

// stamp is a time as the attribute datetime has it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func day(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// Number writes a number with commas.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Share is n of all in per cent. It is 100 % or 0 % only if it is exactly that.
func Share(n, all int) string {
	switch permille := n * 1000 / max(all, 1); {
	case n == 0:
		return "0 %"
	case n == all:
		return "100 %"
	case permille == 0:
		return "under 0.1 %"
	default:
		return fmt.Sprintf("%d.%d %%", permille/10, permille%10)
	}
}

// textLimit is how many bytes of a stranger's text a page shows.
const textLimit = 500

// Text makes a stranger's text safe to show: short, without characters that are
// invisible or change the direction of what follows.
func Text(s string) string { return Clip(s, textLimit) }

// Clip is Text that shows up to limit bytes.
func Clip(s string, limit int) string {
	end := min(len(s), limit)
	for end < len(s) && end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	out := Raw(strings.Map(oneLine, s[:end]))
	if end < len(s) {
		out += " …"
	}
	return out
}

// Raw is a stranger's text of several lines, whole, with such characters replaced.
func Raw(s string) string {
	return strings.Map(visible, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

func oneLine(r rune) rune {
	if r == '\n' || r == '\t' {
		return utf8.RuneError
	}
	return r
}

func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || unicode.IsGraphic(r):
		return r
	case r == 0xad || r == 0x200c || r == 0x200d: // within words: a place to break it, or how its letters join
		return r
	}
	return utf8.RuneError
}
