package bridge

import (
	"errors"
	"strings"
)

// licence returns the URI of the object's licence. What a format gives as a
// licence is believed first, then addresses among the words about rights, then
// the words: only a licence with its version is one. An address that a format
// gives as a licence is one though it is not known.
func (d *decision) licence() string {
	if d.ruled.license != "" {
		return d.ruled.license
	}
	if uri := d.licenceBy("licence", isLicence, d.licenceIn); uri != "" {
		return uri
	}
	if uri := d.licenceOfFiles(); uri != "" {
		return uri
	}
	if uri := d.licenceBy("rights URI", isRightsURI, d.licenceIn); uri != "" {
		return uri
	}
	if uri := d.licenceBy("rights text", isRightsText, d.licenceIn); uri != "" {
		return uri
	}
	return d.licenceBy("licence as stated", isLicence, licenceAsStated)
}

func isLicence(st *statement) bool    { return st.kind == licence }
func isRightsURI(st *statement) bool  { return st.kind == rights && strings.Contains(st.value, "://") }
func isRightsText(st *statement) bool { return st.kind == rights && !strings.Contains(st.value, "://") }

func (d *decision) licenceBy(rule string, fits func(*statement) bool, read func(string) (string, bool)) string {
	for i := range d.statements.list {
		st := &d.statements.list[i]
		if !fits(st) {
			continue
		}
		if uri, ok := read(st.value); ok {
			d.accept(relLicense, uri, rule, st)
			return uri
		}
	}
	return ""
}

// licenceIn returns the licence that a value states.
func (d *decision) licenceIn(value string) (string, bool) {
	return d.known.licences.of(value, func(value string) (string, bool) {
		uri, err := License(value)
		return uri, err == nil
	})
}

// licenceOfFiles returns the licence that a format gives for each file of the
// object, if it is the same for all: RIOXX 3 states it nowhere else.
func (d *decision) licenceOfFiles() string {
	uri, from := "", (*statement)(nil)
	for i := range d.statements.list {
		st := &d.statements.list[i]
		if st.kind != file {
			continue
		}
		of, err := License(st.licence)
		if err != nil || from != nil && of != uri {
			return ""
		}
		if from == nil {
			uri, from = of, st
		}
	}
	if from != nil && d.trace != nil {
		d.acceptFrom(d.from(from), relLicense, uri, "licence of the files")
	}
	return uri
}

// licenceAsStated returns the address of a house licence: the format says that
// it is a licence, and nothing says that it is not.
func licenceAsStated(value string) (string, bool) {
	if _, err := License(value); !errors.Is(err, UnknownLicence) {
		return "", false
	}
	a, ok := parseAddress(value)
	if !ok || Placeholder(a.host) || hostKey(a.host) == "creativecommons.org" {
		return "", false
	}
	return a.raw, true
}
