package vocabulary

import (
	"strings"
	"sync"
)

// MetadataFormat is what a link to a document in a metadata format says of it.
type MetadataFormat struct {
	MediaType string // of a bare document; "": it describes nothing to others
	Profile   string // "": none
}

// MetadataFormatOf looks a format up by its namespace.
func MetadataFormatOf(namespace string) (MetadataFormat, bool) {
	return metadataFormats().find(namespace)
}

// metadataFormatTable is tables/formats.tsv.
type metadataFormatTable struct {
	whole  map[string]MetadataFormat
	begins []beginning
}

// beginning is a row for all namespaces with the same beginning.
type beginning struct {
	prefix string
	format MetadataFormat
}

var metadataFormats = sync.OnceValue(func() metadataFormatTable {
	t := metadataFormatTable{whole: map[string]MetadataFormat{}}
	for _, row := range rows("formats") {
		format := MetadataFormat{row[1], row[2]}
		if row[1] == "-" {
			format = MetadataFormat{}
		}
		if prefix, ok := strings.CutSuffix(row[0], "*"); ok {
			t.begins = append(t.begins, beginning{prefix, format})
		} else {
			t.whole[row[0]] = format
		}
	}
	return t
})

func (t metadataFormatTable) find(namespace string) (MetadataFormat, bool) {
	format, ok := t.whole[namespace]
	for i := 0; !ok && i < len(t.begins); i++ {
		if strings.HasPrefix(namespace, t.begins[i].prefix) {
			format, ok = t.begins[i].format, true
		}
	}
	if format.Profile == "=" {
		format.Profile = namespace
	}
	return format, ok
}
