package bridge

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/element"
	"fingerpost/bridge/landingpage"
)

// Evidence says what became of one value of the metadata, or what a link was
// made of.
type Evidence struct {
	Rel      string // the relation it led to; LandingPageEvidence for the anchor itself; "" if to none
	Of       string // the file that it is said of; "" for the object
	Value    string // what is linked, or the value that was rejected
	From     string // prefix of the format, and the element
	Rule     string // its name in the documentation, such as "L2"
	Rejected bool
	Reason   string // why it was rejected
}

// The Rel of evidence for what is no link of its own.
const (
	LandingPageEvidence = "landing page" // the anchor
	MediaTypeEvidence   = "media type"   // the type attribute of an item
	AnswerEvidence      = "answer"       // what a server said when it was asked about an item or the landing page
)

// A Trace collects the evidence for one object. A nil Trace collects nothing
// and costs nothing.
type Trace struct {
	Evidence []Evidence

	spoken map[place]bool
}

// place is where a value stands.
type place struct {
	at   element.Element
	attr string
}

// Offer notes that documents are linked because the repository offers every
// record in their formats.
func (t *Trace) Offer(metadata []MetadataResource) {
	for _, m := range metadata {
		t.Evidence = append(t.Evidence, Evidence{Rel: relDescribedBy, Value: m.URL, From: "ListMetadataFormats", Rule: "the formats that are offered"})
	}
}

// Make notes that documents are linked because the records state enough for
// them.
func (t *Trace) Make(documents []MetadataResource) {
	for _, m := range documents {
		t.Evidence = append(t.Evidence, Evidence{Rel: relDescribedBy, Value: m.URL, From: "the records", Rule: "the documents that can be made"})
	}
}

func (t *Trace) add(e Evidence, st *crosswalk.Statement) {
	t.Evidence = append(t.Evidence, e)
	if t.spoken == nil {
		t.spoken = map[place]bool{}
	}
	t.spoken[place{st.At, st.Attr}] = true
}

// notes writes what the decisions found into a Trace, if there is one.
type notes struct {
	trace *Trace
	docs  []crosswalk.Document
}

// wanted reports whether there is a Trace.
func (n *notes) wanted() bool { return n.trace != nil }

// accept notes that a statement led to a link.
func (n *notes) accept(rel, value, rule string, st *crosswalk.Statement) {
	if n.trace == nil {
		return
	}
	n.trace.add(Evidence{Rel: rel, Value: value, From: n.from(st), Rule: rule}, st)
}

// acceptOf notes what a statement says of one file.
func (n *notes) acceptOf(file, rel, value, rule string, st *crosswalk.Statement) {
	if n.trace == nil {
		return
	}
	n.trace.add(Evidence{Rel: rel, Of: file, Value: value, From: n.from(st), Rule: rule}, st)
}

// acceptFrom notes that what is linked comes from elsewhere than the metadata.
func (n *notes) acceptFrom(from, rel, value, rule string) {
	n.append(Evidence{Rel: rel, Value: value, From: from, Rule: rule})
}

// append adds evidence that is from elsewhere than the metadata.
func (n *notes) append(e Evidence) {
	if n.trace != nil {
		n.trace.Evidence = append(n.trace.Evidence, e)
	}
}

// reject notes why a statement led to no link, unless it led to one already.
func (n *notes) reject(rel, rule, reason string, st *crosswalk.Statement) {
	if n.trace == nil || n.trace.spoken[place{st.At, st.Attr}] {
		return
	}
	n.trace.add(Evidence{Rel: rel, Value: st.Value, From: n.from(st), Rule: rule, Rejected: true, Reason: reason}, st)
}

// refuse is reject for a statement that seemed to lead to a link.
func (n *notes) refuse(rel, rule, reason string, st *crosswalk.Statement) {
	if n.trace != nil {
		n.append(Evidence{Rel: rel, Value: st.Value, From: n.from(st), Rule: rule, Rejected: true, Reason: reason})
	}
}

// onLandingPage is what stands before the place of what a landing page states.
const onLandingPage = "landing page "

// from says where a statement stands.
func (n *notes) from(st *crosswalk.Statement) string {
	path := st.At.Path()
	if st.Attr != "" {
		path += "/@" + st.Attr
	}
	if prefix := n.docs[st.Doc].Prefix; prefix != landingpage.Prefix {
		return prefix + " " + path
	}
	return onLandingPage + strings.ReplaceAll(path, "/", " ")
}
