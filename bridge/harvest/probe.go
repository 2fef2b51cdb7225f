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

	"github.com/temoto/robotstxt"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

const (
	// probesARun is how many requests about files a run may send. What is left
	// is for the next runs.
	probesARun = 2000
	// probeAge is how long an answer is good, and silenceAge how long it is
	// that there was none, or none that says anything about the file.
	probeAge   = 90 * 24 * time.Hour
	silenceAge = 7 * 24 * time.Hour
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
	begun int                              // requests that went out before
	own   []string                         // names of the repository's host
	shut  map[string]bool                  // hosts that refused, or could not answer: no more of them in this run
	rules map[string]*robotstxt.RobotsData // by scheme and host
	kept  int                              // URLs that a robots.txt keeps us from, in this run
	ended bool                             // nothing more is asked in this run
}

// probe asks about what is due: URLs that are new since the last run, and
// those whose answer is old. Whatever goes wrong, objects are then as their
// metadata says.
func (s *source) probe(ctx context.Context) {
	if !s.repository.Settings.Probe {
		return
	}
	p := &prober{source: s, begun: s.client.Requests(), shut: map[string]bool{}, rules: map[string]*robotstxt.RobotsData{}}
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
	s.Log.Info("harvest: asked about files", "repository", s.repository.ID, "requests", s.client.Requests()-p.begun, "kept_out_by_robots_txt", p.kept)
}

// again asks once more where the answer is old.
func (p *prober) again(ctx context.Context) error {
	due, err := p.Store.DueProbes(ctx, p.repository.ID, p.Clock.Now(), probesARun)
	if err != nil {
		return err
	}
	for _, o := range due {
		fresh, whole := p.ask(ctx, o.Identifier, o.Asked)
		if !whole {
			return nil
		}
		if err := p.keep(ctx, o.Identifier, fresh); err != nil {
			return err
		}
		if err := p.others(ctx, o, fresh[0]); err != nil {
			return err
		}
	}
	return nil
}

// others puts right the other objects that have a file which is there no more.
func (p *prober) others(ctx context.Context, was, now store.Probe) error {
	if was.Status == now.Status {
		return nil
	}
	for met := map[string]bool{was.Identifier: true}; ; {
		o, err := p.Store.Find(ctx, was.Asked, p.repository.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && met[o.Identifier] {
			return nil
		}
		if err != nil {
			return err
		}
		met[o.Identifier] = true
		if err := p.keep(ctx, o.Identifier, nil); err != nil {
			return err
		}
	}
}

// first asks where there is no answer yet: in the objects that are new or have
// changed since the last time. How far it has come is kept.
func (p *prober) first(ctx context.Context) error {
	from := p.known.Probed
	err := p.firstAfter(ctx, from)
	if p.known.Probed == from {
		return err
	}
	return errors.Join(err, p.Store.SaveRepository(context.WithoutCancel(ctx), p.known))
}

func (p *prober) firstAfter(ctx context.Context, modified int64) error {
	var some []store.Object
	for o, err := range p.Store.Changed(ctx, p.repository.ID, modified) {
		if err != nil {
			return err
		}
		if some = append(some, o); len(some) < probeChunk {
			continue
		}
		if whole, err := p.firstOf(ctx, some); err != nil || !whole {
			return err
		}
		some = some[:0]
	}
	_, err := p.firstOf(ctx, some)
	return err
}

// firstOf asks about objects in the order of their changes, and reports
// whether it came to the end of them.
func (p *prober) firstOf(ctx context.Context, objects []store.Object) (bool, error) {
	known, err := p.Store.Probes(ctx, p.repository.ID, unproven(objects))
	if err != nil {
		return false, err
	}
	for _, o := range objects {
		if whole, err := p.firstOfOne(ctx, o, known); err != nil || !whole {
			return false, err
		}
		p.known.Probed = o.Modified
	}
	return true, nil
}

func (p *prober) firstOfOne(ctx context.Context, o store.Object, known map[string]bridge.Probe) (whole bool, err error) {
	if o.Deleted {
		return true, nil
	}
	unasked := slices.DeleteFunc(o.Unproven(), func(u string) bool { _, ok := known[u]; return ok })
	fresh, whole := p.ask(ctx, o.Identifier, unasked...)
	for _, f := range fresh {
		known[f.Asked] = f.Probe
	}
	// An answer may have come to another object that has the same file.
	if len(fresh) == 0 && reflect.DeepEqual(p.mapping.Probed(o.Identifier, o.Object, known, nil), o.Object) {
		return whole, nil
	}
	return whole, p.keep(ctx, o.Identifier, fresh)
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
	page := store.Batch{Probes: fresh}
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

// ask returns the answers about URLs, and whether all that can be asked about
// in this run were.
func (p *prober) ask(ctx context.Context, identifier string, urls ...string) (out []store.Probe, whole bool) {
	for _, u := range urls {
		answer, ok := p.follow(ctx, u)
		if !ok {
			return out, false
		}
		good := silenceAge
		if answer.Telling() {
			good = probeAge
		}
		out = append(out, store.Probe{Asked: u, Identifier: identifier, Due: p.Clock.Now().Add(good), Probe: answer})
	}
	return out, true
}

// follow asks about a URL, then about where it leads. No answer is an answer
// too, so that the same question is not asked in every run; it is false where
// the run is over.
func (p *prober) follow(ctx context.Context, address string) (bridge.Probe, bool) {
	at := address
	for range maxRedirects + 1 {
		answer, head, ok := p.step(ctx, at)
		if !ok || ctx.Err() != nil {
			return bridge.Probe{}, false
		}
		next, leads := redirect(at, head)
		if !leads {
			return answer, true
		}
		at = next
	}
	return bridge.Probe{URL: at}, true
}

// step asks about one URL, if its host lets us; false where the run is over
// before anybody was asked.
func (p *prober) step(ctx context.Context, at string) (bridge.Probe, oaipmh.Head, bool) {
	host, answer := hostOf(at), bridge.Probe{URL: at}
	if p.done(ctx) || p.shut[host] {
		return answer, oaipmh.Head{}, !p.done(ctx)
	}
	allowed, err := p.allowed(ctx, at)
	if err != nil || p.done(ctx) {
		return answer, oaipmh.Head{}, !p.done(ctx)
	}
	if !allowed {
		p.kept++
		answer.Status = bridge.KeptOut
		return answer, oaipmh.Head{}, true
	}
	head, err := p.client.Head(ctx, at)
	p.judge(host, head.Status, err)
	said := head.Header.Get("Content-Type")
	answer.Status, answer.MediaType = head.Status, said[:min(len(said), longestType)]
	parked := (*oaipmh.ParkedError)(nil)
	return answer, head, head.Status != 0 || !errors.As(err, &parked) || !p.ended
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
