package edge

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fingerpost/bridge/linkset"
)

const journalsHost = "journals.example.edu"

// nextHost ends the section of one host in a web server's configuration and
// begins that of another. HAProxy and Varnish serve all hosts in one.
func nextHost(server string, at place) string {
	switch server {
	case "nginx":
		return fmt.Sprintf("location / { proxy_pass http://%s; proxy_set_header Host $host; }\n}\nserver {\nlisten %s;\nserver_name %s;\n", at.origin, at.address, journalsHost)
	case "apache":
		return fmt.Sprintf("ProxyPreserveHost On\nProxyPass / http://%s/\n</VirtualHost>\n<VirtualHost *:%s>\nServerName %s\n", at.origin, at.port(), journalsHost)
	case "caddy":
		return fmt.Sprintf("}\nhttp://%s:%s {\nbind 127.0.0.1\n", journalsHost, at.port())
	}
	return ""
}

// onceInNginx are the lines that the snippet says to write once.
var onceInNginx = regexp.MustCompile(`(?m)^map_hash_.*$`)

// Two repositories may have pages under the same paths of their hosts. Each
// gets its own links, whichever snippet stands first.
func TestSeveralRepositoriesBehindOneServer(t *testing.T) {
	hosts := map[string]string{"main": "repo.example.edu", "the-journals": journalsHost}
	linksOf := func(host string) linkset.LinkSet {
		return linkset.LinkSet{{Anchor: "https://" + host + landing, Rel: "cite-as", Href: "https://doi.org/10.5072/" + host}}
	}
	for _, f := range frontEnds {
		t.Run(f.name+", "+f.mode, func(t *testing.T) {
			t.Parallel()
			f.need(t)
			g := newLookupGateway(t)
			g.set(func(w http.ResponseWriter, r *http.Request) {
				for _, host := range hosts {
					if r.Header.Get("X-Fingerpost-URI") == "https://"+host+landing {
						w.Header().Set("Link", linksOf(host).Joined())
					}
				}
				w.WriteHeader(http.StatusNoContent)
			})
			at := newPlace(t)
			var parts []string
			for _, id := range []string{"main", "the-journals"} {
				base, dir := "https://"+hosts[id], filepath.Join(at.dir, id)
				if _, err := Export(t.Context(), dir, []string{hosts[id]}, each(Page{base + landing, linksOf(hosts[id])})); err != nil {
					t.Fatal(err)
				}
				text, err := Snippet(f.name, f.mode, Site{ID: id, Base: base, Pattern: "^/handle/", Gateway: g.address, Origin: at.origin, Dir: dir, Signmap: "https://links.example.org/" + id + "/signmap.xml"})
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, strings.Split(text, "\n# ---- ")[1:]...)
			}
			half := len(parts) / 2
			for i := range half { // what follows a heading begins with the rest of its line
				first, second := "# "+parts[i], "# "+onceInNginx.ReplaceAllString(parts[half+i], "")
				if i == half-1 {
					second = nextHost(f.name, at) + second
				}
				parts[i] = first + "\n" + second
			}
			run(t, at, f.start(t, at, parts[:half]))
			for range 2 { // Varnish answers the second time from memory
				for _, host := range hosts {
					a := ask(t, "http://"+at.address, "GET", landing, "Host: "+host)
					if want := linksOf(host).Joined(); a.StatusCode != 200 || len(a.links()) != 1 || a.links()[0] != want {
						t.Errorf("%s: want 200 and %s, got %d and %q", host, want, a.StatusCode, a.links())
					}
				}
			}
		})
	}
}
