package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/postgres"
)

func TestBehindPgBouncer(t *testing.T) {
	address := server.Database(t)
	behind := server.Bouncer(t, address)
	for _, mode := range []string{"cache_describe", "exec"} {
		t.Run(mode, func(t *testing.T) { worksBehind(t, behind+"&default_query_exec_mode="+mode, mode) })
	}
	_, err := postgres.Open(t.Context(), behind, "")
	var refused *store.FileError
	if !errors.As(err, &refused) || !strings.Contains(refused.Remedy, "default_query_exec_mode") {
		t.Errorf("without the parameter: got error %v, want a *store.FileError that names it", err)
	}
}

// worksBehind saves and reads in more processes than the bouncer has connections.
func worksBehind(t *testing.T, address, repository string) {
	ctx := t.Context()
	var all sync.WaitGroup
	for worker := range 4 {
		db := open(t, address)
		all.Go(func() {
			for i := range 10 {
				if err := db.Save(ctx, repository, page(i*5+worker, 10)); err != nil {
					t.Error(err)
				}
				id := fmt.Sprint("oai:x:", i*5+worker)
				if list, err := db.Records(ctx, repository, id); err != nil || len(list) != 1 || len(list[0].Metadata) == 0 {
					t.Errorf("got records %v and error %v, want that of %s", list, err, id)
				}
			}
		})
	}
	all.Wait()
	db := open(t, address)
	if c, err := db.Counts(ctx, repository); err != nil || c.Objects != 58 {
		t.Errorf("got %v and error %v, want 58 objects, each once", c, err)
	}
	unlock, err := db.Lock(ctx, repository)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var locked *store.LockedError
	if _, err := open(t, address).Lock(ctx, repository); !errors.As(err, &locked) {
		t.Errorf("locked twice: got error %v, want a *store.LockedError", err)
	}
}
