package outbound

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"20", "", 20 * time.Second},
		{" 1.5 ", "", 1500 * time.Millisecond},
		{"-3", "", 0},
		{"1e300", "", 720 * time.Hour},
		{"NaN", "", 0},
		{"soon", "", 0},
		{"Mon, 06 May 2024 07:00:10 GMT", "", 10 * time.Second},
		{"Mon, 06 May 2024 07:00:10 GMT", "Mon, 06 May 2024 07:00:03 GMT", 7 * time.Second}, // its clock is ahead
		{"Mon, 06 May 2024 06:00:00 GMT", "", 0},
		{"Fri, 01 Jan 9999 00:00:00 GMT", "", 720 * time.Hour},
	} {
		header := http.Header{"Retry-After": {tt.value}}
		if tt.date != "" {
			header.Set("Date", tt.date)
		}
		if got := RetryAfter(header, now); got != tt.want {
			t.Errorf("Retry-After %q, Date %q: got %v, want %v", tt.value, tt.date, got, tt.want)
		}
	}
}
