package harvest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// weighing is a store that notes how much metadata goes through it at once.
type weighing struct {
	*store.DB
	saved, read int
}

func (w *weighing) Save(ctx context.Context, repository string, p store.Batch) error {
	w.saved = max(w.saved, weight(p.Records))
	return w.DB.Save(ctx, repository, p)
}

func (w *weighing) Records(ctx context.Context, repository string, identifiers ...string) ([]store.Record, error) {
	out, err := w.DB.Records(ctx, repository, identifiers...)
	w.read = max(w.read, weight(out))
	return out, err
}

func weight(records []store.Record) (bytes int) {
	for _, r := range records {
		bytes += len(r.Metadata)
	}
	return bytes
}

// A newspaper's METS has megabytes: neither what is saved in one transaction
// nor what is read to be mapped again may be of hundreds of them.
func TestLargeRecordsAreFewAtOnce(t *testing.T) {
	const size, most = 512 << 10, 16 << 20
	var list []oaitest.Record
	for i := range 100 {
		dc := fmt.Sprintf(`<dc xmlns="http://purl.org/dc/elements/1.1/"><identifier>https://repo.example.org/%d</identifier></dc>`, i)
		mets := fmt.Sprintf(`<mets xmlns="http://www.loc.gov/METS/" LABEL="%d">%s</mets>`, i, strings.Repeat(" ", size))
		list = append(list, oaitest.Record{
			Header:  oaipmh.Header{Identifier: fmt.Sprintf("oai:repo.example.org:%d", i), Datestamp: "2020-01-01T00:00:00Z"},
			Formats: map[string]string{"mets": mets, "oai_dc": dc},
		})
	}
	s := newSceneWith(t, oaitest.Options{PageSize: 5}, list...)
	db := &weighing{DB: s.db}
	s.h.Store = db
	s.r.Prefixes = []string{"mets", "oai_dc"}
	if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	if n := s.objects(); n != len(list) || db.saved > most || db.read > most {
		t.Errorf("%d objects; saved %d MiB at once, read %d MiB; want %d, and %d MiB at the most", n, db.saved>>20, db.read>>20, len(list), most>>20)
	}
	db.read = 0
	s.r.Settings.Hosts = append(s.r.Settings.Hosts, "other.example.org")
	run, err := s.h.Remap(t.Context(), s.r, harvest.Options{})
	if err != nil || run.Records != len(list) || db.read == 0 || db.read > most {
		t.Errorf("mapped %d again (%v), read %d MiB at once, want %d and %d MiB at the most", run.Records, err, db.read>>20, len(list), most>>20)
	}
}
