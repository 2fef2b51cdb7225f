package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads Retry-After in both its forms (RFC 9110, 10.2.3), a date
// against the server's own clock if it shows that, else against now. It is 0
// if there is none, and 30 days at the most: more is a mistake of the server.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	const most = 30 * 24 * time.Hour
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds == seconds { // not NaN
		return time.Duration(min(max(seconds, 0), most.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), most)
}
