package edge

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// Site describes a repository and its web server for a snippet. Values of any other
// form than the fields describe are refused: an administrator pastes the snippet
// into a configuration that is read with all rights.
type Site struct {
	// ID is the repository's. Names in the configuration end with it, so that
	// one web server can serve several repositories.
	ID string
	// Base is the repository's public address: scheme and host.
	Base string
	// Hosts are further names of that host.
	Hosts []string
	// Pattern is a regular expression for the paths of its landing pages,
	// files and metadata, as Pattern returns it.
	Pattern string
	// Gateway is host and port at which the web server reaches the gateway.
	Gateway string
	// Origin is host and port of the repository's own web server.
	Origin string
	// Dir is the folder of the exported files.
	Dir string
	// Signmap is the URL for the Sitemap line of robots.txt.
	Signmap string
}

//go:embed snippets
var snippetFiles embed.FS

var snippets = template.Must(template.New("").Option("missingkey=error").ParseFS(snippetFiles, "snippets/*"))

// The modes of a snippet: the web server asks the gateway for each page, or
// reads what Export wrote.
const (
	LookupMode = "lookup"
	MapMode    = "map"
)

// modes are the modes that a web server supports, the better one first.
var modes = map[string][]string{
	"nginx":   {LookupMode, MapMode},
	"apache":  {MapMode},
	"caddy":   {LookupMode},
	"haproxy": {MapMode},
	"varnish": {LookupMode},
}

// Servers returns the names of the web servers for which there is a snippet.
func Servers() []string { return slices.Sorted(maps.Keys(modes)) }

// Snippet returns the configuration with which a web server adds links to the pages
// of a site. Mode "" is the better one that the server supports.
func Snippet(server, mode string, site Site) (string, error) {
	supported, ok := modes[server]
	if !ok {
		return "", fmt.Errorf("there is no snippet for %q: choose from %s", server, strings.Join(Servers(), ", "))
	}
	if mode == "" {
		mode = supported[0]
	}
	if !slices.Contains(supported, mode) {
		return "", fmt.Errorf("%s cannot be set up with --mode %s: use --mode %s", server, mode, strings.Join(supported, " or "))
	}
	if err := site.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	if err := snippets.ExecuteTemplate(&b, server+"-"+mode, site); err != nil {
		return "", fmt.Errorf("write the snippet for %s: %w", server, err)
	}
	return b.String(), nil
}

var (
	siteID      = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	siteBase    = regexp.MustCompile(`^https?://[A-Za-z0-9._-]+(:[0-9]+)?$`)
	siteHost    = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	siteAddress = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):[0-9]+$`)
	sitePattern = regexp.MustCompile(`^\^/[A-Za-z0-9/()|\[\].?+_~-]*$`)
	siteURL     = regexp.MustCompile(`^https?://[A-Za-z0-9._:\[\]/~-]+$`)
	siteDir     = regexp.MustCompile(`^/[A-Za-z0-9._/-]+$`)
)

func (s Site) check() error {
	type field struct {
		what, value string
		ok          bool
		want        string
	}
	_, err := regexp.Compile(s.Pattern)
	fields := []field{
		{"id of the repository", s.ID, siteID.MatchString(s.ID), `1 to 40 of a-z, 0-9 and "-"`},
		{"address of the repository", s.Base, siteBase.MatchString(s.Base), "scheme and host, such as https://repo.example.edu"},
		{"pattern", s.Pattern, err == nil && sitePattern.MatchString(s.Pattern), "one such as ^/(handle/|bitstream/)"},
		{"address of the gateway", s.Gateway, siteAddress.MatchString(s.Gateway), "host and port, such as 127.0.0.1:8080"},
		{"address of the repository's own web server", s.Origin, siteAddress.MatchString(s.Origin), "host and port, such as 127.0.0.1:8000"},
		{"folder", s.Dir, siteDir.MatchString(s.Dir) && path.Clean(s.Dir) == s.Dir, "an absolute path of letters, digits, dots and dashes, such as /var/lib/fingerpost/edge"},
		{"address of the Signmap", s.Signmap, siteURL.MatchString(s.Signmap), "one such as https://links.example.edu/main/signmap.xml"},
	}
	for _, h := range s.Hosts {
		fields = append(fields, field{"name of the host", h, siteHost.MatchString(h), "one such as www.repo.example.edu"})
	}
	var errs []error
	for _, f := range fields {
		if !f.ok {
			errs = append(errs, fmt.Errorf("%s %q cannot stand in a web server's configuration: give %s", f.what, f.value, f.want))
		}
	}
	return errors.Join(errs...)
}

// Name is the id for places where "-" would mean minus.
func (s Site) Name() string { return strings.ReplaceAll(s.ID, "-", "_") }

// Host is the name of the repository's host.
func (s Site) Host() string {
	u, err := url.Parse(s.Base)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// HostNames returns all names of the repository's host.
func (s Site) HostNames() []string { return append([]string{s.Host()}, s.Hosts...) }

// HostPattern returns a regular expression for them.
func (s Site) HostPattern() string { return literal(strings.Join(s.HostNames(), "|")) }

// GatewayHost and the three below are the parts of an address.
func (s Site) GatewayHost() string { return part(s.Gateway, 0) }
func (s Site) GatewayPort() string { return part(s.Gateway, 1) }
func (s Site) OriginHost() string  { return part(s.Origin, 0) }
func (s Site) OriginPort() string  { return part(s.Origin, 1) }

// GatewayNamed reports whether the gateway's address is a name. Some web servers
// look it up when they start, and do not start if that fails.
func (s Site) GatewayNamed() bool {
	_, err := netip.ParseAddr(s.GatewayHost())
	return err != nil && s.GatewayHost() != "localhost"
}

func part(address string, i int) string {
	host, port, _ := net.SplitHostPort(address)
	return []string{host, port}[i]
}

// Paths returns the pattern without the ^ at its beginning.
func (s Site) Paths() string { return strings.TrimPrefix(s.Pattern, "^") }
