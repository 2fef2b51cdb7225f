package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fingerpost/bridge"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh/outbound"
	"fingerpost/server"
)

func explainCommand(a *app) *cobra.Command {
	var document string
	c := &cobra.Command{
		Use:   "explain IDENTIFIER|DOI|URL",
		Short: "Explain where the links of an object come from, or the values of one of its documents, and why others are left out",
		Example: `  fingerpost explain oai:repo.example.edu:1234
  fingerpost explain https://doi.org/10.5072/1234 --json
  fingerpost explain oai:repo.example.edu:1234 --document schema.jsonld`,
		Args: cobra.ExactArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			if document != "" {
				return explainDocument(ctx, a, s, args[0], document)
			}
			e, _, err := explain(ctx, s, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.print(e)
			}
			return printExplanation(a.out, e)
		}),
	}
	c.Flags().StringVar(&document, "document", "", "explain the values of a document made of the records, such as schema.jsonld")
	return c
}

// explain finds an object and explains its links.
func explain(ctx context.Context, s *session, name string) (bridge.Explanation, store.Object, error) {
	site, err := newSite(s, nil, nil)
	if err != nil {
		return bridge.Explanation{}, store.Object{}, err
	}
	repository, identifier, err := named(ctx, s, site, name)
	if err != nil {
		return bridge.Explanation{}, store.Object{}, err
	}
	kept, err := s.db.ByIdentifier(ctx, repository.ID, identifier)
	switch {
	case errors.Is(err, store.ErrNotFound): // it is only in quarantine
		kept = store.Object{Repository: repository.ID, Identifier: identifier, Key: store.KeyOf(identifier)}
	case err != nil:
		return bridge.Explanation{}, kept, fmt.Errorf("look up %s: %w", identifier, err)
	}
	return explainObject(ctx, s, site, repository, kept)
}

// explainObject maps the records of an object again and records each decision.
// The links are those that the next remap would publish; the object that is
// returned is what has them.
func explainObject(ctx context.Context, s *session, site *server.Server, repository config.Repository, kept store.Object) (bridge.Explanation, store.Object, error) {
	budget := budgetOf(repository)
	if kept.Deleted {
		return bridge.ExplainTombstone(kept.Identifier, kept.Object, budget), kept, nil
	}
	mapping, records, err := mappingOf(ctx, s, repository, kept.Identifier)
	if err != nil {
		return bridge.Explanation{}, kept, err
	}
	var trace bridge.Trace
	object, err := mapping.Map(kept.Identifier, records, &trace)
	var unmapped *bridge.NoLandingPageError
	if errors.As(err, &unmapped) {
		e := bridge.Explain(kept.Identifier, bridge.Object{}, nil, trace, budget)
		e.Reason = unmapped.Reason
		if kept.ID != 0 {
			e.Reason += "; the links of its last version that had one are still published"
		}
		return e, kept, nil
	}
	if err != nil {
		return bridge.Explanation{}, kept, err
	}
	probes, err := s.db.Probes(ctx, repository.ID, object.Unproven())
	if err != nil {
		return bridge.Explanation{}, kept, err
	}
	kept.Object = mapping.Probed(kept.Identifier, object, probes, &trace)
	kept.Prefixes = prefixesOf(records)
	published := site.Published(ctx, kept)
	trace.Offer(published.Offered)
	trace.Make(published.Made)
	return bridge.Explain(kept.Identifier, kept.Object, published.Links, trace, budget), kept, nil
}

func prefixesOf(records []bridge.Record) (out []string) {
	for _, r := range records {
		if !bridge.IsEmpty(r.Metadata) {
			out = append(out, r.Prefix)
		}
	}
	return out
}

// named finds an object by OAI identifier, persistent identifier or URL, as the
// published documents do, or else a record without links by its identifier.
func named(ctx context.Context, s *session, site *server.Server, name string) (config.Repository, string, error) {
	object, err := site.Find(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return unpublished(ctx, s, name)
	}
	if err != nil {
		return config.Repository{}, "", fmt.Errorf("look up %s: %w", name, err)
	}
	r, _ := s.Repository(object.Repository) // it is configured: the site publishes it
	return r, object.Identifier, nil
}

// unpublished finds a record that is stored but has no links, or says why there
// is none.
func unpublished(ctx context.Context, s *session, name string) (none config.Repository, _ string, err error) {
	having, err := s.db.RepositoriesOf(ctx, name)
	if err != nil {
		return none, "", fmt.Errorf("look up %s: %w", name, err)
	}
	for _, id := range having[0] {
		if r, ok := s.Repository(id); ok {
			return r, name, nil
		}
	}
	uri := name
	if id, ok := identifier.Parse(name); ok && id.URI != "" {
		uri = id.URI
	}
	switch o, err := s.db.Find(ctx, uri); {
	case err == nil:
		return none, "", &usageError{fmt.Errorf("%q belongs to repository %s, which is no longer configured: put it back, or harvest what has taken its place", name, o.Repository)}
	case !errors.Is(err, store.ErrNotFound):
		return none, "", fmt.Errorf("look up %s: %w", name, err)
	}
	if err := whyQuarantined(ctx, s, name); err != nil {
		return none, "", err
	}
	return none, "", &usageError{fmt.Errorf("nothing that was harvested is known as %q: give an OAI identifier, a persistent identifier, or the URL of a landing page or file", name)}
}

