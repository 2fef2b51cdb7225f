package bridge

import (
	"net/url"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
	"fingerpost/bridge/vocabulary"
	"fingerpost/oaipmh"
)

// MetadataResources returns the documents that describe the object with that
// OAI identifier, of which formats says in which formats it is available. For
// each there is the repository's own answer to GetRecord, unless baseURL is
// "", and the gateway's unwrapped copy, whose URL own returns; without own, or
// if it returns "", there is none. Formats that describe nothing, or that only
// machinery understands, are left out.
func MetadataResources(baseURL, identifier string, formats []oaipmh.MetadataFormat, own func(prefix string) string) []MetadataResource {
	out := make([]MetadataResource, 0, 2*len(formats))
	for _, f := range formats {
		format, ok := formatOf(f)
		if !ok {
			continue
		}
		if baseURL != "" {
			// It answers with an envelope in any format. OAI-PMH 3.1.2.1
			out = append(out, MetadataResource{oaipmh.GetRecordURL(baseURL, identifier, f.Prefix), "text/xml", format.Profile})
		}
		if own == nil {
			continue
		}
		if u := own(f.Prefix); u != "" {
			out = append(out, MetadataResource{u, format.MediaType, format.Profile})
		}
	}
	return out
}

// Describes reports whether records in a format are documents that describe an
// object to others: MetadataResources leaves out those that do not.
func Describes(f oaipmh.MetadataFormat) bool {
	_, ok := formatOf(f)
	return ok
}

// formatOf looks a format up by its namespace; its prefix is a repository's
// own choice. Only oai_dc is reserved. OAI-PMH 3.4.
func formatOf(f oaipmh.MetadataFormat) (format vocabulary.MetadataFormat, ok bool) {
	namespace := strings.TrimSpace(f.Namespace)
	if namespace == "" && f.Prefix == "oai_dc" {
		namespace = crosswalk.OAIDC
	}
	format, found := vocabulary.MetadataFormatOf(namespace)
	switch {
	case found:
		return format, format.MediaType != ""
	case f.Prefix == "dataverse_json": // a link to JSON, inside XML, in no namespace
		return vocabulary.MetadataFormat{}, false
	}
	return vocabulary.MetadataFormat{MediaType: "text/xml", Profile: profileURI(namespace)}, true
}

// profileURI returns namespace if it is an absolute URI, as a profile has to
// be. RFC 6906, 3.
func profileURI(namespace string) string {
	u, err := url.Parse(namespace)
	if err != nil || !u.IsAbs() || text.HasSpace(namespace) {
		return ""
	}
	return namespace
}
