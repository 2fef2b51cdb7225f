package harvest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// oaiDC is the format that every repository must offer. OAI-PMH 2.5.
const oaiDC = "oai_dc"

// NoFormatError reports that a repository does not offer a requested format.
type NoFormatError struct {
	Wanted  []string
	Offered []string
}

func (e *NoFormatError) Error() string {
	if len(e.Offered) == 0 {
		return "the repository offers no metadata format at all: tell its administrators"
	}
	return fmt.Sprintf("the repository does not offer the format %s, but %s: name one of those under formats in the configuration",
		some(e.Wanted), some(e.Offered))
}

// some are as many names as fit in a sentence.
func some(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// choose returns the prefixes to harvest: those wanted, or else oai_dc and the
// best DataCite format. The error is a *NoFormatError.
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

// dataCiteRank is higher for newer versions of DataCite, and 0 for other formats.
// The namespace decides, not the prefix: repositories use oai_datacite both for
// the kernel and for its envelope.
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

// Limits of the search for a format that names files: most records have files, but
// not all.
const (
	triedFormats = 4
	triedRecords = 3
)

// selectFormats returns the prefixes to harvest: those configured, those
// found at an earlier time if all are still offered, or, the first time,
// oai_dc, the best DataCite format, and the one other format that names files
// best.
func selectFormats(ctx context.Context, client *oaipmh.Client, r Repository, kept store.Repository) ([]string, error) {
	wanted := r.Prefixes
	if len(wanted) == 0 && len(without(kept.Prefixes, kept.Formats)) == 0 {
		wanted = kept.Prefixes
	}
	if len(wanted) > 0 {
		return choose(wanted, kept.Formats)
	}
	chosen, err := choose(nil, kept.Formats)
	if err != nil {
		return nil, err
	}
	if f := fileFormat(ctx, client, r.sets()[0], kept.Formats); f != "" && !slices.Contains(chosen, f) {
		chosen = append(chosen, f)
	}
	return chosen, ctx.Err()
}

// fileFormat is the best format that names files in a record of the repository;
// "" if none does. Requests that fail are not repeated: the harvest does not depend
// on this format.
func fileFormat(ctx context.Context, client *oaipmh.Client, set string, offered []oaipmh.MetadataFormat) string {
	candidates := bridge.FileFormats(offered)
	if len(candidates) == 0 {
		return ""
	}
	ids := firstIdentifiers(ctx, client, set)
	for _, f := range candidates[:min(len(candidates), triedFormats)] {
		for _, id := range ids {
			if r, err := client.GetRecord(ctx, id, f.Prefix); err == nil && bridge.NamesFiles(r.Metadata) {
				return f.Prefix
			}
		}
	}
	return ""
}

// firstIdentifiers returns the identifiers of the first live records.
func firstIdentifiers(ctx context.Context, client *oaipmh.Client, set string) (out []string) {
	for page, err := range client.ListIdentifiers(ctx, oaipmh.List{Prefix: oaiDC, Set: set}) {
		if err != nil {
			return out
		}
		for _, r := range page.Records {
			if !r.Deleted && len(out) < triedRecords {
				out = append(out, r.Identifier)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}
