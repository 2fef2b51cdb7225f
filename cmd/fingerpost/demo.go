package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/testdata"
)

func demoCommand(a *app) *cobra.Command {
	var adminListen string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show everything with fake repositories: no set-up, no network",
		Long: `Show everything: start fake repositories that look like the real platforms,
harvest them, publish their links, and print the addresses to try. All data is in a
temporary folder, which is removed at the end.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if !cmd.Flags().Changed("log-level") { // a first look needs no log
				a.logLevel = "warn"
				if a.log, err = a.logger(); err != nil {
					return err
				}
			}
			return runDemo(cmd.Context(), a, adminListen)
		},
	}
	cmd.Flags().StringVar(&a.listen, "listen", "", "`host:port` of the documents (default 127.0.0.1:8080)")
	cmd.Flags().StringVar(&adminListen, "admin-listen", "127.0.0.1:8081", "`host:port` of the dashboard")
	return cmd
}

func runDemo(ctx context.Context, a *app, adminListen string) error {
	fmt.Fprintln(a.out, "fingerpost makes its fake repositories …")
	folder, err := os.MkdirTemp("", "fingerpost-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(folder)
	alike, err := testdata.LookAlikes()
	if err != nil {
		return err
	}
	origin, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the fake repository: %w", err)
	}
	env := append(demoEnvironment(alike, "http://"+origin.Addr().String()), "FINGERPOST_DATA="+folder, "FINGERPOST_LISTEN="+a.listen, "FINGERPOST_ADMIN_LISTEN="+adminListen)
	c, err := config.ForURL("", env)
	if err != nil {
		return &configError{a.asTyped(err, "")}
	}
	db, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer db.Close()
	s := &session{Config: c, db: db}
	fmt.Fprintf(a.out, "fingerpost harvests %d of them …\n", len(alike))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serveOn(ctx, origin, lookAlikes(alike), documentTime) })
	group.Go(func() error { return serve(ctx, s, a.log, serving{whenReady: func() { showDemo(ctx, a.output, s) }}) })
	return group.Wait()
}

// lookAlikes serves each repository below its name.
func lookAlikes(alike []testdata.LookAlike) http.Handler {
	mux := http.NewServeMux()
	for _, l := range alike {
		mux.Handle("/"+l.ID+"/oai", l.Serve(oaitest.Options{PageSize: 4}))
	}
	return mux
}

// demoEnvironment configures the look-alikes as an administrator would. The
// invented hosts in their records are configured as hosts of the repository.
func demoEnvironment(alike []testdata.LookAlike, origin string) []string {
	var env []string
	for i, l := range alike {
		set := func(key, value string) {
			if value != "" {
				env = append(env, fmt.Sprintf("FINGERPOST_REPOSITORIES_%d_%s=%s", i, key, value))
			}
		}
		set("ID", l.ID)
		set("OAI_URL", origin+"/"+l.ID+"/oai")
		set("NAME", l.About["name"])
		set("LANDING_PAGE", l.About["landing_page"])
		set("MAPPING_HOSTS", strings.Join(l.Hosts(), ","))
		set("MAPPING_CITE_AS", l.About["cite_as"])
		set("MAPPING_CITE_AS_PUBLISHED_DOI", l.About["cite_as_published_doi"])
		set("FORMATS", strings.Join(l.Prefixes(), ","))
	}
	return env
}

// showDemo prints the addresses to try.
func showDemo(ctx context.Context, to output, s *session) {
	best, repository := example(ctx, s)
	base := s.PublicURL
	key := base + "/" + repository + "/" + best.Key
	fmt.Fprintf(to.out, `
fingerpost serves %d repositories that look like real ones. Try:

  curl -I %s/linkset.json
  curl %s/linkset.txt
  curl %s/metadata/schema.jsonld
  curl %s/metadata/citation.bib
  curl -i '%s/links?uri=%s'
  curl -i '%s/linkset?uri=%s'
  curl %s/%s/signmap.xml
  curl %s/%s/cdif.jsonld
  curl %s/robots.txt
  curl %s/.well-known/api-catalog

or open these in a browser:

  %s/
  http://%s/ (dashboard)

Stop with Ctrl-C.
`, s.Len(), key, key, key, key, base, best.LandingPage.URL, base, best.LandingPage.URL, base, repository, base, repository, base, base, base, s.AdminListen)
}

// example returns an object that has many kinds of links, and its repository.
func example(ctx context.Context, s *session) (store.Object, string) {
	var best store.Object
	for r := range s.All() {
		for o, err := range s.db.Objects(ctx, r.ID, 0) {
			if err != nil {
				break
			}
			if shows(o) > shows(best) {
				best = o
			}
		}
	}
	return best, best.Repository
}

func shows(o store.Object) int {
	n := 2*len(o.Items) + len(o.Authors)
	for _, v := range []string{o.CiteAs, o.License, o.Type} {
		if v != "" {
			n += 3
		}
	}
	if o.Deleted || o.LandingPage.Resolve || strings.ContainsAny(o.LandingPage.URL, "'?&#") {
		return 0
	}
	return n
}
