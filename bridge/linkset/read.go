package linkset

import (
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
)

// What a reader takes at most. A larger input is refused, or read so far, and
// never silently.
const (
	MaxHeader   = 1 << 20  // bytes of all Link field values of a response
	MaxDocument = 10 << 20 // bytes of a link set, or of a page up to the end of its head
	MaxLinks    = 100_000
)

// Where a header or a document does not have its form. FormError carries one
// of them, or one of the reasons of ValueError.
var (
	errTooLarge   = errors.New("is larger than is read")
	errTooMany    = fmt.Errorf("has more than %d links", MaxLinks)
	errSyntax     = errors.New("is not a link value: <target>; name=\"value\" (RFC 8288, 3)")
	errUnclosed   = errors.New("has an angle bracket or a quote that is never closed (RFC 8288, 3)")
	errComma      = errors.New("is not parted from the next link by a comma (RFC 8288, 3)")
	errNoRel      = errors.New("has no rel (RFC 8288, 3.3)")
	errRepeated   = errors.New("stands twice in a link (RFC 8288, 3.3 and 3.4.1)")
	errReference  = errors.New("is not a URI reference (RFC 3986, 4.1)")
	errNotASCII   = errors.New("has a character beyond ASCII (RFC 9264, 4.1)")
	errNoAnchor   = errors.New("has no anchor, so that its context is not known (FAIR Signposting, 1.4)")
	errNotJSON    = errors.New("is not JSON (RFC 8259)")
	errMark       = errors.New("begins with a byte order mark (RFC 8259, 8.1)")
	errSoleMember = errors.New("is not an object with linkset as its sole member (RFC 9264, 4.2.1)")
	errNotArray   = errors.New("is not an array (RFC 9264, 4.2)")
	errNotObject  = errors.New("is not an object (RFC 9264, 4.2)")
	errNotString  = errors.New("is not a string (RFC 9264, 4.2)")
	errNoValue    = errors.New("has no value (RFC 9264, 4.2.4)")
	errNoHref     = errors.New("has no href (RFC 9264, 4.2.3)")
	errTwice      = errors.New("stands twice where it may stand once (RFC 9264, 4.2.2)")
)

// FormError is one place at which an input does not have its form.
type FormError struct {
	Where  string // such as "link 3", or a JSON pointer (RFC 6901) into a link set
	Value  string // what stands there, shortened; "" if that says nothing
	Reason error
}

func (e *FormError) Error() string {
	if e.Value == "" {
		return e.Where + " " + e.Reason.Error()
	}
	return fmt.Sprintf("%s, %q, %v", e.Where, e.Value, e.Reason)
}

// Unwrap returns the reason.
func (e *FormError) Unwrap() error { return e.Reason }

// A reader gathers the links of an input, and its faults. What is read is
// kept as the input has it, but resolved: whether a link may be published is
// for Check to say.
type reader struct {
	base   *url.URL // nil if references must be absolute
	links  LinkSet
	faults []error
	more   int  // faults beyond those kept
	over   bool // more than MaxLinks were met
}

// newReader returns a reader that resolves references against base; "" is none.
func newReader(base string) (*reader, error) {
	if base == "" {
		return &reader{}, nil
	}
	u, err := url.Parse(base)
	if err != nil || !u.IsAbs() {
		return nil, fmt.Errorf("base %w", &ValueError{base, ErrRelative})
	}
	u.Fragment, u.RawFragment = "", ""
	return &reader{base: u}, nil
}

// result returns the links, and all faults joined by errors.Join.
func (r *reader) result() (LinkSet, error) {
	if r.more > 0 {
		r.faults = append(r.faults, fmt.Errorf("and %d more faults", r.more))
	}
	return r.links, errors.Join(r.faults...)
}

func (r *reader) fault(where, value string, reason error) {
	const most = 100 // a hostile input has millions
	bound := reason == errTooLarge || reason == errTooMany
	if len(r.faults) >= most && !bound {
		r.more++
		return
	}
	r.faults = append(r.faults, &FormError{Where: where, Value: clip(value), Reason: reason})
}

// full reports that no further link is taken, which is a fault.
func (r *reader) full() bool {
	if len(r.links) < MaxLinks {
		return false
	}
	if !r.over {
		r.over = true
		r.fault("the input", "", errTooMany)
	}
	return true
}

// resolve returns ref as an absolute URI. One that is absolute is kept byte
// for byte.
func (r *reader) resolve(ref string) (string, error) {
	return resolve(r.base, ref)
}

func resolve(base *url.URL, ref string) (string, error) {
	ref = strings.Trim(ref, space)
	switch {
	case schemeLen(ref) > 0:
		return ref, nil
	case base == nil:
		return "", ErrRelative
	}
	u, err := base.Parse(ref)
	if err != nil {
		return "", errReference
	}
	return u.String(), nil
}

// space is what separates values in headers, link sets and attributes.
const space = " \t\r\n\f"

// rels yields the types in the value of a rel. Registered names are compared
// without regard to case (RFC 8288, 2.1.1), URIs are kept as they are.
func rels(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range strings.FieldsFuncSeq(value, func(c rune) bool { return strings.ContainsRune(space, c) }) {
			if !yield(foldRel(name)) {
				return
			}
		}
	}
}

func foldRel(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return strings.ToLower(name)
}
