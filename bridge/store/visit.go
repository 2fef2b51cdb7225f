package store

import (
	"context"
	"math"
	"time"

	"fingerpost/bridge/store/engine"
)

// Visit is what is kept of a request for a landing page, beside the record of
// what the page states.
type Visit struct {
	Asked      string    // the URL
	Identifier string    // of the object
	URL        string    // where redirects led
	Again      time.Time // not to be asked for before; in whole seconds
	// Of is a hash of the object's metadata, so that an object whose metadata has
	// changed is asked about again.
	Of uint64
	// ETag and Modified are what a server said with the page: without a newer
	// version it need not be sent again. RFC 9110, 13.1.
	ETag     string
	Modified string
	Result   string // a few words
}

// visitValue is the part of a Visit that engines keep as a value.
type visitValue struct {
	Asked, URL             string
	Again                  int // in seconds since 1970
	Of                     int
	ETag, Modified, Result string
}

var visitValues = newCodec[visitValue]()

// visitHash is where a visit is among what was answered about URLs: the answer
// to a HEAD of the same URL is another.
func visitHash(url string) int64 { return hash64("GET " + clean(url)) }

// Visits returns what is stored about requests for landing pages, by URL: never
// a nil map.
func (s probes) Visits(ctx context.Context, repository string, urls ...string) (map[string]Visit, error) {
	out := map[string]Visit{}
	hashes := make([]int64, len(urls))
	for i, u := range urls {
		hashes[i] = visitHash(u)
	}
	err := s.engine.View(ctx, repository, func(rows engine.Rows) error {
		found, err := rows.Probes(hashes)
		if err != nil {
			return err
		}
		list, err := readVisits(found)
		for _, v := range list {
			out[v.Asked] = v
		}
		return err
	})
	return out, wrap(err, "read which landing pages of %s were read", repository)
}

func readVisits(rows []engine.Probe) (out []Visit, err error) {
	for _, row := range rows {
		v, err := visitValues.decode(row.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, Visit{
			Asked: v.Asked, Identifier: row.Identifier, URL: v.URL, Again: time.Unix(int64(v.Again), 0).UTC(), Of: uint64(v.Of),
			ETag: v.ETag, Modified: v.Modified, Result: v.Result,
		})
	}
	return out, nil
}

// saveVisits saves visits among what was answered about URLs, where none is ever
// due: a visit says by itself when to come again.
func (s *saving) saveVisits(b Batch) error {
	rows := make([]engine.Probe, len(b.Visits))
	for i, v := range b.Visits {
		value := visitValue{v.Asked, v.URL, int(v.Again.Unix()), int(v.Of), v.ETag, v.Modified, v.Result}
		rows[i] = engine.Probe{
			Hash: visitHash(v.Asked), Object: s.rows.of(v.Identifier).ID, Due: math.MaxInt64, Value: visitValues.encode(nil, &value),
		}
	}
	return wrap(s.tx.PutProbes(rows), "save which landing pages were read")
}
