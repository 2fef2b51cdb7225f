package bridge

import "fingerpost/bridge/element"

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

// accept notes that a statement led to a link.
func (d *decision) accept(rel, value, rule string, st *statement) {
	if d.trace == nil {
		return
	}
	d.trace.add(Evidence{Rel: rel, Value: value, From: d.from(st), Rule: rule}, st)
}

// acceptOf notes what a statement says of one file.
func (d *decision) acceptOf(file, rel, value, rule string, st *statement) {
	if d.trace == nil {
		return
	}
	d.trace.add(Evidence{Rel: rel, Of: file, Value: value, From: d.from(st), Rule: rule}, st)
}

// acceptFrom notes that what is linked comes from elsewhere than the metadata.
func (d *decision) acceptFrom(from, rel, value, rule string) {
	if d.trace == nil {
		return
	}
	d.trace.Evidence = append(d.trace.Evidence, Evidence{Rel: rel, Value: value, From: from, Rule: rule})
}

// reject notes why a statement led to no link, unless it led to one already.
func (d *decision) reject(rel, rule, reason string, st *statement) {
	if d.trace == nil || d.trace.spoken[place{st.at, st.attr}] {
		return
	}
	d.trace.add(Evidence{Rel: rel, Value: st.value, From: d.from(st), Rule: rule, Rejected: true, Reason: reason}, st)
}

func (t *Trace) add(e Evidence, st *statement) {
	t.Evidence = append(t.Evidence, e)
	if t.spoken == nil {
		t.spoken = map[place]bool{}
	}
	t.spoken[place{st.at, st.attr}] = true
}

// from says where a statement stands.
func (d *decision) from(st *statement) string {
	path := st.at.Path()
	if st.attr != "" {
		path += "/@" + st.attr
	}
	return d.statements.docs[st.doc].prefix + " " + path
}

// account rejects, with the reason, every value that no decision spoke of.
func (d *decision) account() {
	if d.trace == nil {
		return
	}
	looked := map[*statement]*candidate{}
	for i := range d.candidates {
		looked[d.candidates[i].statement] = &d.candidates[i]
	}
	for i := range d.statements.list {
		st := &d.statements.list[i]
		d.reject("", "", d.unused(st, looked[st]), st)
	}
}

// unused says why a value led to no link.
func (d *decision) unused(st *statement, c *candidate) string {
	switch {
	case c != nil:
		return d.unusedCandidate(c)
	case st.kind == related:
		return "said to be something else: " + st.scheme
	case d.page.URL == "":
		return "not considered, since there is no landing page"
	}
	switch st.kind {
	case rights, licence:
		if _, err := licenceOf(st.value); err != nil {
			return err.Error()
		}
		return "a licence is stated before it"
	case typ:
		if _, ok := d.typeOf(st); ok {
			return "not more specific than the type taken"
		}
		return "not a known type"
	case format:
		if _, ok := mediaTypeOf(st.value); ok {
			return "not paired: there are not as many files as media types"
		}
		return "not a media type"
	case date:
		return "only the year is kept"
	}
	return "another value of the same kind was taken"
}

// unusedCandidate says why a loose value led to no link.
func (d *decision) unusedCandidate(c *candidate) string {
	switch {
	case c.refused != "":
		return c.refused
	case c.isID && !c.id.Persistent():
		return string(c.id.Scheme) + " is never what to cite"
	case c.isID && c.kind != identifier:
		return "an identifier of something related"
	case c.isID:
		return "an identifier that is not known to be the repository's own"
	case !c.isURL():
		return "neither a URL nor an identifier"
	case c.match == noMatch && !c.own:
		return "on another host, without the local part of the OAI identifier"
	case c.match == noMatch:
		return "without the local part of the OAI identifier"
	case c.match == partMatch && d.page.URL == "":
		return "only some of the local part of the OAI identifier is in it"
	case neverItem(c.raw):
		return "a preview, a licence text or a derived file, not a file of the object"
	case SameURL(c.raw, d.page.URL):
		return "the landing page once more"
	case d.mapping.platform.aggregator:
		return "a page of the aggregator"
	case !c.own:
		return "on another host, where the local part of the OAI identifier may be there by chance"
	}
	return "another page of the object"
}
