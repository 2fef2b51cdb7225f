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

// preferred returns the form that an Accept header asks for. If it asks for
// neither, or for both with the same weight, that is JSON: a client that does
// not name the media type is better served with it than with 406. RFC 9110,
// 12.5.1.
func preferred(accept string) form {
	json, _ := quality(accept, "application", "linkset+json")
	if q, specificity := quality(accept, "application", "json"); specificity == exact {
		json = max(json, q)
	}
	if text, _ := quality(accept, "application", "linkset"); text > json {
		return asText
	}
	return asJSON
}

// How specific a media range of an Accept header is.
const (
	none = iota
	anything
	anySubtype
	exact
)

// quality is the weight from 0 to 1 that an Accept header gives to a media
// type, by its most specific range, and how specific that is. The codings of
// an Accept-Encoding header have no subtype.
func quality(accept, kind, subtype string) (weight float64, specificity int) {
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		if m := match(strings.ToLower(strings.TrimSpace(name)), kind, subtype); m > specificity {
			weight, specificity = weightOf(parameters), m
		}
	}
	return weight, specificity
}

// match returns how specific a media range is that includes the type.
func match(name, kind, subtype string) int {
	full := kind
	if subtype != "" {
		full = kind + "/" + subtype
	}
	switch name {
	case full:
		return exact
	case kind + "/*":
		return anySubtype
	case "*/*", "*":
		return anything
	}
	return none
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
