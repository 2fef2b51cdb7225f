package bridge

import (
	"errors"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// licensing decides on the object's licence.
type licensing struct{ *view }

// licence returns the URI of the object's licence. What a format gives as a
// licence is believed first, then addresses among the words about rights, then
// the words: only a licence with its version is one. An address that a format
// gives as a licence is one even if it is not in the table. A statement of
// rightsstatements.org says what state the rights are in, so that it is linked
// where there is no licence.
func (l licensing) licence() string {
	if l.ruled.license != "" {
		return l.ruled.license
	}
	if uri := l.by("licence", isLicence, l.proper); uri != "" {
		return uri
	}
	if uri := l.ofFiles(); uri != "" {
		return uri
	}
	if uri := l.by("rights URI", isRightsURI, l.proper); uri != "" {
		return uri
	}
	if uri := l.by("rights text", isRightsText, l.proper); uri != "" {
		return uri
	}
	if uri := l.by("licence as stated", isLicence, licenceAsStated); uri != "" {
		return uri
	}
	return l.by("rights statement", isRightsStatement, l.memos.licence)
}

func isLicence(st *crosswalk.Statement) bool { return st.Kind == crosswalk.Licence }

func isRightsURI(st *crosswalk.Statement) bool {
	return st.Kind == crosswalk.Rights && strings.Contains(st.Value, "://")
}

func isRightsText(st *crosswalk.Statement) bool {
	return st.Kind == crosswalk.Rights && !strings.Contains(st.Value, "://")
}

func isRightsStatement(st *crosswalk.Statement) bool {
	return (st.Kind == crosswalk.Licence || st.Kind == crosswalk.Rights) && strings.Contains(st.Value, "rightsstatements.org/")
}

// by returns what read finds in the first statement that fits.
func (l licensing) by(rule string, fits func(*crosswalk.Statement) bool, read func(string) (string, bool)) string {
	for i := range l.statements.List {
		st := &l.statements.List[i]
		if !fits(st) {
			continue
		}
		if uri, ok := read(st.Value); ok {
			l.notes.accept(relLicense, uri, rule, st)
			return uri
		}
	}
	return ""
}

// proper returns the licence that a value states; rights statements are none.
func (l licensing) proper(value string) (string, bool) {
	uri, ok := l.memos.licence(value)
	return uri, ok && !strings.HasPrefix(uri, "http://rightsstatements.org/")
}

// ofFiles returns the licence that a format gives for each file of the object,
// if it is the same for all: RIOXX 3 states it nowhere else.
func (l licensing) ofFiles() string {
	uri, from := "", (*crosswalk.Statement)(nil)
	for i := range l.statements.List {
		st := &l.statements.List[i]
		if st.Kind != crosswalk.File {
			continue
		}
		of, ok := l.proper(st.Licence)
		if !ok || from != nil && of != uri {
			return ""
		}
		if from == nil {
			uri, from = of, st
		}
	}
	if from != nil && l.notes.wanted() {
		l.notes.acceptFrom(l.notes.from(from), relLicense, uri, "licence of the files")
	}
	return uri
}

// licenceAsStated returns the address of a house licence: the format says that
// it is a licence, and nothing says that it is not.
func licenceAsStated(value string) (string, bool) {
	if _, err := vocabulary.LicenceOf(value); !errors.Is(err, vocabulary.ErrUnknownLicence) {
		return "", false
	}
	a, ok := uri.Parse(value)
	if !ok || isPlaceholder(a.Host) || uri.HostKey(a.Host) == "creativecommons.org" {
		return "", false
	}
	return a.URL, true
}
