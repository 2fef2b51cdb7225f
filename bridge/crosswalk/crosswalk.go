package crosswalk

import (
	"slices"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/landingpage"
)

// crosswalk reads the metadata of one format.
type crosswalk struct {
	namespace string // of the root element; a prefix of it where versions share one
	read      func(s *Statements, root element.Element)
}

// crosswalks are all formats that can be read. Where several formats answer the
// same question, the first one here is believed.
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
	{"http://doaj.org/features/oai_doaj/", readDOAJ},
	{"urn:nbn:de:1111-2004033116", readEpicur},
	{"http://naca.central.cranfield.ac.uk/ethos-oai/2.0/", readQualifiedDC},
	{"http://purl.org/dc/terms/", readQualifiedDC},
	{"http://worldcat.org/xmlschemas/qdc-1.0/", readQualifiedDC},
	{"http://dspace.org/qualifieddc/", readQualifiedDC},
	{"http://dplava.lib.virginia.edu", readQualifiedDC},
	{"http://www.ndltd.org/standards/metadata/etdms/", readQualifiedDC},
	{dcterms, readQualifiedDC},
	{OAIDC, readDublinCore},
	{landingpage.Namespace, readLandingPage},
}

// afterDublinCore is how many crosswalks stand behind that of oai_dc: what
// repositories offer goes before what their pages show.
const afterDublinCore = 1

// dcterms is the namespace of the root in which Omeka S puts Dublin Core's terms.
const dcterms = "http://www.openarchives.org/OAI/2.0/oai_dcterms/"

// OAIDC is the namespace of the format that every repository has.
const OAIDC = "http://www.openarchives.org/OAI/2.0/oai_dc/"

// crosswalkOf returns the place of the crosswalk for a root element, by its
// namespace, never by its prefix; len(crosswalks) if there is none.
func crosswalkOf(root element.Element) int {
	space := root.Space()
	if space == OAIDC {
		return dublinCore()
	}
	for i, c := range crosswalks {
		if strings.HasPrefix(space, c.namespace) {
			return i
		}
	}
	switch {
	case isDublinCore(root):
		return dublinCore()
	case isRIOXX(root):
		return 0
	case root.Local() == "dcterms": // in whatever namespace
		return placeOf(dcterms)
	case isDataCite(root):
		return placeOf(kernel)
	case isFGDC(root):
		return placeOf(csdgm)
	case isJATS(root):
		return placeOf(jats)
	case root.Local() == "qualifieddc": // its namespace was left out
		return placeOf("http://dspace.org/qualifieddc/")
	}
	return len(crosswalks)
}

// dublinCore is the place of oai_dc, which most records are in.
func dublinCore() int { return len(crosswalks) - 1 - afterDublinCore }

func placeOf(namespace string) int {
	return slices.IndexFunc(crosswalks, func(c crosswalk) bool { return c.namespace == namespace })
}
