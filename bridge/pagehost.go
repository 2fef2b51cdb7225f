package bridge

import (
	"net/url"
	"strings"

	"fingerpost/bridge/identifier"
)

// PageHost is the host on which more than half of the landing pages of some
// objects lie, without its port and in lower case; "" if there is none.
// Persistent identifiers do not count: nobody owns their resolvers.
func PageHost(objects []Object) string {
	pages := map[string]int{}
	for i := range objects {
		page := &objects[i].LandingPage
		if _, isPID := identifier.Parse(page.URL); isPID || page.Resolve {
			continue
		}
		if u, err := url.Parse(page.URL); err == nil && u.Host != "" {
			pages[strings.ToLower(u.Hostname())]++
		}
	}
	for host, n := range pages {
		if 2*n > len(objects) {
			return host
		}
	}
	return ""
}
