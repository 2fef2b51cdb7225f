package bridge

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge/element"
)

// kind is what a statement is about, in the metadata's own terms.
type kind uint8

const (
	// Dublin Core's: loose words, from which the decisions must find out
	// what is meant.
	identifier kind = iota // of the object, its page, its file, or its citation
	relation
	source
	rights
	typ
	format
	creator
	date
	// Those of formats that say what they mean.
	page    // the page for people
	pid     // the object's identifier
	file    // a file of the object
	licence // the licence, as a URI or a code
	related // something else, said to be
)

// statement is one value that the metadata states.
type statement struct {
	kind
	doc     uint8           // which of the records it stands in
	person  uint16          // of a creator: alike for all that is said of one person
	at      element.Element // where it stands
	attr    string          // the attribute of at that holds it; "" is its text
	value   string          // after clean-up
	scheme  string          // what the metadata calls it: "DOI", "ORCID", a vocabulary; of a file: its class
	media   string          // of a file: its media type as stated
	licence string          // of a file: its own licence as stated
}

// statements is what all records of an object say, best format first, each in
// document order.
type statements struct {
	list    []statement
	docs    []document
	doc     uint8
	person  uint16
	said    [related + 1]int  // how many of each kind
	parsers []*element.Parser // of the documents in hand
}

// mostOfKind bounds the statements of one kind, as maxItems does the files.
const mostOfKind = maxItems

// document is a record's metadata and how it was read.
type document struct {
	prefix    string
	namespace string
	root      element.Element
	known     bool // there is a crosswalk for it
}

// crosswalk reads the metadata of one format: what it says, and no more.
// It decides nothing.
type crosswalk struct {
	namespace string // of the root element; a prefix of it where versions share one
	read      func(s *statements, root element.Element)
}

// crosswalks are all formats that can be read. Where several formats answer
// the same question, the one that stands first here is believed.
var crosswalks = []crosswalk{
	{"http://www.rioxx.net/schema/v", readRIOXX},
	{"http://docs.rioxx.net/schema/v", readRIOXX},
	{"http://namespace.openaire.eu/schema/oaire/", readOpenAIRE},
	{"http://www.w3.org/2005/Atom", readORE},
	{"http://www.loc.gov/METS/", readMETS},
	{"http://www.lyncode.com/xoai", readXOAI},
	{"urn:mpeg:mpeg21:2002:02-DIDL-NS", readDIDL},
	{"https://irdb.nii.ac.jp/schema/jpcoar/", readJPCOAR},
	{"https://github.com/JPCOAR/schema/blob/master/", readJPCOAR},
	{"http://www.w3.org/1999/02/22-rdf-syntax-ns#", readDCAT},
	{kernel, readDataCite},
	{"http://schema.datacite.org/oai/oai-1.", readDataCiteEnvelope},
	{"http://schema.datacite.org/meta/kernel-", readDataCite},
	{"ddi:codebook:", readDDI},
	{"http://www.icpsr.umich.edu/DDI", readDDI},
	{"https://jats.nlm.nih.gov/ns/", readJATS},
	{jats, readJATS},
	{"http://dtd.nlm.nih.gov/", readJATS},
	{"http://www.loc.gov/mods/v3", readMODS},
	{"http://www.loc.gov/MARC21/slim", readMARC},
	{"http://www.isotc211.org/2005/gm", readISO19139}, // gmd and gmi
	{"http://gcmd.gsfc.nasa.gov/Aboutus/xml/dif/", readDIF},
	{"eml://ecoinformatics.org/eml-2", readEML},
	{"https://eml.ecoinformatics.org/eml-2", readEML},
	{csdgm, readFGDC},
	{"http://digital2.library.unt.edu/untl/", readUNTL},
	{"http://naca.central.cranfield.ac.uk/ethos-oai/2.0/", readQualifiedDC},
	{"http://purl.org/dc/terms/", readQualifiedDC},
	{"http://worldcat.org/xmlschemas/qdc-1.0/", readQualifiedDC},
	{"http://dspace.org/qualifieddc/", readQualifiedDC},
	{"http://dplava.lib.virginia.edu", readQualifiedDC},
	{"http://www.ndltd.org/standards/metadata/etdms/", readQualifiedDC},
	{oaiDC, readDublinCore},
}

