package dashboard

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// listeners is how many browsers may follow runs at a time.
	listeners = 50
	// beat is how often the store is read for all who follow a repository together.
	beat = time.Second
	// sign is how often a browser hears something although nothing is new.
	sign = 10 * time.Second
	// stuck is for how long a browser may take nothing in.
	stuck = 10 * time.Second
)

// events is what browsers are told that follow runs. HTML, Server-sent events.
type events struct {
	room chan struct{} // as many as listen
	over context.Context
	end  context.CancelFunc

	mu   sync.Mutex
	last map[string]told // by repository
}

// told is what was last read about a repository.
type told struct {
	at      time.Time
	moment  moment
	changed time.Time
}

func newEvents() *events {
	e := &events{room: make(chan struct{}, listeners), last: map[string]told{}}
	e.over, e.end = context.WithCancel(context.Background())
	return e
}

// serveEvents tells how far the newest run is, whenever that changes, until the
// browser or the program ends it.
func (d *Dashboard) serveEvents(w http.ResponseWriter, r *http.Request, repository Repository) {
	select {
	case d.events.room <- struct{}{}:
		defer func() { <-d.events.room }()
	default:
		d.refuse(w, http.StatusServiceUnavailable, "Too many browsers follow runs already.")
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(d.events.over, cancel)()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx passes events on as they come
	d.follow(ctx, w, repository.ID, r.FormValue("seen"))
}

// follow tells what is new to a page that has seen a run.
func (d *Dashboard) follow(ctx context.Context, w http.ResponseWriter, id, seen string) {
	control := http.NewResponseController(w)
	each := time.NewTicker(beat)
	defer each.Stop()
	var said string
	var at time.Time
	for ctx.Err() == nil {
		html, err := d.tell(ctx, id, seen)
		now := time.Now()
		switch {
		case err != nil: // the browser hears nothing, and says so
		case html != said:
			said, at = html, now
			err = send(control, w, "run", html)
		case now.Sub(at) >= sign:
			at = now
			err = send(control, w, "still", "")
		}
		if err != nil {
			return
		}
		select {
		case <-each.C:
		case <-ctx.Done():
		}
	}
}

// send sends an event.
func send(control *http.ResponseController, w http.ResponseWriter, name, data string) error {
	_ = control.SetWriteDeadline(time.Now().Add(stuck)) // where there is none, a test takes all in
	if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, strings.ReplaceAll(data, "\n", "\ndata: ")); err != nil {
		return err
	}
	return control.Flush()
}

// tell returns how far the newest run is as a part of a page that has seen a run.
func (d *Dashboard) tell(ctx context.Context, id, seen string) (string, error) {
	m, err := d.latest(ctx, id)
	if err != nil {
		return "", err
	}
	m.Behind = m.Seen() != seen
	var b bytes.Buffer
	err = pages.ExecuteTemplate(&b, "live", m)
	return strings.TrimSpace(b.String()), err
}

// latest returns how far the newest run is. However many ask, the store is read once
// in a beat.
func (d *Dashboard) latest(ctx context.Context, id string) (moment, error) {
	e := d.events
	e.mu.Lock()
	defer e.mu.Unlock()
	now := d.Now()
	last, met := e.last[id]
	if met && now.Sub(last.at) < beat {
		return last.moment, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := d.momentOf(ctx, id)
	if err != nil {
		return moment{}, err
	}
	if !met || m.Run != last.moment.Run {
		last.changed = now
	}
	m.Quiet = now.Sub(last.changed)
	last.at, last.moment = now, m
	if len(e.last) > 2*listeners {
		clear(e.last)
	}
	e.last[id] = last
	return m, nil
}
