package bridge

import (
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// hosts are the repository's own, as uri.HostKey gives them.
type hosts struct {
	named  string   // in the OAI identifier
	listed []string // that of the OAI-PMH interface, and those that the administrator named
}

// own reports whether a host is the repository's.
func (h hosts) own(host string) bool {
	if !strings.Contains(host, ".") {
		return false
	}
	host = uri.HostKey(host)
	return host == h.named || slices.Contains(h.listed, host)
}

// below reports whether a host is one of those below the OAI identifier's.
func (h hosts) below(host string) bool {
	return strings.Contains(h.named, ".") && strings.HasSuffix(uri.HostKey(host), "."+h.named)
}

// sameSite reports whether a host belongs to the same organisation as one of
// the repository's hosts.
func (h hosts) sameSite(host string) bool {
	site, err := publicsuffix.EffectiveTLDPlusOne(uri.HostKey(host))
	if err != nil {
		return false
	}
	same := func(h string) bool {
		return h == site || strings.HasSuffix(h, "."+site)
	}
	return same(h.named) || slices.ContainsFunc(h.listed, same)
}

// knownHosts returns the hosts of a repository's interface and of the further
// names that the administrator gave.
func knownHosts(baseURL string, aliases []string) []string {
	var hosts []string
	if a, ok := uri.Parse(baseURL); ok {
		hosts = append(hosts, uri.HostKey(a.Host))
	}
	for _, h := range aliases {
		if a, ok := uri.Parse(h); ok {
			h = a.Host
		}
		hosts = append(hosts, uri.HostKey(h))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// isPlaceholder reports whether host is one that a repository was shipped with
// and nobody replaced. It has no port.
func isPlaceholder(host string) bool {
	host = strings.TrimSuffix(host, ".")
	for _, name := range [...]string{"localhost", "example.com", "www.example.com"} {
		if strings.EqualFold(host, name) {
			return true
		}
	}
	// DSpace prints the name of a setting that was not set.
	return text.HasSuffixFold(host, ".baseurl")
}
