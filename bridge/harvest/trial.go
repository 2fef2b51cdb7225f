package harvest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fingerpost/oaipmh"
)

// recently is from when a survey asks for what has changed.
const recently = 30 * 24 * time.Hour

// trial tries what an incremental harvest will need, and says what did not
// work: the sets, a second page, and a list from a date on.
func (s *source) trial(ctx context.Context, prefix string) []string {
	out := s.unknownSets(ctx)
	switch err := secondPage(ctx, s.client, s.tried(prefix)); {
	case err != nil && s.followedWithCookies(ctx, prefix):
		out = append(out, "a list can be followed to its second page only with cookies, so set politeness.cookies")
	case err != nil:
		out = append(out, fmt.Sprintf("a list cannot be followed to its second page: %v", err))
	}
	switch ignored, err := s.datesIgnored(ctx, prefix); {
	case err != nil:
		out = append(out, fmt.Sprintf("a list cannot be asked for from a date on, so set politeness.full_only: %v", err))
	case ignored:
		out = append(out, "a list from a date on has older records in it, so set politeness.full_only")
	}
	return out
}

// unknownSets says which of the sets to harvest the repository does not have.
func (s *source) unknownSets(ctx context.Context) []string {
	if len(s.repository.Sets) == 0 {
		return nil
	}
	sets, err := s.client.ListSets(ctx)
	if err != nil {
		return []string{fmt.Sprintf("its sets cannot be listed: %v", err)}
	}
	var out []string
	for _, wanted := range s.repository.Sets {
		if !slices.ContainsFunc(sets, func(has oaipmh.Set) bool { return has.Spec == wanted }) {
			out = append(out, fmt.Sprintf("it lists no set %q: is it spelt as ListSets has it?", wanted))
		}
	}
	return out
}

// followedWithCookies tells whether a server binds a list to a session.
func (s *source) followedWithCookies(ctx context.Context, prefix string) bool {
	o := s.repository.Client
	o.Cookies = true
	client, err := oaipmh.New(s.repository.OAIURL, o)
	if err != nil {
		return false
	}
	defer client.Close()
	return secondPage(ctx, client, s.tried(prefix)) == nil
}

// secondPage follows the first resumptionToken.
func secondPage(ctx context.Context, client *oaipmh.Client, list oaipmh.List) error {
	pages := 0
	for _, err := range client.ListIdentifiers(ctx, list) {
		if err != nil {
			return unlessEmpty(err)
		}
		if pages++; pages == 2 {
			break
		}
	}
	return nil
}

// datesIgnored tells whether a list from a date on has records from long
// before.
func (s *source) datesIgnored(ctx context.Context, prefix string) (bool, error) {
	request := s.tried(prefix)
	request.From = s.Clock.Now().Add(-recently)
	for page, err := range s.client.ListIdentifiers(ctx, request) {
		if err != nil {
			return false, unlessEmpty(err)
		}
		for _, r := range page.Records {
			if t, err := r.Time(); err == nil && t.Before(request.From.Add(-2*24*time.Hour)) {
				return true, nil
			}
		}
		break
	}
	return false, nil
}

func (s *source) tried(prefix string) oaipmh.List {
	l := oaipmh.List{Prefix: prefix, Granularity: s.granularity()}
	if len(s.repository.Sets) > 0 {
		l.Set = s.repository.Sets[0]
	}
	return l
}

// unlessEmpty is no error for a list without records.
func unlessEmpty(err error) error {
	var protocol *oaipmh.Error
	if errors.As(err, &protocol) && protocol.Code == oaipmh.NoRecordsMatch {
		return nil
	}
	return err
}
