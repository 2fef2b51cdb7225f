package outbound

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// Product is the name that groups of a robots.txt know us by. RFC 9309, 2.2.1.
	Product = "fingerpost"
	// MaxRobots is how much of a robots.txt crawlers read. RFC 9309, 2.5.
	MaxRobots = 500 << 10
	// LongestDelay is the longest Crawl-delay that is obeyed. Some files ask for
	// an hour, which cannot be meant on a site with thousands of pages.
	LongestDelay = time.Minute
)

// Robots are the rules of one host's robots.txt. RFC 9309.
type Robots struct {
	Sitemaps []string // what its Sitemap lines name, as they stand there
	Err      error    // of a line that cannot be understood; the other lines count

	all    bool // everything is forbidden
	groups []robotsGroup
}

// robotsGroup is rules for some agents.
type robotsGroup struct {
	agents []string // product tokens; "*" is everybody
	rules  []robotsRule
	delay  time.Duration
}

// robotsRule is an Allow or Disallow line.
type robotsRule struct {
	pattern string
	allow   bool
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
	text := string(body)
	r := Robots{Sitemaps: Sitemaps(text)}
	open := false // further User-agent lines belong to the group
	for name, value := range robotsLines(text) {
		value, _, _ = strings.Cut(value, "#")
		value = strings.TrimSpace(value)
		switch name = strings.ToLower(name); name {
		case "user-agent":
			if !open {
				r.groups = append(r.groups, robotsGroup{})
			}
			open = true
			g := &r.groups[len(r.groups)-1]
			g.agents = append(g.agents, productToken(value))
		case "allow", "disallow", "crawl-delay":
			open = false
			if len(r.groups) == 0 {
				r.Err = fmt.Errorf("%s stands before the first User-agent", name)
				continue
			}
			r.groups[len(r.groups)-1].add(name, value)
		}
	}
	return r
}

// robotsLines yields the names and values of lines, without comments that are set
// off.
func robotsLines(text string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		text = strings.TrimPrefix(text, "\uFEFF")
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			line, _, _ = strings.Cut(line, " #")
			name, value, ok := strings.Cut(line, ":")
			if ok && !yield(strings.TrimSpace(name), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// productToken is the name in a User-agent line, without a version after it.
// RFC 9309, 2.2.1.
func productToken(value string) string {
	if strings.HasPrefix(value, "*") {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	})
	if end < 0 {
		return value
	}
	return value[:end]
}

func (g *robotsGroup) add(name, value string) {
	if name == "crawl-delay" {
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
			g.delay = time.Duration(min(seconds, LongestDelay.Seconds()) * float64(time.Second))
		}
		return
	}
	if value != "" { // an empty rule says nothing
		g.rules = append(g.rules, robotsRule{pattern: comparablePath(value), allow: name == "allow"})
	}
}

// of yields the groups that an agent has to obey: all that name it, or else
// those for everybody. RFC 9309, 2.2.1.
func (r Robots) of(agent string) (own []robotsGroup) {
	var everybody []robotsGroup
	for _, g := range r.groups {
		for _, a := range g.agents {
			if strings.EqualFold(a, agent) {
				own = append(own, g)
				break
			}
			if a == "*" {
				everybody = append(everybody, g)
				break
			}
		}
	}
	if own == nil {
		return everybody
	}
	return own
}

// Allow reports whether a program that obeys the groups of agent may request u.
// The longest pattern decides; of two that are equally long, Allow. RFC 9309,
// 2.2.2.
func (r Robots) Allow(u *url.URL, agent string) bool {
	if r.all {
		return false
	}
	path, allowed, longest := comparablePath(u.RequestURI()), true, 0
	for _, g := range r.of(agent) {
		for _, rule := range g.rules {
			n := len(rule.pattern)
			if (n > longest || n == longest && rule.allow) && matches(rule.pattern, path) {
				allowed, longest = rule.allow, n
			}
		}
	}
	return allowed
}

// Delay is the Crawl-delay that agent is asked for, 0 if none is. It is no part
// of RFC 9309, but repositories have it.
func (r Robots) Delay(agent string) (delay time.Duration) {
	for _, g := range r.of(agent) {
		delay = max(delay, g.delay)
	}
	return delay
}

// matches reports whether a path begins with what a pattern says: "*" stands for
// any characters, "$" at its end for the end of the path. RFC 9309, 2.2.3.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	path, ok := strings.CutPrefix(path, parts[0])
	for i, part := range parts[1:] {
		if !ok {
			return false
		}
		if whole && i == len(parts)-2 { // the last one
			return strings.HasSuffix(path, part)
		}
		_, path, ok = strings.Cut(path, part)
	}
	return ok && (!whole || path == "")
}

// comparablePath is a path or pattern as paths are compared: characters that need no
// percent-encoding stand for themselves, others are encoded. RFC 9309, 2.2.2.
func comparablePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				i += 2
				if c = byte(n); !unreserved(c) {
					fmt.Fprintf(&b, "%%%02X", c)
					continue
				}
			}
		}
		if c <= ' ' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unreserved reports whether a character means the same encoded or not.
// RFC 3986, 2.3.
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// Sitemaps reads the Sitemap lines of a robots.txt, which stand outside of all
// groups. RFC 9309, 2.2.4. A "#" belongs to the address unless it is set off.
func Sitemaps(text string) (out []string) {
	for name, value := range robotsLines(text) {
		if value != "" && strings.EqualFold(name, "sitemap") {
			out = append(out, value)
		}
	}
	return out
}
