package bridge

import (
	"errors"
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/element"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// licensing decides on the object's licence.
type licensing struct{ *view }

// licence returns the URI of the object's licence. What a format gives as a
// licence is believed first, then addresses among the words about rights, then
// the words: only a licence with its version is one. An address that a format
// gives as a licence, or that says so itself, is one even if it is not in the
// table. A statement of rightsstatements.org says what state the rights are in,
// so that it is linked where there is no licence. Where one record states
// licences that differ there is none for the object; they are returned in their
// order, since they may be those of the files.
func (l licensing) licence() (uri string, several []statedLicence) {
	if l.ruled.license != "" {
		return l.ruled.license, nil
	}
	for _, tier := range [...]tier{
		{"licence", isLicence, licensing.proper},
		{rule: "licence of the files"},
		{"rights URI", isRightsURI, licensing.proper},
		{"rights text", isRightsText, licensing.proper},
		{"licence as stated", isLicence, licensing.asStated},
		{"licence as stated", isRightsURI, licensing.thatSaysSo},
	} {
		if tier.fits == nil {
			if uri = l.ofFiles(); uri != "" {
				return uri, nil
			}
			continue
		}
		uri, from := l.first(tier)
		if from == nil {
			continue
		}
		if several := l.stated(from.Doc); differ(several) {
			return "", several
		}
		l.notes.accept(relLicense, uri, tier.rule, from)
		return uri, nil
	}
	statement := tier{"rights statement", isRightsStatement, licensing.any}
	uri, from := l.first(statement)
	if from != nil {
		l.notes.accept(relLicense, uri, statement.rule, from)
	}
	return uri, nil
}

// tier is where a licence may stand, and how it is read there.
type tier struct {
	rule string
	fits func(*crosswalk.Statement) bool
	read func(l licensing, value string) (string, bool)
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

// first returns what is read in the first statement of a tier that gives any.
func (l licensing) first(t tier) (uri string, from *crosswalk.Statement) {
	for i := range l.statements.List {
		st := &l.statements.List[i]
		if !t.fits(st) {
			continue
		}
		if uri, ok := t.read(l, st.Value); ok {
			return uri, st
		}
	}
	return "", nil
}

// any returns the licence, or the rights statement, that a value states.
func (l licensing) any(value string) (string, bool) {
	uri, err := vocabulary.LicenceOf(value)
	return uri, err == nil
}

// proper returns the licence that a value states; rights statements are none.
func (l licensing) proper(value string) (string, bool) {
	if l.mapping.platform.LicenceIDs {
		if uri, ok := vocabulary.EPrintsLicence(value); ok {
			return uri, true
		}
	}
	uri, err := vocabulary.LicenceOf(value)
	return uri, err == nil && !strings.HasPrefix(uri, "http://rightsstatements.org/")
}

// statedLicence is a licence and the element that states it.
type statedLicence struct {
	uri  string
	from *crosswalk.Statement
}

// stated returns the licences of one record, one for each element.
func (l licensing) stated(doc uint8) []statedLicence {
	var out []statedLicence
	var last element.Element
	for i := range l.statements.List {
		st := &l.statements.List[i]
		if st.Doc != doc || st.Kind != crosswalk.Licence && st.Kind != crosswalk.Rights || st.At == last {
			continue
		}
		uri, ok := l.proper(st.Value)
		if !ok && st.Kind == crosswalk.Licence {
			uri, ok = l.asStated(st.Value)
		}
		if ok {
			out, last = append(out, statedLicence{uri, st}), st.At
		}
	}
	return out
}

// differ reports whether licences are not one. One that was ported to a
// jurisdiction is the same as the one that was not, in another detail.
func differ(licences []statedLicence) bool {
	return slices.ContainsFunc(licences, func(s statedLicence) bool {
		return !strings.HasPrefix(s.uri, licences[0].uri) && !strings.HasPrefix(licences[0].uri, s.uri)
	})
}

// rejectAll notes that licences which differ are linked nowhere.
func (l licensing) rejectAll(several []statedLicence) {
	for _, s := range several {
		l.notes.reject(relLicense, "licences by order", "another licence is stated too, and which of them is the object's is not said", s.from)
	}
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

// asStated returns the address of a house licence: the format says that
// it is a licence, and nothing says that it is not.
func (licensing) asStated(value string) (string, bool) {
	if _, err := vocabulary.LicenceOf(value); !errors.Is(err, vocabulary.ErrUnknownLicence) {
		return "", false
	}
	a, ok := uri.Parse(value)
	if !ok || isPlaceholder(a.Host) || uri.HostKey(a.Host) == "creativecommons.org" {
		return "", false
	}
	return a.URL, true
}

// thatSaysSo returns the address of a house licence among the words
// about rights: its host or its path says what it is.
func (l licensing) thatSaysSo(value string) (string, bool) {
	if !vocabulary.SaysLicence(value) {
		return "", false
	}
	return l.asStated(value)
}
