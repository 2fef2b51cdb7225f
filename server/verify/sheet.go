package verify

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"time"

	"fingerpost/server/look"
)

//go:embed sheet.html
var sheetHTML string

// sheets encode all that servers sent.
var sheets = template.Must(template.New("").Funcs(look.Funcs).Parse(sheetHTML))

// A sheet is a page for people with reports.
type sheet struct {
	Version string
	Made    time.Time
	Reports []Report
	form    // of the page that is served
}

// WriteSheet writes reports as one HTML file. It has its style sheet in it, and
// asks no host for anything: it can be sent to others and read without a network.
func WriteSheet(w io.Writer, version string, made time.Time, reports []Report) error {
	return sheets.ExecuteTemplate(w, "file", struct {
		sheet
		Style  template.CSS
		Policy string
	}{sheet{Version: version, Made: made, Reports: reports}, template.CSS(look.Style), filePolicy()})
}

// filePolicy allows the file its own style sheet by its hash, and nothing else.
// Content Security Policy Level 3, 2.3.1.
func filePolicy() string {
	hash := sha256.Sum256([]byte(look.Style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; form-action 'none'; base-uri 'none'", base64.StdEncoding.EncodeToString(hash[:]))
}

// shownLinks is how many links of a page a sheet shows: a link set may have
// thousands.
const shownLinks = 200

// Shown are the links that a sheet shows.
func (r Report) Shown() []Found { return r.Links[:min(len(r.Links), shownLinks)] }

// Verdict is a sentence about the page.
func (r Report) Verdict() string {
	switch {
	case r.Unreachable:
		return "The page could not be examined."
	case r.Level2 && r.Level1:
		return "FAIR Signposting is reached at Level 1 and Level 2."
	case r.Level1:
		return "FAIR Signposting is reached at Level 1, not at Level 2."
	case r.Level2:
		return "FAIR Signposting is reached at Level 2, not at Level 1."
	}
	return "FAIR Signposting is not reached."
}

// Tone is the class of the report in the style sheet.
func (r Report) Tone() string {
	switch {
	case r.Unreachable || r.Failed():
		return "bad"
	case r.Level1 && r.Level2:
		return "good"
	}
	return "warn"
}
