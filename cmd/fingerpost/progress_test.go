package main

import (
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func TestTheTextOfABarHasWhatThereIs(t *testing.T) {
	b := bar{latest: harvest.Progress{Run: store.Run{Pages: 3, Records: 300, New: 299, Quarantined: 1}, Read: 300, Total: 900}}
	want := " page 3, 300 of about 900 records, 150/s, 1 quarantined, 299 new, 4s left"
	if got := b.text(2 * time.Second); got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	b.over = true
	want = " page 3, 300 of about 900 records, 150/s, 1 quarantined, 299 new"
	if got := b.text(2 * time.Second); got != want {
		t.Errorf("when the run is over the text is %q, want %q", got, want)
	}
	b.latest.Total = -1
	want = " page 3, 300 records, 150/s, 1 quarantined, 299 new"
	if got := b.text(2 * time.Second); got != want {
		t.Errorf("without a size the text is %q, want %q", got, want)
	}
}
