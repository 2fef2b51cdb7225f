package bridge

// Evidence says what became of one value of the metadata, or what a link was
// made of.
type Evidence struct {
	Rel      string // the relation it led to; LandingPageEvidence for the anchor itself; "" if to none
	Value    string // what is linked, or the value that was rejected
	From     string // prefix of the format, and the element
	Rule     string // its name in the documentation, such as "L2"
	Rejected bool
	Reason   string // why it was rejected
}

// LandingPageEvidence is the Rel of what led to the anchor.
const LandingPageEvidence = "landing page"

// A Trace collects the evidence for one object. A nil Trace collects nothing
// and costs nothing.
type Trace struct {
	Evidence []Evidence

	spoken map[*statement]bool
}

// accept notes that a statement led to a link. st is nil where the value did
// not come from the metadata.
func (d *decision) accept(rel, value, rule string, st *statement) {
	if d.trace == nil {
		return
	}
	d.trace.add(Evidence{Rel: rel, Value: value, From: d.from(st), Rule: rule}, st)
}

// reject notes why a statement led to none.
func (d *decision) reject(rel, rule, reason string, st *statement) {
	if d.trace == nil || d.trace.spoken[st] {
		return
	}
	d.trace.add(Evidence{Rel: rel, Value: st.value, From: d.from(st), Rule: rule, Rejected: true, Reason: reason}, st)
}

func (t *Trace) add(e Evidence, st *statement) {
	t.Evidence = append(t.Evidence, e)
	if st == nil {
		return
	}
	if t.spoken == nil {
		t.spoken = map[*statement]bool{}
	}
	t.spoken[st] = true
}

// from says where a statement stands.
func (d *decision) from(st *statement) string {
	if st == nil {
		return "settings"
	}
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
	switch st.kind {
	case identifier, relation, source:
		if c != nil {
			return d.unusedCandidate(c)
		}
		return "not looked at: a rule or a missing landing page came first"
	case rights, licence:
		return "names no licence that is known by URI or by name and version"
	case typ:
		return "not a known type, or a less specific one than the type taken"
	case format:
		return "no file to pair it with"
	case creator:
		return "no persistent identifier of a person or an organisation"
	case date:
		return "only the year is kept"
	case related:
		return "said to be something else: " + st.scheme
	}
	return "another value of the same kind was taken"
}

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
	case NeverItem(c.raw):
		return "a preview, a licence text or a derived file, not a file of the object"
	}
	return "another page of the object was taken"
}
