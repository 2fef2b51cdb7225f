package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// shown is how many repositories a page shows.
const shown = 50

// order is an order of the overview, named by the column that it sorts by.
type order struct {
	Name, Label string
	by          store.SourceSort
	descending  bool
}

// orders has the usual one first: trouble.
var orders = []order{
	{"trouble", "Trouble first", store.ByTrouble, true},
	{"name", "By name", store.ByRepository, false},
	{"objects", "Most objects", store.ByObjects, true},
	{"complete", "Longest not complete", store.ByComplete, false},
	{"next", "Next run", store.ByDue, false},
	{"quarantined", "Most in quarantine", store.ByQuarantined, true},
}

// neverRun is the state of a repository without a run.
const neverRun = "never run"

// failing chooses the repositories whose newest runs failed, whatever their state.
const failing = "failing"

// states are those that the overview chooses by, the worst first.
var states = []string{string(store.Failed), string(store.Incomplete), string(store.Interrupted), string(store.Running), neverRun, string(store.Complete)}

// view says which repositories the overview shows, and in which order. It is the
// query of its address.
type view struct {
	Match, State, Sort string
	Page               int // from 1
}

func viewOf(q url.Values) view {
	v := view{Match: look.Clip(strings.TrimSpace(q.Get("match")), 200), State: q.Get("state"), Sort: q.Get("sort")}
	v.Page, _ = strconv.Atoi(q.Get("page")) // what is no number is the first page
	v.Page = min(max(v.Page, 1), 1_000_000)
	if !slices.Contains(states, v.State) && v.State != failing {
		v.State = ""
	}
	if v.order().Name != v.Sort {
		v.Sort = ""
	}
	return v
}

func (v view) order() order {
	return orders[max(slices.IndexFunc(orders, func(o order) bool { return o.Name == v.Sort }), 0)]
}

func (v view) query() store.SourceQuery {
	q := store.SourceQuery{Match: v.Match, Sort: v.order().by, Descending: v.order().descending, Offset: (v.Page - 1) * shown, Limit: shown}
	switch v.State {
	case "":
	case failing:
		q.Failing = true
	case neverRun:
		q.States = []store.State{""}
	default:
		q.States = []store.State{store.State(v.State)}
	}
	return q
}

// URL is the address of the view.
func (v view) URL() string {
	q := url.Values{}
	for name, value := range map[string]string{"match": v.Match, "state": v.State, "sort": v.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if v.Page > 1 {
		q.Set("page", strconv.Itoa(v.Page))
	}
	if len(q) == 0 {
		return "/"
	}
	return "/?" + q.Encode()
}

// SortedBy is the address of the first page in another order.
func (v view) SortedBy(name string) string {
	v.Sort, v.Page = name, 1
	return v.URL()
}

// At is the address of another page.
func (v view) At(page int) string {
	v.Page = page
	return v.URL()
}

// overview is the table of repositories.
type overview struct {
	view
	Totals store.SourceTotals
	Rows   []row
	Of     int // rows on all pages
	States []string
	Orders []order
}

// head is the head of a column.
type head struct {
	Label, Path, Sorted string
	Number              bool
}

// Heads are those of the table; those by which it can be sorted are links.
func (o overview) Heads() (out []head) {
	for _, h := range []struct {
		label, sort string
		number      bool
	}{
		{"Repository", "name", false}, {"State", "trouble", false}, {"Objects", "objects", true},
		{"Last complete", "complete", false}, {"Next run", "next", false}, {"Quarantined", "quarantined", true},
	} {
		c := head{Label: h.label, Path: o.SortedBy(h.sort), Number: h.number}
		if by := o.order(); by.Name == h.sort {
			if c.Sorted = "ascending"; by.descending {
				c.Sorted = "descending"
			}
		}
		out = append(out, c)
	}
	return out
}

// Received is how many objects there would be with those in quarantine.
func (o overview) Received() int { return o.Totals.Objects + o.Totals.Quarantined }

// InState is how many repositories are in a state.
func (o overview) InState(state string) int {
	switch state {
	case failing:
		return o.Totals.Failing
	case neverRun:
		state = ""
	}
	return o.Totals.ByState[store.State(state)]
}

// Failures are the classes of failures, and how many repositories have each.
func (o overview) Failures() string {
	var numbers []int
	for _, class := range classes {
		numbers = append(numbers, o.Totals.ByClass[class])
	}
	return listed(numbers, []string{"refused", "gone", "broken", "slow", "for reasons of our own"})
}

func (o overview) From() int { return (o.Page-1)*shown + 1 }
func (o overview) To() int   { return o.From() + len(o.Rows) - 1 }

// Earlier and Later are the addresses of the pages before and after; "" if there
// is none.
func (o overview) Earlier() string {
	if o.Page <= 1 {
		return ""
	}
	return o.At(min(o.Page-1, max((o.Of+shown-1)/shown, 1)))
}

func (o overview) Later() string {
	if o.Page*shown >= o.Of {
		return ""
	}
	return o.At(o.Page + 1)
}

func (d *Dashboard) serveOverview(w http.ResponseWriter, r *http.Request) {
	d.show(w, r, "overview", &page{Title: "Repositories"}, func(ctx context.Context) (any, error) {
		o := overview{view: viewOf(r.URL.Query()), States: append(states[:len(states):len(states)], failing), Orders: orders}
		found, total, err := d.store.Sources(ctx, o.query())
		if err != nil {
			return nil, err
		}
		o.Of = total
		for _, source := range found {
			name, err := d.nameOf(ctx, source.Repository)
			if err != nil {
				return nil, err
			}
			o.Rows = append(o.Rows, row{source, name, d.Now()})
		}
		o.Totals, err = d.store.SourceTotals(ctx)
		return o, err
	})
}

// nameOf is the name of a repository for people, the configured one or its own.
func (d *Dashboard) nameOf(ctx context.Context, id string) (string, error) {
	if r, ok := d.Repository(id); ok && r.Name != "" {
		return r.Name, nil
	}
	brief, err := d.store.Brief(ctx, id)
	return brief.Name, err
}
