package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/oaipmh/outbound"
)

// What check says about rights: the commonest statements among so many records.
const (
	rightsRecords    = 500
	rightsStatements = 5
)

// rights lists the commonest statements that led to no licence, each with the
// rule that would adopt it. It looks at what was harvested.
func (c *checking) rights(ctx context.Context) {
	ids, err := c.db.Sample(ctx, c.repository.ID, rightsRecords)
	if err != nil || len(ids) == 0 {
		return
	}
	counts, err := c.unlicensed(ctx, ids)
	if err != nil {
		c.say("licences", warning, "", "what the records say of rights could not be read: %v", err)
		return
	}
	most := func(a, b bridge.Rights) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Field, b.Field))
	}
	for i, r := range slices.SortedFunc(maps.Keys(counts), most) {
		if i == rightsStatements {
			break
		}
		c.say("licences", warning, "if it is a licence, add to mapping.rules: "+adopting(r),
			"%q %s; in %d of %d records, without another licence", outbound.Printable(r.Value, longStatement), r.Reason, counts[r], len(ids))
	}
}

// unlicensed counts the objects with each statement that led to no licence.
func (c *checking) unlicensed(ctx context.Context, ids []string) (map[bridge.Rights]int, error) {
	counts := map[bridge.Rights]int{}
	var mapper *bridge.Mapper
	for _, id := range ids {
		mapping, records, err := mappingOf(ctx, c.session, c.repository, id)
		if err != nil {
			return nil, err
		}
		if mapper == nil {
			mapper = mapping.Mapper()
		}
		rights, err := mapper.Unlicensed(id, records)
		if err != nil {
			continue // it has no links at all: sample says so
		}
		for _, r := range rights {
			counts[bridge.Rights{Field: r.Field, Value: strings.Clone(r.Value), Reason: r.Reason}]++
		}
	}
	return counts, nil
}

// adopting is the rule that makes a licence of a statement, as YAML has it on
// one line.
func adopting(r bridge.Rights) string {
	match := "^" + regexp.QuoteMeta(r.Value) + "$"
	if len(r.Value) > longStatement {
		match = "^" + regexp.QuoteMeta(strings.ToValidUTF8(r.Value[:longStatement], ""))
	}
	return fmt.Sprintf("{field: '%s', match: '%s', as: license, value: https://the-address-of-the-licence}",
		r.Field, strings.ReplaceAll(match, "'", "''"))
}

// longStatement is how much of a statement is written out, in bytes.
const longStatement = 80
