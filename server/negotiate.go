package server

import (
	"strconv"
	"strings"
)

// form is one of the two serialisations of a link set. RFC 9264, 4.
type form int

const (
	asJSON form = iota
	asText
)

// preferred returns the form that an Accept header asks for. Where it asks
// for neither, or for both alike, that is JSON: a client that cannot name the
// media type is better served with one than with 406. RFC 9110, 12.5.1.
func preferred(accept string) form {
	json := max(quality(accept, "application", "linkset+json"), quality(accept, "application", "json"))
	if quality(accept, "application", "linkset") > json {
		return asText
	}
	return asJSON
}

// quality is the weight from 0 to 1 that an Accept header gives to a media
// type, by its most specific range; an Accept-Encoding header has no subtypes.
func quality(accept, kind, subtype string) float64 {
	weight, best := 0.0, -1
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		specificity := match(strings.ToLower(strings.TrimSpace(name)), kind, subtype)
		if specificity > best {
			weight, best = weightOf(parameters), specificity
		}
	}
	return weight
}

// match says how specific a range names the type; -1 if it does not.
func match(name, kind, subtype string) int {
	full := kind
	if subtype != "" {
		full = kind + "/" + subtype
	}
	switch name {
	case full:
		return 2
	case kind + "/*":
		return 1
	case "*/*", "*":
		return 0
	}
	return -1
}

func weightOf(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
