package oaipmh

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fingerpost/bridge/uri"
)

// arguments are those of a request, in order. OAI-PMH 3.1.1.
type arguments []argument

type argument struct {
	key, value string
	verbatim   bool // the value is sent as it is
}

// Verb says which arguments a verb requires, and which are optional. A
// resumptionToken stands alone. OAI-PMH 4.
type Verb struct{ Required, Optional []string }

// Takes reports whether a verb takes an argument.
func (v Verb) Takes(name string) bool {
	return name == "verb" || slices.Contains(v.Required, name) || slices.Contains(v.Optional, name)
}

// Verbs are the verbs of the protocol.
var Verbs = map[string]Verb{
	"Identify":            {},
	"ListMetadataFormats": {Optional: []string{"identifier"}},
	"ListSets":            {Optional: []string{"resumptionToken"}},
	"GetRecord":           {Required: []string{"identifier", "metadataPrefix"}},
	"ListIdentifiers":     {Required: []string{"metadataPrefix"}, Optional: []string{"from", "until", "set", "resumptionToken"}},
	"ListRecords":         {Required: []string{"metadataPrefix"}, Optional: []string{"from", "until", "set", "resumptionToken"}},
}

// Arguments are those of all verbs, in the order in which an answer repeats them.
var Arguments = [...]string{"verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"}

func (a arguments) get(key string) string {
	for _, arg := range a {
		if arg.key == key {
			return arg.value
		}
	}
	return ""
}

// with returns a with one more argument, unless it is empty.
func (a arguments) with(key, value string) arguments {
	if value == "" {
		return a
	}
	return append(slices.Clip(a), argument{key: key, value: value})
}

// query merges the arguments with the query that the base URL has already,
// such as page=oai, or the set that an address was given out with. That goes
// along where the verb takes it and nothing else is asked for; a
// resumptionToken is alone (OAI-PMH 3.5).
func (a arguments) query(base string) string {
	return string(a.appendQuery(make([]byte, 0, 256), base))
}

func (a arguments) appendQuery(b []byte, base string) []byte {
	from := len(b)
	for pair := range strings.SplitSeq(base, "&") {
		key, _, _ := strings.Cut(pair, "=")
		if pair != "" && !a.replaces(key) {
			b = append(append(b, '&'), pair...)
		}
	}
	for _, arg := range a {
		b = append(append(append(b, '&'), arg.key...), '=')
		b = arg.appendEscaped(b)
	}
	if from < len(b) { // the first "&"
		b = slices.Delete(b, from, from+1)
	}
	return b
}

func (a arguments) replaces(key string) bool {
	if !slices.Contains(Arguments[:], key) {
		return false
	}
	return a.get(key) != "" || a.get("resumptionToken") != "" || !Verbs[a.get("verb")].Takes(key)
}

func (a argument) appendEscaped(b []byte) []byte {
	if a.verbatim {
		return asItIs.Append(b, a.value)
	}
	return escaped.Append(b, a.value)
}

var (
	// escaped escapes a value once. OAI-PMH 3.1.1.3. A space is "%20": not every server
	// reads "+".
	escaped = uri.Encoder{Keep: uri.Bytes("-._~")}
	// asItIs escapes only what cannot stand in a request.
	asItIs = uri.Encoder{Keep: uri.Printable("#\"<>")}
)

// GetRecordURL is the address at which a repository gives one record in one
// format.
func GetRecordURL(baseURL, identifier, prefix string) string {
	return getRecord(identifier, prefix).url(baseURL)
}

// ReadGetRecordURL reads what GetRecordURL makes, with its arguments in any
// order. Those that are no arguments of the request belong to the base URL. A
// request in which one is missing or repeated is none. OAI-PMH 3.6, 4.1.
func ReadGetRecordURL(uri string) (baseURL, identifier, prefix string, ok bool) {
	uri, _, _ = strings.Cut(uri, "#")
	path, query, _ := strings.Cut(uri, "?")
	if !strings.Contains(query, "verb=GetRecord") {
		return "", "", "", false
	}
	var verb string
	var own []byte // arguments of the base URL
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		var argument *string
		switch key {
		case "verb":
			argument = &verb
		case "identifier":
			argument = &identifier
		case "metadataPrefix":
			argument = &prefix
		default:
			own = append(append(own, '&'), pair...)
			continue
		}
		value, err := url.QueryUnescape(value)
		if err != nil || value == "" || *argument != "" {
			return "", "", "", false
		}
		*argument = value
	}
	if len(own) > 0 {
		path += "?" + string(own[1:])
	}
	return path, identifier, prefix, verb == "GetRecord" && identifier != "" && prefix != ""
}

// IdentifyURL is the address at which a repository says what it is.
func IdentifyURL(baseURL string) string {
	return arguments{{key: "verb", value: "Identify"}}.url(baseURL)
}

func (a arguments) url(baseURL string) string {
	base, _, _ := strings.Cut(baseURL, "#")
	path, query, _ := strings.Cut(base, "?")
	b := append(make([]byte, 0, 512), path...)
	return string(a.appendQuery(append(b, '?'), query))
}

func getRecord(identifier, prefix string) arguments {
	return arguments{{key: "verb", value: "GetRecord"}, {key: "identifier", value: identifier}, {key: "metadataPrefix", value: prefix}}
}

// parseBase reads a base URL. Verb and arguments of a single request, pasted
// from a browser, are taken off.
func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, fmt.Errorf("%q is not a URL: give the address of the OAI-PMH interface, such as https://repository.example.edu/oai", clip(raw))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not an http or https URL: give the address of the OAI-PMH interface, such as https://repository.example.edu/oai", clip(raw))
	}
	u.Fragment = ""
	u.RawQuery = without(u.RawQuery, "verb", "identifier", "resumptionToken")
	return u, nil
}

// without returns a query without the arguments called keys.
func without(query string, keys ...string) string {
	var pairs []string
	for pair := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		if pair != "" && !slices.Contains(keys, key) {
			pairs = append(pairs, pair)
		}
	}
	return strings.Join(pairs, "&")
}
