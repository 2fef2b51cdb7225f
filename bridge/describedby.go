package bridge

import (
	_ "embed"
	"net/url"
	"strings"
	"sync"

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
		kind, ok := formatOf(f)
		if !ok {
			continue
		}
		if baseURL != "" {
			// It answers with an envelope, whatever is inside. OAI-PMH 3.1.2.1
			out = append(out, MetadataResource{oaipmh.GetRecordURL(baseURL, identifier, f.Prefix), "text/xml", kind.profile})
		}
		if own == nil {
			continue
		}
		if u := own(f.Prefix); u != "" {
			out = append(out, MetadataResource{u, kind.mediaType, kind.profile})
		}
	}
	return out
}

// Describes tells whether records in a format are documents that describe an
// object to others: MetadataResources leaves out those that do not.
func Describes(f oaipmh.MetadataFormat) bool {
	_, ok := formatOf(f)
	return ok
}

// metadataKind is what describedby says of a format.
type metadataKind struct {
	mediaType string // of a bare document; "": not to be advertised
	profile   string // "": none
}

// formatOf looks a format up by its namespace; its prefix is a repository's
// own choice. Only oai_dc is reserved. OAI-PMH 3.4.
func formatOf(f oaipmh.MetadataFormat) (kind metadataKind, ok bool) {
	namespace := strings.TrimSpace(f.Namespace)
	if namespace == "" && f.Prefix == "oai_dc" {
		namespace = oaiDC
	}
	kind, known := metadataKinds().find(namespace)
	switch {
	case known:
		return kind, kind.mediaType != ""
	case f.Prefix == "dataverse_json": // a link to JSON, inside XML, in no namespace
		return metadataKind{}, false
	}
	return metadataKind{"text/xml", profileURI(namespace)}, true
}

// profileURI returns namespace if it is an absolute URI, as a profile has to
// be. RFC 6906, 3.
func profileURI(namespace string) string {
	u, err := url.Parse(namespace)
	if err != nil || !u.IsAbs() || hasSpace(namespace) {
		return ""
	}
	return namespace
}

// metadataKindTable is tables/formats.tsv.
type metadataKindTable struct {
	whole  map[string]metadataKind
	begins []beginning
}

// beginning is a row for all namespaces that begin alike.
type beginning struct {
	prefix string
	kind   metadataKind
}

//go:embed tables/formats.tsv
var formatsTSV string

var metadataKinds = sync.OnceValue(func() metadataKindTable {
	t := metadataKindTable{whole: map[string]metadataKind{}}
	for _, row := range rows(formatsTSV) {
		kind := metadataKind{row[1], row[2]}
		if row[1] == "-" {
			kind = metadataKind{}
		}
		if prefix, ok := strings.CutSuffix(row[0], "*"); ok {
			t.begins = append(t.begins, beginning{prefix, kind})
		} else {
			t.whole[row[0]] = kind
		}
	}
	return t
})

func (t metadataKindTable) find(namespace string) (metadataKind, bool) {
	kind, ok := t.whole[namespace]
	for i := 0; !ok && i < len(t.begins); i++ {
		if strings.HasPrefix(namespace, t.begins[i].prefix) {
			kind, ok = t.begins[i].kind, true
		}
	}
	if kind.profile == "=" {
		kind.profile = namespace
	}
	return kind, ok
}
