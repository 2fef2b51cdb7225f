package harvest

import (
	"context"
	"slices"

	"fingerpost/bridge"
	"fingerpost/oaipmh"
)

// Of a repository's formats that may name files so many are tried, each with
// so many records: most records have files, but not every one.
const (
	triedFormats = 4
	triedRecords = 3
)

// selectFormats returns the prefixes to harvest: those configured, those
// found at an earlier time if all are still offered, or, the first time,
// oai_dc, the best DataCite format, and the one other format that names files
// best.
func (s *source) selectFormats(ctx context.Context) ([]string, error) {
	wanted := s.repository.Prefixes
	if len(wanted) == 0 && len(without(s.known.Prefixes, s.known.Formats)) == 0 {
		wanted = s.known.Prefixes
	}
	if len(wanted) > 0 {
		return choose(wanted, s.known.Formats)
	}
	chosen, err := choose(nil, s.known.Formats)
	if err != nil {
		return nil, err
	}
	if f := s.fileFormat(ctx); f != "" && !slices.Contains(chosen, f) {
		chosen = append(chosen, f)
	}
	return chosen, ctx.Err()
}

// keepFormats has later runs harvest the formats that were found. Those that
// were found before and are not offered today may be so again tomorrow: they
// are given up only for others.
func (s *source) keepFormats() {
	missing := without(s.known.Prefixes, s.known.Formats)
	if len(missing) == 0 || slices.ContainsFunc(s.prefixes, func(p string) bool { return !slices.Contains(s.known.Prefixes, p) }) {
		s.known.Prefixes = s.prefixes
		return
	}
	s.Log.Warn("harvest: formats that were harvested are not offered at the moment", "repository", s.repository.ID, "missing", missing)
}

// uses tells whether records of a format make the objects.
func (s *source) uses(prefix string) bool {
	return slices.Contains(s.prefixes, prefix) || len(s.repository.Prefixes) == 0 && slices.Contains(s.known.Prefixes, prefix)
}

// fileFormat is the best format that names files in a record of this very
// repository; "" if none does. What fails here is not asked for again: a
// format more or less is no reason not to harvest.
func (s *source) fileFormat(ctx context.Context) string {
	candidates := bridge.FileFormats(s.known.Formats)
	if len(candidates) == 0 {
		return ""
	}
	ids := s.someIdentifiers(ctx)
	for _, f := range candidates[:min(len(candidates), triedFormats)] {
		for _, id := range ids {
			if r, err := s.client.GetRecord(ctx, id, f.Prefix); err == nil && bridge.NamesFiles(r.Metadata) {
				return f.Prefix
			}
		}
	}
	return ""
}

// someIdentifiers are those of the first records that are not deleted.
func (s *source) someIdentifiers(ctx context.Context) []string {
	request := oaipmh.List{Prefix: oaiDC}
	if len(s.repository.Sets) > 0 {
		request.Set = s.repository.Sets[0]
	}
	var out []string
	for page, err := range s.client.ListIdentifiers(ctx, request) {
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
