package store

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func FuzzReadRecords(f *testing.F) {
	f.Add(appendRecord(nil, &recordRow{prefix: 1, place: place{1, 2, 3, 1}, deleted: true, sets: []byte{1, 2}, datestamp: []byte("2024-01-02"), hash: [16]byte{1}}))
	f.Add([]byte("\x02\x01\x05abc"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, list []byte) {
		records, err := readRecords(list)
		if err != nil {
			if e := (*DamagedError)(nil); !errors.As(err, &e) {
				t.Fatalf("got error %v, want a *DamagedError", err)
			}
			return
		}
		back, err := readRecords(appendRecords(nil, records))
		if diff := cmp.Diff(records, back, cmp.AllowUnexported(recordRow{}, place{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
}
