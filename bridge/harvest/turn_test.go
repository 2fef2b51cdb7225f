package harvest_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// Several processes harvest the repositories of one host: each is harvested, and
// the host is sent one request at a time.
func TestAHostIsAskedByOneProcessAtATime(t *testing.T) {
	clock := oaitest.NewClock(start)
	origin := oaitest.New(oaitest.Options{}, records(40)...)
	var asking, most atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asking.Add(1)
		defer asking.Add(-1)
		if n > most.Load() {
			most.Store(n)
		}
		origin.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	db := openStore(t, clock)
	var all sync.WaitGroup
	for _, id := range []string{"a", "b", "c", "d"} {
		h := &harvest.Harvester{Store: db, Clock: clock, Log: quiet()} // a process of its own
		all.Go(func() {
			runs, err := h.Run(t.Context(), harvest.Repository{
				ID: id, OAIURL: server.URL + "/oai", Prefixes: []string{"oai_dc"}, HarvestedOnly: true, Client: oaipmh.Options{Clock: clock},
			}, harvest.Options{})
			if err != nil || runs[0].State != store.Complete || runs[0].Records != 40 {
				t.Errorf("%s: got runs %v and error %v, want 40 records", id, runs, err)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d requests at a time were sent to the host", most.Load())
	}
}
