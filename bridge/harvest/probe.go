package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

const (
	// probesARun is how many requests about files a run may send. What is left
	// is for the next runs.
	probesARun = 2000
	// probeAge is how long an answer is good.
	probeAge = 90 * 24 * time.Hour
	// probeChunk is how many objects' answers are looked up at once.
	probeChunk = 100

	maxRedirects = 5
	longestURL   = 2048
	longestType  = 255
)

// probed puts objects right by what servers answered about their files when
// they were asked. Nobody is asked here.
func (s *source) probed(ctx context.Context, objects []store.Object) error {
	if !s.repository.Settings.Probe {
		return nil
	}
	probes, err := s.Store.Probes(ctx, s.repository.ID, unproven(objects))
	if err != nil {
		return err
	}
	for i := range objects {
		o := &objects[i]
		o.Object = s.mapping.Probed(o.Identifier, o.Object, probes, nil)
	}
	return nil
}

func unproven(objects []store.Object) []string {
	var out []string
	for _, o := range objects {
		if !o.Deleted {
			out = append(out, o.Unproven()...)
		}
	}
	return out
}

// prober asks servers about the files of objects, one request after the other.
type prober struct {
	*source
	begun int             // requests that went out before
	own   []string        // names of the repository's host
	shut  map[string]bool // hosts that refused, or could not answer: no more of them in this run
	ended bool            // nothing more is asked in this run
}

// probe asks about files for which there is no answer yet, or an old one.
// Whatever goes wrong, objects are then as their metadata says.
func (s *source) probe(ctx context.Context) {
	if !s.repository.Settings.Probe {
		return
	}
	p := &prober{source: s, begun: s.client.Requests(), shut: map[string]bool{}}
	p.own = append(p.own, hostOf(s.repository.OAIURL))
	for _, h := range s.repository.Settings.Hosts {
		p.own = append(p.own, strings.ToLower(h))
	}
	err := p.again(ctx)
	if err == nil {
		err = p.first(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("harvest: asking about files failed; they are as the metadata says", "repository", s.repository.ID, "error", err)
	}
	s.Log.Info("harvest: asked about files", "repository", s.repository.ID, "requests", s.client.Requests()-p.begun)
}

// again asks once more where the answer is old.
func (p *prober) again(ctx context.Context) error {
	old, err := p.Store.OldProbes(ctx, p.repository.ID, p.Clock.Now().Add(-probeAge), probesARun)
	if err != nil {
		return err
	}
	for _, o := range old {
		if err := p.keep(ctx, o.Identifier, p.ask(ctx, o.Identifier, o.Asked)); err != nil || p.done(ctx) {
			return err
		}
	}
	return nil
}

// first asks where there is no answer yet.
func (p *prober) first(ctx context.Context) error {
	var some []store.Object
	for o, err := range p.Store.Objects(ctx, p.repository.ID, 0) {
		if err != nil {
			return err
		}
		if some = append(some, o); len(some) < probeChunk {
			continue
		}
		if err := p.firstOf(ctx, some); err != nil || p.done(ctx) {
			return err
		}
		some = some[:0]
	}
	return p.firstOf(ctx, some)
}

func (p *prober) firstOf(ctx context.Context, objects []store.Object) error {
	urls := unproven(objects)
	if len(urls) == 0 {
		return nil
	}
	known, err := p.Store.Probes(ctx, p.repository.ID, urls)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if o.Deleted {
			continue
		}
		unasked := slices.DeleteFunc(o.Unproven(), func(u string) bool { _, ok := known[u]; return ok })
		fresh := p.ask(ctx, o.Identifier, unasked...)
		for _, f := range fresh {
			known[f.Asked] = f.Probe
		}
		// An answer may have come to another object that has the same file.
		if len(fresh) == 0 && reflect.DeepEqual(p.mapping.Probed(o.Identifier, o.Object, known, nil), o.Object) {
			continue
		}
		if err := p.keep(ctx, o.Identifier, fresh); err != nil {
			return err
		}
	}
	return nil
}

