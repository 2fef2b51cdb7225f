package bridge

import (
	"errors"
	"strings"
)

// licence returns the URI of the object's licence. What a format gives as a
// licence is believed first, then addresses among the words about rights, then
// the words: only a licence with its version is one. An address that a format
// gives as a licence is one though it is not known. A statement of
// rightsstatements.org tells what state the rights are in, so that it is linked
// where there is no licence.
func (d *decision) licence() string {
	if d.ruled.license != "" {
		return d.ruled.license
	}
	if uri := d.licenceBy("licence", isLicence, d.properLicenceIn); uri != "" {
		return uri
	}
	if uri := d.licenceOfFiles(); uri != "" {
		return uri
	}
	if uri := d.licenceBy("rights URI", isRightsURI, d.properLicenceIn); uri != "" {
		return uri
	}
	if uri := d.licenceBy("rights text", isRightsText, d.properLicenceIn); uri != "" {
		return uri
	}
	if uri := d.licenceBy("licence as stated", isLicence, licenceAsStated); uri != "" {
		return uri
	}
	return d.licenceBy("rights statement", isRightsStatement, d.licenceIn)
}

func isLicence(st *statement) bool    { return st.kind == licence }
func isRightsURI(st *statement) bool  { return st.kind == rights && strings.Contains(st.value, "://") }
func isRightsText(st *statement) bool { return st.kind == rights && !strings.Contains(st.value, "://") }

func isRightsStatement(st *statement) bool {
	return (st.kind == licence || st.kind == rights) && strings.Contains(st.value, "rightsstatements.org/")
}

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

// properLicenceIn is licenceIn without rights statements.
func (d *decision) properLicenceIn(value string) (string, bool) {
	uri, ok := d.licenceIn(value)
	return uri, ok && !strings.HasPrefix(uri, "http://rightsstatements.org/")
}

// licenceIn returns the licence, or the rights statement, that a value states.
func (d *decision) licenceIn(value string) (string, bool) {
	return d.known.licences.of(value, func(value string) (string, bool) {
		uri, err := licenceOf(value)
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
		of, ok := d.properLicenceIn(st.licence)
		if !ok || from != nil && of != uri {
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
	if _, err := licenceOf(value); !errors.Is(err, unknownLicence) {
		return "", false
	}
	a, ok := parseAddress(value)
	if !ok || isPlaceholder(a.host) || hostKey(a.host) == "creativecommons.org" {
		return "", false
	}
	return a.raw, true
}
