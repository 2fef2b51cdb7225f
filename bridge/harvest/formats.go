package harvest

import (
	"strings"

	"fingerpost/oaipmh"
)

// oaiDC is the format that every repository must offer. OAI-PMH 2.5.
const oaiDC = "oai_dc"

// choose returns the prefixes to harvest: those wanted, or else oai_dc and the
// best DataCite format. It is a *NoFormatError if one that is wanted, or
// oai_dc, is not offered.
func choose(wanted []string, offered []oaipmh.MetadataFormat) ([]string, error) {
	if len(wanted) == 0 {
		wanted = defaults(offered)
	}
	if missing := without(wanted, offered); len(missing) > 0 {
		return nil, &NoFormatError{Wanted: missing, Offered: prefixes(offered)}
	}
	return wanted, nil
}

func defaults(offered []oaipmh.MetadataFormat) []string {
	out := []string{oaiDC}
	best, rank := "", 0
	for _, f := range offered {
		if r := dataCiteRank(f.Namespace); r > rank {
			best, rank = f.Prefix, r
		}
	}
	if best != "" {
		out = append(out, best)
	}
	return out
}

// dataCiteRank is higher for the DataCite kernel that says more, and 0 for
// what is no DataCite. The namespace decides, never the prefix: a repository
// calls either the bare kernel or the envelope oai_datacite.
func dataCiteRank(namespace string) int {
	switch {
	case strings.HasPrefix(namespace, "http://datacite.org/schema/kernel-4"):
		return 4
	case strings.HasPrefix(namespace, "http://schema.datacite.org/oai/oai-"):
		return 3
	case strings.HasPrefix(namespace, "http://datacite.org/schema/kernel-3"):
		return 2
	case strings.HasPrefix(namespace, "http://datacite.org/schema/kernel-"):
		return 1
	}
	return 0
}

func without(wanted []string, offered []oaipmh.MetadataFormat) []string {
	var missing []string
	for _, w := range wanted {
		if !offers(offered, w) {
			missing = append(missing, w)
		}
	}
	return missing
}

func offers(formats []oaipmh.MetadataFormat, prefix string) bool {
	for _, f := range formats {
		if f.Prefix == prefix {
			return true
		}
	}
	return false
}

func prefixes(formats []oaipmh.MetadataFormat) []string {
	out := make([]string, len(formats))
	for i, f := range formats {
		out[i] = f.Prefix
	}
	return out
}
