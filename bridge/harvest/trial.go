package harvest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fingerpost/oaipmh"
)

// recently is how far back a survey asks for what has changed.
const recently = 30 * 24 * time.Hour

// trial tries what an incremental harvest will need.
type trial struct {
	client     *oaipmh.Client
	repository Repository
	list       oaipmh.List
	now        time.Time
}

// run returns what did not work: sets, a second page, a list from a date on.
func (t *trial) run(ctx context.Context) []string {
	out := t.unknownSets(ctx)
	switch err := secondPage(ctx, t.client, t.list); {
	case err != nil && t.followedWithCookies(ctx):
		out = append(out, "a list can be followed to its second page only with cookies, so set politeness.cookies")
	case err != nil:
		out = append(out, fmt.Sprintf("a list cannot be followed to its second page: %v", err))
	}
	switch ignored, err := t.datesIgnored(ctx); {
	case err != nil:
		out = append(out, fmt.Sprintf("a list cannot be asked for from a date on, so set politeness.full_only: %v", err))
	case ignored:
		out = append(out, "a list from a date on has older records in it, so set politeness.full_only")
	}
	return out
}

// unknownSets says which of the sets to harvest the repository does not have.
func (t *trial) unknownSets(ctx context.Context) []string {
	if len(t.repository.Sets) == 0 {
		return nil
	}
	sets, err := t.client.ListSets(ctx)
	if err != nil {
		return []string{fmt.Sprintf("its sets cannot be listed: %v", err)}
	}
	var out []string
	for _, wanted := range t.repository.Sets {
		if why := unknownSet(wanted, sets); why != "" {
			out = append(out, why)
		}
	}
	return out
}

// followedWithCookies reports whether a server binds a list to a session.
func (t *trial) followedWithCookies(ctx context.Context) bool {
	o := t.repository.Client
	o.Cookies = true
	client, err := oaipmh.New(t.repository.OAIURL, o)
	if err != nil {
		return false
	}
	defer client.Close()
	return secondPage(ctx, client, t.list) == nil
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

// datesIgnored reports whether a list from a date on has records from long
// before.
func (t *trial) datesIgnored(ctx context.Context) (bool, error) {
	request := t.list
	request.From = t.now.Add(-recently)
	for page, err := range t.client.ListIdentifiers(ctx, request) {
		if err != nil {
			return false, unlessEmpty(err)
		}
		for _, r := range page.Records {
			if stamp, err := r.Time(); err == nil && stamp.Before(request.From.Add(-2*24*time.Hour)) {
				return true, nil
			}
		}
		break
	}
	return false, nil
}

// unlessEmpty is no error for a list without records.
func unlessEmpty(err error) error {
	var protocol *oaipmh.Error
	if errors.As(err, &protocol) && protocol.Code == oaipmh.NoRecordsMatch {
		return nil
	}
	return err
}