// whyQuarantined returns why a record is in quarantine, or nil.
func whyQuarantined(ctx context.Context, s *session, identifier string) error {
	for r := range s.All() {
		for q, err := range s.db.Quarantined(ctx, r.ID) {
			if err != nil {
				return fmt.Errorf("read the quarantine of %s: %w", r.ID, err)
			}
			if q.Identifier == identifier {
				return &usageError{unread(q)}
			}
		}
	}
	return nil
}

// unread says why a record that could not be fetched is in quarantine. It has no
// bytes.
func unread(q store.Quarantined) error {
	if len(q.Bytes) == 0 {
		return fmt.Errorf("%s is in quarantine, and nothing of it was received (%s)", printable(q.Identifier), printable(q.Reason))
	}
	return fmt.Errorf("%s is in quarantine, since it cannot be read (%s): `fingerpost records raw` prints what was received", printable(q.Identifier), printable(q.Reason))
}

// mappingOf is the mapping of a repository, as the next harvest would use it,
// and the live records of one identifier.
func mappingOf(ctx context.Context, s *session, r config.Repository, identifier string) (bridge.Mapping, []bridge.Record, error) {
	kept, err := s.db.Repository(ctx, r.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return bridge.Mapping{}, nil, fmt.Errorf("read what is known of %s: %w", r.ID, err)
	}
	learned := kept.Mapping
	if len(r.Mapping.OwnPrefixes) > 0 {
		learned.OwnPrefixes, learned.PagePrefixes = r.Mapping.OwnPrefixes, nil
	}
	mapping, err := bridge.NewMapping(r.OAIURL, learned, mappingSettings(r))
	if err != nil {
		return mapping, nil, &configError{fmt.Errorf("mapping of repository %s: %w", r.ID, err)}
	}
	stored, err := s.db.Records(ctx, r.ID, identifier)
	if err != nil {
		return mapping, nil, fmt.Errorf("read the records of %s: %w", identifier, err)
	}
	var records []bridge.Record
	for _, h := range stored {
		if !h.Deleted {
			records = append(records, bridge.Record{Prefix: h.Prefix, Sets: h.Sets, Metadata: h.Metadata, Origin: h.Origin()})
		}
	}
	return mapping, records, nil
}

func printExplanation(out io.Writer, e bridge.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", e.Identifier)
	if e.Reason != "" {
		fmt.Fprintf(&b, "%s\n", printable(e.Reason))
	}
	if e.LandingPage == "" {
		b.WriteString("no landing page: no links\n")
	} else {
		fmt.Fprintf(&b, "landing page from %s, rule %s\n", printable(e.PageFrom), ruleWords(e.PageRule))
	}
	if e.PageAnswer != "" {
		fmt.Fprintf(&b, "where that leads is not known: its server %s\n", printable(e.PageAnswer))
	}
	anchor := ""
	for _, l := range e.Links {
		if l.Anchor != anchor {
			anchor = l.Anchor
			fmt.Fprintf(&b, "\n%s\n", anchor)
		}
		explainLink(&b, l)
	}
	if len(e.Rejected) > 0 {
		b.WriteString("\nnot linked\n")
	}
	for _, r := range e.Rejected {
		fmt.Fprintf(&b, "  %s\n  %-12s %s: %s", printable(r.Value), "", printable(r.From), printable(r.Reason))
		if r.Rule != "" {
			fmt.Fprintf(&b, " (rule %s)", ruleWords(r.Rule))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nheader       %d of %d bytes", e.Header.Bytes, e.Header.Budget)
	if len(e.Header.Dropped) > 0 {
		fmt.Fprintf(&b, "; only in the link set: %s", strings.Join(e.Header.Dropped, ", "))
	}
	b.WriteString("\n")
	_, err := out.Write([]byte(b.String()))
	return err
}

func explainLink(b *strings.Builder, l bridge.ExplainedLink) {
	fmt.Fprintf(b, "  %-12s %s", l.Rel, l.Href)
	if l.Type != "" {
		fmt.Fprintf(b, " (%s)", l.Type)
	}
	fmt.Fprintf(b, "\n  %-12s from %s, rule %s", "", printable(l.From), ruleWords(l.Rule))
	if l.Verdict != bridge.Linked {
		fmt.Fprintf(b, ": %s", l.Verdict)
	}
	if l.TypeRule != "" {
		fmt.Fprintf(b, "\n  %-12s media type from %s, rule %s", "", printable(l.TypeFrom), ruleWords(l.TypeRule))
	}
	if l.Answer != "" {
		fmt.Fprintf(b, "\n  %-12s its server %s", "", printable(l.Answer))
	}
	b.WriteString("\n")
}

// ruleWords puts "rule" before the name of a rule. The names of the
// administrator's rules begin with it already.
func ruleWords(name string) string { return strings.TrimPrefix(name, "rule ") }

// printable makes a value of metadata harmless on a terminal.
func printable(s string) string { return outbound.Printable(s, 200) }

// whole does not shorten: our own sentences have the remedy at the end.
const whole = 2000