// done reports whether nothing more may be asked in this run.
func (p *prober) done(ctx context.Context) bool {
	return p.ended || ctx.Err() != nil || p.client.Requests()-p.begun >= probesARun
}

// keep saves answers together with the object as it is by them.
func (p *prober) keep(ctx context.Context, identifier string, fresh []store.Probe) error {
	ctx = context.WithoutCancel(ctx) // what was answered need not be asked again
	records, err := p.Store.Records(ctx, p.repository.ID, identifier)
	if err != nil {
		return err
	}
	page := store.Page{Probes: fresh}
	if o, err := makeObject(p.mapping.Mapper(), identifier, records); err == nil && !o.Deleted {
		probes, err := p.Store.Probes(ctx, p.repository.ID, o.Unproven())
		if err != nil {
			return err
		}
		for _, f := range fresh {
			probes[f.Asked] = f.Probe
		}
		o.Object = p.mapping.Probed(identifier, o.Object, probes, nil)
		page.Objects = []store.Object{o}
	}
	if err := p.Store.Save(ctx, p.repository.ID, page); err != nil {
		return fmt.Errorf("keep what was answered about %s: %w", identifier, err)
	}
	return nil
}

// ask returns the answers about those URLs that may be asked about now.
func (p *prober) ask(ctx context.Context, identifier string, urls ...string) []store.Probe {
	var out []store.Probe
	for _, u := range urls {
		if answer, ok := p.follow(ctx, u); ok {
			out = append(out, store.Probe{Asked: u, Identifier: identifier, At: p.Clock.Now(), Probe: answer})
		}
	}
	return out
}

// follow asks about a URL, then about where it leads. No answer is an answer
// too, so that the same question is not asked in every run; it is false where
// nobody was asked, or not to the end.
func (p *prober) follow(ctx context.Context, address string) (bridge.Probe, bool) {
	at := address
	for range maxRedirects + 1 {
		host := hostOf(at)
		switch {
		case p.done(ctx):
			return bridge.Probe{}, false
		case p.shut[host]:
			return bridge.Probe{URL: at}, at != address
		}
		head, err := p.client.Head(ctx, at)
		if ctx.Err() != nil {
			return bridge.Probe{}, false
		}
		p.judge(host, head.Status, err)
		if parked := (*oaipmh.ParkedError)(nil); errors.As(err, &parked) && head.Status == 0 {
			return bridge.Probe{}, false
		}
		next, ok := redirect(at, head)
		if !ok {
			said := head.Header.Get("Content-Type")
			return bridge.Probe{Status: head.Status, MediaType: said[:min(len(said), longestType)], URL: at}, true
		}
		at = next
	}
	return bridge.Probe{URL: at}, true
}

// judge leaves a host alone that wants it, or that is not well. If it is the
// repository's own, nothing more is asked at all.
func (p *prober) judge(host string, status int, err error) {
	if err == nil && status != http.StatusForbidden && status != http.StatusTooManyRequests && status < 500 {
		return
	}
	p.Log.Debug("harvest: a host is not asked about files any more in this run", "host", host, "status", status, "error", err)
	p.shut[host] = true
	p.ended = p.ended || slices.Contains(p.own, host)
}

// redirect is where an answer leads, if that is on the web.
func redirect(from string, head oaipmh.Head) (string, bool) {
	location := head.Header.Get("Location")
	if head.Status < 300 || head.Status > 399 || location == "" {
		return "", false
	}
	base, err := url.Parse(from)
	if err != nil {
		return "", false
	}
	next, err := base.Parse(location)
	if err != nil || next.Scheme != "http" && next.Scheme != "https" || next.Hostname() == "" {
		return "", false
	}
	next.User = nil
	to := next.String()
	return to, len(to) <= longestURL
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