// oaiDC is the namespace of the format that every repository has.
const oaiDC = "http://www.openarchives.org/OAI/2.0/oai_dc/"

// crosswalkOf returns the place of the crosswalk for a root element, by its
// namespace, never by its prefix.
func crosswalkOf(root element.Element) (int, bool) {
	space := root.Space()
	if space == oaiDC {
		return len(crosswalks) - 1, true
	}
	for i, c := range crosswalks {
		if strings.HasPrefix(space, c.namespace) {
			return i, true
		}
	}
	switch {
	case isDublinCore(root):
		return len(crosswalks) - 1, true
	case isDataCite(root):
		return placeOf(kernel), true
	case isFGDC(root):
		return placeOf(csdgm), true
	case isJATS(root):
		return placeOf(jats), true
	case root.Local() == "qualifieddc": // its namespace was left out
		return placeOf("http://dspace.org/qualifieddc/"), true
	}
	return len(crosswalks), false
}

func placeOf(namespace string) int {
	return slices.IndexFunc(crosswalks, func(c crosswalk) bool { return c.namespace == namespace })
}

// maxRecords is more formats than any repository offers for an object.
const maxRecords = 64

// parsed is a record on its way to being read.
type parsed struct {
	document
	walk     int // place of its crosswalk
	metadata []byte
}

// read adds what the records say. Their order does not matter.
func (s *statements) read(records []Record) error {
	if len(records) > maxRecords {
		return fmt.Errorf("%d records for one identifier are more than the %d that are read", len(records), maxRecords)
	}
	var few [2]parsed
	docs := few[:0]
	for i, r := range records {
		tree, err := s.parser(i).Parse(r.Metadata)
		if err != nil {
			return fmt.Errorf("metadata in %s: %w", r.Prefix, err)
		}
		root := tree.Root()
		walk, known := crosswalkOf(root)
		docs = append(docs, parsed{document{r.Prefix, root.Space(), root, known}, walk, r.Metadata})
	}
	if len(docs) > 1 {
		slices.SortFunc(docs, func(a, b parsed) int {
			return cmp.Or(cmp.Compare(a.walk, b.walk), cmp.Compare(a.prefix, b.prefix), bytes.Compare(a.metadata, b.metadata))
		})
	}
	for i, p := range docs {
		s.docs = append(s.docs, p.document)
		s.doc = uint8(i)
		if p.known {
			crosswalks[p.walk].read(s, p.root)
		}
	}
	return nil
}

// parser is that of the document with a number: several are read side by side.
func (s *statements) parser(i int) *element.Parser {
	for len(s.parsers) <= i {
		s.parsers = append(s.parsers, new(element.Parser))
	}
	return s.parsers[i]
}

// say adds a statement, whose value is a text or part of one, unless it is empty.
func (s *statements) say(st statement) {
	if !isCleanText(st.value) {
		st.value = cleanValue(st.value)
	}
	if st.value == "" || s.said[st.kind] == mostOfKind {
		return
	}
	s.said[st.kind]++
	st.doc, st.person = s.doc, s.person
	s.list = append(s.list, st)
}

// text adds the text of an element.
func (s *statements) text(k kind, e element.Element, scheme string) {
	s.say(statement{kind: k, at: e, value: e.Text(), scheme: scheme})
}

// attribute adds the value of an attribute.
func (s *statements) attribute(k kind, e element.Element, attr, scheme string) {
	s.say(statement{kind: k, at: e, attr: attr, value: e.Attr(attr), scheme: scheme})
}

// nextPerson begins what is said of another creator.
func (s *statements) nextPerson() {
	s.person++ // may wrap: only neighbours are compared
}

// formats names what was received, for messages.
func (s *statements) formats() string {
	var names []string
	for _, d := range s.docs {
		names = append(names, fmt.Sprintf("%s (%s)", d.prefix, cmp.Or(d.namespace, "no namespace")))
	}
	return strings.Join(names, ", ")
}

// readable reports whether any record could be read.
func (s *statements) readable() bool {
	return slices.ContainsFunc(s.docs, func(d document) bool { return d.known })
}
