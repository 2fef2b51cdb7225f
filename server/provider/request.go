package provider

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// refusal is an error of the protocol. OAI-PMH 3.6. No part of a request is in
// its message.
type refusal struct {
	code    oaipmh.Code
	message string
}

// arguments are those of a request, each once. OAI-PMH 3.1.1.
type arguments map[string]string

// mostArguments is how many bytes of arguments are read.
const mostArguments = 64 << 10

// readArguments reads those of a GET request from its query, and those of a POST
// request from its body. OAI-PMH 3.1.1.
func readArguments(w http.ResponseWriter, r *http.Request) (arguments, *refusal) {
	if len(r.URL.RawQuery) > mostArguments {
		return nil, &refusal{oaipmh.BadArgument, "The arguments are too long."}
	}
	sent, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &refusal{oaipmh.BadArgument, "The query cannot be read: it must be URL-encoded."}
	}
	if r.Method == http.MethodPost {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
			return nil, &refusal{oaipmh.BadArgument, "The Content-Type of a POST request must be application/x-www-form-urlencoded."}
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostArguments)
		if err := r.ParseForm(); err != nil {
			return nil, &refusal{oaipmh.BadArgument, "The body cannot be read, or is too long: it must be URL-encoded."}
		}
		sent = r.Form
	}
	return once(sent)
}

// once takes each argument once.
func once(sent url.Values) (arguments, *refusal) {
	if len(sent["verb"]) != 1 {
		return nil, &refusal{oaipmh.BadVerb, "The argument verb is required, once."}
	}
	args := arguments{}
	for name, values := range sent {
		if len(values) > 1 {
			return nil, &refusal{oaipmh.BadArgument, "An argument is repeated."}
		}
		if !slices.Contains(oaipmh.Arguments[:], name) {
			return nil, &refusal{oaipmh.BadArgument, "There is an argument that OAI-PMH does not have."}
		}
		args[name] = values[0]
	}
	return args, nil
}

// check reports what is wrong with the arguments of a request by itself.
func (q *query) check() *refusal {
	verb, ok := oaipmh.Verbs[q.args["verb"]]
	if !ok {
		return &refusal{oaipmh.BadVerb, "There is no such verb."}
	}
	_, resumed := q.args["resumptionToken"]
	for name, value := range q.args {
		switch {
		case name == "verb":
		case !verb.Takes(name):
			return &refusal{oaipmh.BadArgument, "The verb does not take the argument " + name + "."}
		case resumed && name != "resumptionToken":
			return &refusal{oaipmh.BadArgument, "A resumptionToken stands alone."}
		case !forms[name](value):
			return &refusal{oaipmh.BadArgument, "The argument " + name + " is empty or malformed."}
		}
	}
	for _, name := range verb.Required {
		if _, ok := q.args[name]; !ok && !resumed {
			return &refusal{oaipmh.BadArgument, "The argument " + name + " is required."}
		}
	}
	return nil
}

// forms say what the arguments must look like, so that an answer can repeat them.
var forms = map[string]func(string) bool{
	"identifier":      isText,
	"metadataPrefix":  isPrefix,
	"from":            isDate,
	"until":           isDate,
	"set":             isSetSpec,
	"resumptionToken": isText,
}

// isPrefix reports whether s has the form of a metadataPrefix. A part of a setSpec
// has the same form. OAI-PMH.xsd, metadataPrefixType.
func isPrefix(s string) bool {
	for i := range len(s) {
		if !text.IsLetter(s[i]) && !text.IsDigit(s[i]) && strings.IndexByte("-_.!~*'()", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// isSetSpec reports whether s has the form of a setSpec. OAI-PMH.xsd, setSpecType.
func isSetSpec(s string) bool {
	for part := range strings.SplitSeq(s, ":") {
		if !isPrefix(part) {
			return false
		}
	}
	return true
}

// isText reports whether XML can have all characters of an argument.
func isText(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0xFFFE || r == 0xFFFF })
}

func isDate(s string) bool { _, _, ok := readDate(s); return ok }

// readDate returns the first second of a date, and the one after its last. OAI-PMH
// 3.3.
func readDate(s string) (start, end time.Time, ok bool) {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, t.AddDate(0, 0, 1), true
	}
	t, err := time.Parse("2006-01-02T15:04:05Z", s)
	return t, t.Add(time.Second), err == nil && len(s) == len("2006-01-02T15:04:05Z")
}
