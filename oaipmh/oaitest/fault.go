package oaitest

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fingerpost/oaipmh"
)

// Kind is a way in which a repository misbehaves.
type Kind string

// The kinds of faults.
const (
	Drop        Kind = "drop"        // the connection is cut in the middle of the body
	Trunc       Kind = "trunc"       // the body ends in the middle, with status 200
	Status503   Kind = "503"         // with Retry-After
	Status429   Kind = "429"         // with Retry-After
	Status500   Kind = "500"         // with an HTML page
	Status403   Kind = "403"         // from a bot check
	Status413   Kind = "413"         // the list is too long
	Expire      Kind = "expire"      // every resumptionToken given out so far is forgotten; acts on requests with one
	HTML        Kind = "html"        // an HTML page, with status 200
	EmptyBody   Kind = "emptybody"   // with status 200
	Ctrl        Kind = "ctrl"        // a control character in the first record
	Latin1      Kind = "latin1"      // Windows-1252 bytes in the first record
	Amp         Kind = "amp"         // a bare "&" and "&nbsp;" in the first record
	BadCharRef  Kind = "badcharref"  // "&#x1;" in the first record
	BOM         Kind = "bom"         // a byte order mark
	Lead        Kind = "lead"        // blank lines and a PHP notice before the document
	Trail       Kind = "trail"       // HTML after the document
	Loop        Kind = "loop"        // the token that comes is the one that was sent
	Empty       Kind = "empty"       // no records, but a token
	Dup         Kind = "dup"         // the first record comes twice
	NoHeader    Kind = "nohdr"       // the first record has no header
	NoToken     Kind = "notoken"     // the list ends here, before its time
	Unclosed    Kind = "unclosed"    // the same, and no empty token closes it
	Redirect    Kind = "redirect"    // to the same URL, once more
	GzipLiar    Kind = "gzipliar"    // Content-Encoding: gzip on a body that is not
	BadGzip     Kind = "badgzip"     // what begins like gzip and is not, where gzip is accepted
	Size        Kind = "size"        // a completeListSize that is wrong
	Slow        Kind = "slow"        // no answer before Wait is closed
	Unescaped   Kind = "unescaped"   // "<" that begins no tag in the first record
	BrokenTag   Kind = "brokentag"   // an element of the first record is not closed
	NoAnswer    Kind = "noanswer"    // the connection is cut before the answer
	BadToken    Kind = "badtoken"    // badResumptionToken, though the token is good; acts on requests with one
	NoneMatch   Kind = "nonematch"   // noRecordsMatch, whatever there is
	NoFormat    Kind = "noformat"    // cannotDisseminateFormat, though the format is offered
	NoRecord    Kind = "norecord"    // idDoesNotExist, though the record is there
	BadArgument Kind = "badargument" // whatever the arguments are
	AllFormats  Kind = "allformats"  // ListMetadataFormats does not look at the identifier
	ServerError Kind = "servererror" // an error code that OAI-PMH does not have
)

// A Fault is a misbehaviour on demand.
type Fault struct {
	Kind Kind
	Verb string // it acts on. Default: ListRecords and ListIdentifiers.
	Page int    // of the list, from 1. Default: every page.
	// Argument: it acts on requests that have this argument. Default: on all.
	Argument string
	// Prefix: it acts on requests for this format. Default: for any.
	Prefix string
	// Identifier: it acts on answers with this record. Default: on all.
	Identifier string
	Times      int             // it acts. Default: once; negative: always.
	RetryAfter string          // of 503 and 429. Default: "7"; "-": none.
	Wait       <-chan struct{} // of Slow.
}

// Inject adds faults. Of those that fit a request, the one added first acts.
func (r *Repository) Inject(faults ...Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range faults {
		if f.Times == 0 {
			f.Times = 1
		}
		r.faults = append(r.faults, &f)
	}
}

// Heal takes all faults away.
func (r *Repository) Heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
}

// strike picks the fault that acts on a request and lets it change the answer.
func (r *Repository) strike(form url.Values, a *answer) *Fault {
	for _, f := range r.faults {
		if f.Times == 0 || !r.fits(f, form, a) {
			continue
		}
		if f.Times > 0 {
			f.Times--
		}
		if f.Kind == Expire {
			r.generation++
		}
		if f.Kind == AllFormats {
			*a = r.listFormats("")
		}
		f.change(a, form.Get("resumptionToken"))
		return f
	}
	return nil
}

