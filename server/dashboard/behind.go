package dashboard

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// The pages behind the numbers of a repository's page.

// linked are some of the objects with a link, or without it.
type linked struct {
	Repository
	Flag    string // of `fingerpost coverage`
	Column  string
	Objects []store.Object
	Later   string // where the list goes on; "" at its end
}

func (d *Dashboard) serveHaving(w http.ResponseWriter, r *http.Request, repository Repository) {
	d.serveLinked(w, r, repository, true)
}

func (d *Dashboard) serveLacking(w http.ResponseWriter, r *http.Request, repository Repository) {
	d.serveLinked(w, r, repository, false)
}

func (d *Dashboard) serveLinked(w http.ResponseWriter, r *http.Request, repository Repository, has bool) {
	l := linked{Repository: repository, Flag: "missing", Column: r.PathValue("link")}
	p := page{Title: repository.ID + ": objects without " + columnName(l.Column), Up: &repository}
	if has {
		l.Flag, p.Title = "having", repository.ID+": objects with "+columnName(l.Column)
	}
	if _, _, ok := bridge.LinkedBits(l.Column, has); !ok {
		d.refuse(w, http.StatusNotFound, "There is no such link.")
		return
	}
	var after store.Place
	_, _ = fmt.Sscanf(r.FormValue("after"), "%d.%d", &after.Page, &after.ID) // what is no place is the begin
	d.show(w, r, "linked", &p, func(ctx context.Context) (_ any, err error) {
		var next store.Place
		if l.Objects, next, err = d.store.Linked(ctx, repository.ID, l.Column, has, after, shown); next != (store.Place{}) {
			l.Later = fmt.Sprintf("?after=%d.%d", next.Page, next.ID)
		}
		return l, err
	})
}

// quarantine is a part of the quarantine of a repository.
type quarantine struct {
	Repository
	Groups []group // of the whole, on its first page
	Seen   int     // records that Groups were made from
	Some   []bad
	Later  string
}

// group has records in quarantine for the same reason.
type group struct {
	Reason string // of one of them
	Count  int
}

// bad is a record in quarantine.
type bad struct {
	store.Quarantined
	excerpt
	URL string // of the object's public page; "" if none is published
}

const (
	quarantineShown = 10
	// quarantineGrouped is of how many records reasons are counted, groupLimit how many
	// reasons are shown.
	quarantineGrouped = 1000
	groupLimit        = 20
)

func (d *Dashboard) serveQuarantine(w http.ResponseWriter, r *http.Request, repository Repository) {
	after, _ := strconv.ParseInt(r.FormValue("after"), 10, 64) // what is no number is the begin
	p := page{Title: repository.ID + ": quarantine", Up: &repository}
	d.show(w, r, "quarantine", &p, func(ctx context.Context) (any, error) { return d.quarantine(ctx, repository, max(after, 0)) })
}

func (d *Dashboard) quarantine(ctx context.Context, repository Repository, after int64) (q quarantine, err error) {
	q.Repository = repository
	found, next, err := d.store.QuarantinePage(ctx, repository.ID, after, quarantineShown)
	if err != nil || len(found) == 0 {
		return q, err
	}
	for _, one := range found {
		b := bad{Quarantined: one, excerpt: excerptOf(one.Bytes)}
		if b.URL, err = d.published(ctx, repository, one.Identifier); err != nil {
			return q, err
		}
		q.Some = append(q.Some, b)
	}
	more, _, err := d.store.QuarantinePage(ctx, repository.ID, next, 1)
	if len(more) > 0 {
		q.Later = fmt.Sprint("?after=", next)
	}
	if after > 0 || err != nil {
		return q, err
	}
	grouped, _, err := d.store.QuarantinePage(ctx, repository.ID, 0, quarantineGrouped)
	q.Groups, q.Seen = groupsOf(grouped), len(grouped)
	return q, err
}

// published is the public page of the object with an identifier; "" if there is
// none.
func (d *Dashboard) published(ctx context.Context, repository Repository, identifier string) (string, error) {
	o, err := d.store.ByIdentifier(ctx, repository.ID, identifier)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return repository.Page + o.Key, err
}

// particulars differ between records with the same problem: numbers and quoted
// text.
var particulars = regexp.MustCompile(`[0-9]+|"[^"]*"|'[^']*'`)

// groupsOf groups records by reason, the most frequent first.
func groupsOf(list []store.Quarantined) (out []group) {
	at := map[string]int{}
	for _, q := range list {
		key := particulars.ReplaceAllString(q.Reason, "#")
		i, met := at[key]
		if !met {
			i = len(out)
			at[key], out = i, append(out, group{Reason: q.Reason})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b group) int { return b.Count - a.Count })
	return out[:min(len(out), groupLimit)]
}

// How much of a record is looked through for the place where it stops being XML,
// and how much is shown before, at and after that place, in bytes.
const (
	excerptRead   = 64 << 10
	excerptBefore = 1000
	excerptBroken = 100
	excerptAfter  = 500
)

// excerpt is a part of a record as it was received.
type excerpt struct {
	Before, Broken, After string // it stops being XML within Broken; "" if it does not
	Line                  int    // of that place, from 1
	Size                  int    // of the record
}

func excerptOf(received []byte) excerpt {
	text := received[:min(len(received), excerptRead)]
	e := excerpt{Size: len(received)}
	from, to := brokenAt(text)
	if to < 0 || to == len(text) && len(text) < len(received) { // the end of a text that was cut says nothing
		e.Before = lines(text[:min(len(text), excerptBefore+excerptAfter)])
		return e
	}
	from = max(from, to-excerptBroken)
	e.Line = 1 + bytes.Count(text[:from], []byte("\n"))
	e.Before, e.After = lines(text[max(from-excerptBefore, 0):from]), lines(text[to:min(to+excerptAfter, len(text))])
	if e.Broken = lines(text[from:to]); strings.TrimSpace(e.Broken) == "" {
		e.Broken = "(here it ends)"
	}
	return e
}

// brokenAt is the part of a text, from the end of what is XML, in which it stops
// being XML; -1 if it does not.
func brokenAt(text []byte) (from, to int) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		from = to
		_, err := d.Token()
		to = int(d.InputOffset())
		switch {
		case errors.Is(err, io.EOF):
			return -1, -1
		case err != nil:
			return from, to
		}
	}
}

// lines makes a stranger's bytes safe to show.
func lines(text []byte) string { return look.Raw(strings.ReplaceAll(string(text), "\r", "")) }

// snippet is the configuration of a web server for a repository's pages.
type snippet struct {
	Repository
	Server, Text string
	Servers      []string
}

func (d *Dashboard) serveSnippet(w http.ResponseWriter, r *http.Request, repository Repository) {
	server := r.PathValue("server")
	if d.Snippet == nil || !slices.Contains(d.Servers, server) {
		d.refuse(w, http.StatusNotFound, "There is no configuration for this web server.")
		return
	}
	p := page{Title: repository.ID + ": links in " + server, Up: &repository}
	d.show(w, r, "snippet", &p, func(ctx context.Context) (any, error) {
		text, err := d.Snippet(ctx, repository.ID, server)
		return snippet{repository, server, text, d.Servers}, err
	})
}
