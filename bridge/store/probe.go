package store

import (
	"context"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// Probe is what a server answered to a request for a URL of an object.
type Probe struct {
	Asked      string    // the URL
	Identifier string    // of the object
	Due        time.Time // when to ask again; in whole seconds
	bridge.Probe
}

// probeValue is the part of a Probe that engines keep as a value. Its
// Probe.URL is "" if that is Asked.
type probeValue struct {
	Asked string
	Probe bridge.Probe
}

var probeValues = newCodec[probeValue]()

type probes struct{ *core }

// Probes returns what is stored about URLs, by URL: never a nil map.
func (s probes) Probes(ctx context.Context, repository string, urls []string) (map[string]bridge.Probe, error) {
	wanted := make(map[string]bool, len(urls))
	for _, u := range urls {
		wanted[u] = true
	}
	out := map[string]bridge.Probe{}
	err := s.engine.View(ctx, repository, func(rows engine.Rows) error {
		found, err := rows.Probes(hashesOf(urls))
		if err != nil {
			return err
		}
		list, err := readProbes(found)
		for _, p := range list {
			if wanted[p.Asked] {
				out[p.Asked] = p.Probe
			}
		}
		return err
	})
	return out, wrap(err, "read what was answered about URLs of %s", repository)
}

// DueProbes returns up to n that were due before a time, the oldest first.
func (s probes) DueProbes(ctx context.Context, repository string, before time.Time, n int) (out []Probe, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		due, err := rows.DueProbes(before.Unix(), max(n, 0))
		if err == nil {
			out, err = readProbes(due)
		}
		return err
	})
	return out, wrap(err, "read which URLs of %s are due", repository)
}

func readProbes(rows []engine.Probe) ([]Probe, error) {
	var out []Probe
	for _, row := range rows {
		v, err := probeValues.decode(row.Value)
		if err != nil {
			return nil, err
		}
		if v.Probe.URL == "" {
			v.Probe.URL = v.Asked
		}
		out = append(out, Probe{Asked: v.Asked, Identifier: row.Identifier, Due: time.Unix(row.Due, 0).UTC(), Probe: v.Probe})
	}
	return out, nil
}

func (s *saving) saveProbes(b Batch) error {
	rows := make([]engine.Probe, len(b.Probes))
	for i, p := range b.Probes {
		v := probeValue{p.Asked, p.Probe}
		if v.Probe.URL == p.Asked {
			v.Probe.URL = ""
		}
		rows[i] = engine.Probe{
			Hash: hash64(clean(p.Asked)), Object: s.rows.of(p.Identifier).ID, Due: p.Due.Unix(), Value: probeValues.encode(nil, &v),
		}
	}
	return wrap(s.tx.PutProbes(rows), "save what was answered about URLs")
}
