package store_test

import (
	"testing"
	"time"

	"fingerpost/bridge/store"
)

func TestTimeForLandingPages(t *testing.T) {
	for _, tt := range []struct {
		pages      int
		pace, want time.Duration
	}{
		{0, time.Second, 0},
		{2000, time.Second, 2000 * time.Second},
		{10_080, 10 * time.Second, 28 * time.Hour},
		{25_000, time.Second, 48*time.Hour + 5000*time.Second},
	} {
		if got := store.TimeFor(tt.pages, tt.pace); got != tt.want {
			t.Errorf("%d pages at %v: got %v, want %v", tt.pages, tt.pace, got, tt.want)
		}
	}
}
