package oaipmh

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"fingerpost/oaipmh/outbound"
)

// Code is the code of a protocol error. OAI-PMH 3.6.
type Code string

// The codes of OAI-PMH 2.0. Servers send others too.
const (
	BadArgument             Code = "badArgument"
	BadResumptionToken      Code = "badResumptionToken"
	BadVerb                 Code = "badVerb"
	CannotDisseminateFormat Code = "cannotDisseminateFormat"
	IDDoesNotExist          Code = "idDoesNotExist"
	NoRecordsMatch          Code = "noRecordsMatch"
	NoMetadataFormats       Code = "noMetadataFormats"
	NoSetHierarchy          Code = "noSetHierarchy"
)

// remedies say what to do about a protocol error. A code without one is not
// of the protocol.
var remedies = map[Code]string{
	BadArgument:             "check the set, the dates and the metadataPrefix asked for",
	BadResumptionToken:      "the list has to be started again",
	BadVerb:                 "check that the base URL is that of an OAI-PMH 2.0 interface",
	CannotDisseminateFormat: "ListMetadataFormats says which formats there are",
	IDDoesNotExist:          "the repository does not have the record",
	NoRecordsMatch:          "nothing has changed, or the set is unknown",
	NoMetadataFormats:       "the record exists in no format",
	NoSetHierarchy:          "harvest without sets",
}

// shown is a request's URL in a message: whole, unless a long token is in it.
func shown(url string) string {
	const limit = 400
	switch {
	case url == "":
		return "the request"
	case len(url) > limit:
		return url[:limit] + "…"
	}
	return url
}

// Error is an error of the protocol, sent by the repository. noRecordsMatch is
// one too; mostly it means success, as the caller can see.
type Error struct {
	Code    Code
	Message string
	URL     string // the request
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s was answered with the OAI-PMH error %q", shown(e.URL), clip(string(e.Code)))
	if e.Message != "" {
		s += fmt.Sprintf(" (%s)", clip(e.Message))
	}
	if remedy := remedies[e.Code]; remedy != "" {
		return s + ": " + remedy
	}
	return s + ", which is no code of the protocol: tell the repository's administrators"
}

// isStandard reports whether the code is one of the protocol's.
func (e *Error) isStandard() bool { return remedies[e.Code] != "" }

// usualAddresses are those of the OAI-PMH interfaces of the commonest
// platforms.
const usualAddresses = "usual addresses are /oai, /oai/request or /server/oai/request (DSpace), /cgi/oai2 (EPrints), /index.php/index/oai (OJS), /do/oai/ (Digital Commons) and /oai2d (Invenio) on the repository's host"

// StatusError is an HTTP status in place of an answer.
type StatusError struct {
	Code       int // the HTTP status
	URL        string
	Shield     string        // the bot check that answered; "" if none is seen
	RetryAfter time.Duration // 0 if the server named none
	UserAgent  string        // of the request
	New        bool          // the address has not answered OAI-PMH before
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s was answered with HTTP status %d %s", shown(e.URL), e.Code, http.StatusText(e.Code))
	switch {
	case e.Shield != "":
		base, _, _ := strings.Cut(e.URL, "?")
		return s + fmt.Sprintf(" by the bot check of %s: ask the repository's administrators to let through the User-Agent %q, all requests to %s, and HEAD and GET of landing pages by Signposting clients", e.Shield, clip(e.UserAgent), shown(base))
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusForbidden:
		return s + ": access is refused; check user name and password, or ask the repository's administrators to let this harvester in"
	case (e.Code == http.StatusNotFound || e.Code == http.StatusGone) && e.New:
		return s + ": check the base URL; " + usualAddresses
	case e.Code == http.StatusNotFound, e.Code == http.StatusGone:
		return s + ": check the base URL"
	case e.Code == http.StatusRequestEntityTooLarge:
		return s + ": the repository wants the list asked for in smaller periods"
	case e.Code == http.StatusRequestURITooLong, e.Code == http.StatusMethodNotAllowed:
		return s + ": try the setting that sends requests by POST"
	case e.Code/100 == 3:
		return s + ", which leads nowhere: check the base URL in a browser"
	case e.transient():
		return s + ": the server is overloaded or failing; try later, or tell the repository's administrators"
	}
	return s
}

