package bridge

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/oaipmh"
)

// namesFiles are the formats that can say where an object's files are, those
// first that say it best. A namespace stands for all that begin with it.
var namesFiles = []string{
	"http://www.rioxx.net/schema/v3", "http://docs.rioxx.net/schema/v3",
	"http://namespace.openaire.eu/schema/oaire/",
	"http://www.w3.org/2005/Atom", // ORE, as DSpace writes it
	"http://www.loc.gov/METS/",
	"http://www.lyncode.com/xoai",
	"urn:mpeg:mpeg21:2002:02-DIDL-NS",
	"https://irdb.nii.ac.jp/schema/jpcoar/", "https://github.com/JPCOAR/schema/",
	"http://www.w3.org/ns/dcat", "https://www.w3.org/ns/dcat",
	"ddi:codebook:", "http://www.icpsr.umich.edu/DDI",
	"http://www.loc.gov/mods/v3",
	"http://www.loc.gov/MARC21/slim", "https://www.loc.gov/standards/marcxml",
	"http://www.rioxx.net/schema/v2",
	"eml://ecoinformatics.org/eml-2", "https://eml.ecoinformatics.org/eml-2",
	"http://naca.central.cranfield.ac.uk/ethos-oai/2.0/",
}

// FileFormats returns those of the formats that can name files, best first.
func FileFormats(offered []oaipmh.MetadataFormat) []oaipmh.MetadataFormat {
	var out []oaipmh.MetadataFormat
	for _, namespace := range namesFiles {
		for _, f := range offered {
			if strings.HasPrefix(f.Namespace, namespace) && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// NamesFiles reports whether a record's metadata says explicitly where a file
// of the object is. oai_dc, where one must guess, never does.
func NamesFiles(metadata []byte) bool {
	said, err := crosswalk.Read(metadata, crosswalk.Links)
	return err == nil && slices.ContainsFunc(said, func(st crosswalk.Statement) bool { return st.Kind == crosswalk.File })
}
