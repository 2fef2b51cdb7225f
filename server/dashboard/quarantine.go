package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"fingerpost/bridge/store"
)

// Bounds of the quarantine page.
const (
	quarantineLimit = 10_000 // records of a repository that are read
	reasonLimit     = 1_000  // different reasons
	groupLimit      = 50     // groups shown
)

// quarantine is the quarantine of one repository.
type quarantine struct {
	summary
	Groups []*group
	Seen   int // records that Groups were made from
	Hidden int // groups that are not shown
}

// group has the records in quarantine for one reason.
type group struct {
	Reason     string // of the oldest
	Count      int
	Identifier string // of one of them; "" if none could be read
	Prefix     string // of the same
	Page       string // where it came from
	Since      time.Time
	Until      time.Time
}

// particulars differ between records with the same problem: numbers and quoted
// text.
var particulars = regexp.MustCompile(`[0-9]+|"[^"]*"|'[^']*'`)

// otherReasons groups what comes after reasonLimit.
const otherReasons = "other reasons"

// quarantine groups the quarantine by reason, the most frequent first.
func (d *Dashboard) quarantine(ctx context.Context, s summary) (quarantine, error) {
	w := quarantine{summary: s}
	groups := map[string]*group{}
	for q, err := range d.store.Quarantined(ctx, s.ID) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return w, fmt.Errorf("read the quarantine of %s: %w", s.ID, err)
		}
		if w.Seen == quarantineLimit {
			break
		}
		w.Seen++
		groupOf(groups, q).take(q)
	}
	w.Groups = slices.SortedFunc(maps.Values(groups), func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	if len(w.Groups) > groupLimit {
		w.Hidden = len(w.Groups) - groupLimit
		w.Groups = w.Groups[:groupLimit]
	}
	return w, nil
}

func groupOf(groups map[string]*group, q store.Quarantined) *group {
	key := particulars.ReplaceAllString(q.Reason, "#")
	reason := q.Reason
	if groups[key] == nil && len(groups) >= reasonLimit {
		key, reason = otherReasons, otherReasons
	}
	g := groups[key]
	if g == nil {
		g = &group{Reason: reason, Since: q.At}
		groups[key] = g
	}
	return g
}

func (g *group) take(q store.Quarantined) {
	g.Count++
	if q.At.Before(g.Since) {
		g.Since = q.At
	}
	if q.At.After(g.Until) {
		g.Until = q.At
	}
	if g.Identifier == "" {
		g.Identifier, g.Prefix, g.Page = q.Identifier, q.Prefix, q.Page
	}
}