func (r *contents) fits(f *Fault, form url.Values, a *answer) bool {
	verb := form.Get("verb")
	if f.Verb != "" && f.Verb != verb || f.Verb == "" && verb != "ListRecords" && verb != "ListIdentifiers" {
		return false
	}
	if (f.Kind == Expire || f.Kind == BadToken) && !form.Has("resumptionToken") {
		return false
	}
	if f.Argument != "" && !form.Has(f.Argument) || f.Prefix != "" && form.Get("metadataPrefix") != f.Prefix {
		return false
	}
	number := 0
	if a.page != nil {
		number = a.page.start.number
	}
	if f.Page > 0 && number != f.Page {
		return false
	}
	if f.Identifier == "" {
		return true
	}
	if form.Get("identifier") == f.Identifier {
		return true
	}
	return a.page != nil && slices.ContainsFunc(a.page.records, func(i int) bool {
		return r.records.header(i).Identifier == f.Identifier
	})
}

// change makes the answer another one.
func (f *Fault) change(a *answer, token string) {
	switch f.Kind {
	case Expire, BadToken:
		*a = protocolError(oaipmh.BadResumptionToken, "the resumptionToken has expired")
	case NoneMatch:
		*a = protocolError(oaipmh.NoRecordsMatch, "no record matches")
	case NoFormat:
		*a = protocolError(oaipmh.CannotDisseminateFormat, "the format is not available")
	case NoRecord:
		*a = protocolError(oaipmh.IDDoesNotExist, "there is no such record")
	case BadArgument:
		*a = protocolError(oaipmh.BadArgument, "an argument is unknown")
	case ServerError:
		*a = protocolError("InternalException", "java.lang.NullPointerException")
	}
	p := a.page
	if p == nil {
		return
	}
	switch f.Kind {
	case Loop:
		p.more = true
		p.next = p.start
		if token == "" {
			p.next.at, p.next.number = 0, 1
		}
	case Empty:
		p.dropRecords = true
	case Dup:
		p.records = append(p.records[:1:1], p.records...)
	case NoHeader:
		p.withoutHeader = true
	case NoToken:
		p.more = false
	case Unclosed:
		p.more, p.unclosed = false, true
	case Size:
		p.size = p.size*10 + 7
	}
}

const htmlPage = `<!DOCTYPE html>
<html><head><title>Down for maintenance</title></head>
<body><p>We are back soon &copy; <br> Thank you.</body></html>
`

// before answers in place of the repository, or sets headers. It reports
// whether it has answered.
func (f *Fault) before(w http.ResponseWriter, req *http.Request) bool {
	status := 0
	switch f.Kind {
	case Status503, Status429:
		if f.RetryAfter != "-" {
			w.Header().Set("Retry-After", cmp.Or(f.RetryAfter, "7"))
		}
		status, _ = strconv.Atoi(string(f.Kind))
	case Status500, Status413:
		status, _ = strconv.Atoi(string(f.Kind))
	case Status403:
		w.Header().Set("Cf-Mitigated", "challenge")
		status = http.StatusForbidden
	case HTML:
		status = http.StatusOK
	case EmptyBody:
		return true
	case NoAnswer:
		panic(http.ErrAbortHandler)
	case Redirect:
		w.Header().Set("Location", req.URL.RequestURI())
		status = http.StatusFound
	case GzipLiar:
		w.Header().Set("Content-Encoding", "gzip")
	case BadGzip:
		if strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
			_, _ = w.Write([]byte("\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03 this is not deflate"))
			return true
		}
	case Slow:
		select {
		case <-f.Wait:
		case <-req.Context().Done():
			return true
		}
	}
	if status == 0 {
		return false
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(htmlPage))
	return true
}

// spoil changes the bytes of an answer.
func (f *Fault) spoil(b []byte) []byte {
	switch f.Kind {
	case Trunc:
		return b[:len(b)/2]
	case Ctrl:
		return intoTitle(b, "a\x0Bb\x1A")
	case Latin1:
		return intoTitle(b, "caf\xE9 \x96 ")
	case Amp:
		return intoTitle(b, "Mud & Sand&nbsp;")
	case BadCharRef:
		return intoTitle(b, "&#x1;&#xFFFE;")
	case Unescaped:
		return intoTitle(b, "p < 5 ")
	case BrokenTag:
		return intoTitle(b, "<br>")
	case BOM:
		return append([]byte("\xEF\xBB\xBF"), b...)
	case Lead:
		return append([]byte("\n\n<br />\n<b>Notice</b>:  Undefined index: set in <b>/var/www/oai.php</b><br />\n"), b...)
	case Trail:
		return append(b, "<div class=\"debug\">0.31 s<br></div>\n</body></html>\n"...)
	}
	return b
}

// intoTitle puts text into the first title of an answer.
func intoTitle(b []byte, text string) []byte {
	for _, title := range []string{"<dc:title>", "<title>"} {
		if before, after, ok := bytes.Cut(b, []byte(title)); ok {
			return slices.Concat(before, []byte(title), []byte(text), after)
		}
	}
	return b
}
