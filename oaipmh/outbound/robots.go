package outbound

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/temoto/robotstxt"
)

const (
	// Product is the name that groups of a robots.txt know us by. RFC 9309, 2.2.1.
	Product = "fingerpost"
	// MaxRobots is how much of a robots.txt crawlers read. RFC 9309, 2.5.
	MaxRobots = 500 << 10
)

// Robots are the rules of one host's robots.txt. RFC 9309.
type Robots struct {
	Sitemaps []string // what its Sitemap lines name, as they stand there
	Err      error    // of rules that cannot be understood, which forbid nothing

	all   bool // everything is forbidden
	rules *robotstxt.RobotsData
}

// RobotsURL is where the robots.txt for a URL is. RFC 9309, 2.3.
func RobotsURL(u *url.URL) string { return u.Scheme + "://" + u.Host + "/robots.txt" }

// ReadRobots reads the answer to a request for a robots.txt. Where there is
// none, everything is allowed; where the server failed, nothing is.
// RFC 9309, 2.3.1.
func ReadRobots(status int, body []byte) Robots {
	if status/100 != 2 {
		return Robots{all: status >= 500}
	}
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	r := Robots{Sitemaps: Sitemaps(string(body))}
	r.rules, r.Err = robotstxt.FromBytes(body)
	return r
}

// Allow reports whether a program that obeys the group of agent may request u.
func (r Robots) Allow(u *url.URL, agent string) bool {
	if r.all || r.rules == nil {
		return !r.all
	}
	return r.rules.TestAgent(u.RequestURI(), agent)
}

// Sitemaps reads the Sitemap lines of a robots.txt, which stand outside of all
// groups and count even if some rule is wrong. RFC 9309, 2.2.4.
func Sitemaps(text string) (out []string) {
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, " #")
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value != "" && strings.EqualFold(strings.TrimSpace(name), "sitemap") {
			out = append(out, value)
		}
	}
	return out
}