// transient reports whether the same request may succeed later.
func (e *StatusError) transient() bool {
	switch e.Code {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly:
		return e.Shield == ""
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return e.Code >= 500 && e.Shield == ""
}

// NotOAIError is a response that is not an OAI-PMH answer.
type NotOAIError struct {
	URL string
	Got string // what came instead, in words
	New bool   // the address has not answered OAI-PMH before
}

func (e *NotOAIError) Error() string {
	s := fmt.Sprintf("%s was answered with %s instead of OAI-PMH: ", shown(e.URL), e.Got)
	if e.New {
		return s + "check the base URL in a browser (add ?verb=Identify); " + usualAddresses
	}
	return s + "the server is down for the moment or shows a bot check; look at the address in a browser, and try later"
}

// TruncatedError is an answer that ended before the document did.
type TruncatedError struct {
	URL   string
	Bytes int // that came
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("the answer to %s ends in the middle, after %d bytes: the server fails on this page; tell the repository's administrators", shown(e.URL), e.Bytes)
}

// TooLargeError is an answer beyond a bound.
type TooLargeError struct {
	URL   string
	What  string // "bytes", "records", "sets" or "bytes of resumptionToken"
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the answer to %s has more than %d %s: harvest smaller sets, or raise the limit if the repository is to be trusted", shown(e.URL), e.Limit, e.What)
}

// PauseError says that a host asked for a pause that is too long to wait for.
type PauseError struct {
	Host  string
	Until time.Time
}

func (e *PauseError) Error() string {
	return fmt.Sprintf("%s asked with Retry-After for a pause until %s", e.Host, e.Until.Local().Format("Mon 2 Jan 2006 15:04 MST"))
}

// LoopError is a list without an end: a resumptionToken came again, or too many
// pages in a row had no records.
type LoopError struct {
	URL   string
	Token string // the token that came again; "" if pages were empty
	Empty int    // pages without records in a row
}

func (e *LoopError) Error() string {
	if e.Token == "" {
		return fmt.Sprintf("%d pages in a row had a resumptionToken and no records, the last was %s: the repository's list does not end; tell its administrators", e.Empty, shown(e.URL))
	}
	return fmt.Sprintf("the answer to %s has the resumptionToken %q, which this list has had before: the repository's list is a circle; tell its administrators", shown(e.URL), clip(e.Token))
}

// UnreachableError is a request that got no answer.
type UnreachableError struct {
	URL string
	Err error
	// final: another request would end the same way.
	final  bool
	late   bool
	remedy string
}

// Timeout reports whether the answer did not come in time.
func (e *UnreachableError) Timeout() bool { return e.late }

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s cannot be reached (%s): %s", shown(e.URL), clip(inWords(e.Err)), e.remedy)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// inWords returns the cause of an error, without the system calls.
func inWords(err error) string {
	var name *net.DNSError
	var call *os.SyscallError
	switch {
	case errors.As(err, &name):
		return name.Err
	case errors.As(err, &call):
		return call.Err.Error()
	}
	return err.Error()
}

// unreachable explains why no answer came. If the caller's context has ended,
// its error is returned as it is.
func (w *wire) unreachable(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	e := &UnreachableError{URL: address, Err: err, remedy: "check the base URL, and that the server runs and lets this machine in"}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var name *net.DNSError
	var forbidden *outbound.ForbiddenError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.late = true
		e.Err = fmt.Errorf("no whole answer within %s", w.options.Timeout)
		e.remedy = "the server is slow; try later, or allow it more time"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		e.remedy = "this machine allows no more open files and connections; raise the limit (ulimit -n, or LimitNOFILE in systemd)"
	case errors.As(err, &certificate):
		e.final = true
		e.remedy = certificateRemedy(err, w.options.RootCAs != nil)
	case errors.As(err, &record):
		e.final = true
		e.remedy = "the server does not speak TLS on this port; try http:// or another port"
	case errors.As(err, &name) && name.IsNotFound:
		e.final = true
		e.remedy = "the name does not exist; check the base URL"
	case errors.As(err, &forbidden):
		e.final = true
		e.remedy = "give the address itself as the base URL if it is to be harvested"
	}
	return e
}

// certificateRemedy says what to do about a certificate that does not verify.
// ownCAs: certificates of authorities were configured.
func certificateRemedy(err error, ownCAs bool) string {
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		return "the certificate was issued for another host name; use that name in the base URL, or have the server's certificate issued for this one"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the server's certificate is not valid at this time; the repository's administrators have to renew it, unless the clock of this machine is wrong"
	case errors.As(err, &invalid):
		return "the server's certificate is faulty; tell the repository's administrators"
	case ownCAs:
		return "the server's certificate does not verify with the certificates in ca_file either; add the one of its authority there"
	}
	return "the server's certificate does not verify; put the certificate of its authority into a file and name it as ca_file"
}

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.{0,400}?)</title>`)

// describe names what came instead of OAI-PMH.
func describe(body []byte) string {
	head := body[:min(len(body), maxJunk)]
	text := strings.ToLower(string(head[:min(len(head), 1024)]))
	if strings.Contains(text, "<html") || strings.Contains(text, "<!doctype html") {
		if m := htmlTitle.FindSubmatch(head); m != nil {
			return fmt.Sprintf("an HTML page titled %q", clip(plainText(m[1])))
		}
		return "an HTML page"
	}
	l := lexer{b: head}
	if t, err := l.next(); err == nil && bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		return fmt.Sprintf("an XML document whose root is <%s>", clip(string(t.name(head))))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(head[:min(len(head), 200)])), "\n")
	return fmt.Sprintf("text that begins %q", clip(first))
}
