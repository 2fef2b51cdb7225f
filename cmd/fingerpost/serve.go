package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
	"fingerpost/server/dashboard"
	"fingerpost/server/edge"
)

// shutdownGrace is how long answers under way may take after a stop. Docker
// kills a container after ten seconds.
const shutdownGrace = 8 * time.Second

// jitter is by how much a harvest may begin later than its schedule says.
const jitter = time.Minute

// documentTime is how long a request for a document may take to come in.
const documentTime = time.Minute

func serveCommand(a *app) *cobra.Command {
	var webOnly bool
	cmd := &cobra.Command{
		Use:   "serve [OAI_URL]",
		Short: "Harvest on schedule and publish the links",
		Long: `Harvest on schedule and publish the links: of the repositories in the
configuration file, or of the one at OAI_URL, which is then called main.

A repository that was never harvested is harvested at once. /readyz answers 200
when every repository has been harvested and no damage was found in the database,
which is examined at the start and daily. Several gateways may share a data
folder on one machine: the first one that is free harvests a repository.`,
		Example: "  fingerpost serve https://repo.example.edu/oai --public-url https://links.example.edu\n  fingerpost serve -c fingerpost.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.serving = true
			s, err := a.begin(cmd.Context(), first(args))
			if err != nil {
				return err
			}
			defer s.db.Close()
			if s.Len() >= manyRepositories {
				setCollection(collectionOfMany)
			}
			if sentence := onlyHere(s.Config); sentence != "" {
				a.log.Warn("serve: " + sentence)
			}
			return serve(cmd.Context(), s, a.log, serving{webOnly: webOnly})
		},
	}
	cmd.Flags().BoolVar(&webOnly, "web-only", false, "publish, and leave the harvests to other processes, such as `fingerpost work`")
	cmd.Flags().StringVar(&a.listen, "listen", "", "`host:port` of the documents (default 127.0.0.1:8080)")
	cmd.Flags().StringVar(&a.publicURL, "public-url", "", "`address` of the documents on the web: every link is built from it")
	return cmd
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// serving is how a gateway serves.
type serving struct {
	webOnly   bool   // other processes harvest
	whenReady func() // called when every repository has been harvested once; may be nil
}

// serve publishes and harvests until ctx ends, which is no error.
func serve(ctx context.Context, s *session, log *slog.Logger, how serving) error {
	listener, err := listenForDocuments(&s.Config)
	if err != nil {
		return err
	}
	defer listener.Close()
	g, err := newGateway(ctx, s, log, how.whenReady)
	if err != nil {
		return err
	}
	if err := keepStarted(s.Config, s.file); err != nil {
		log.Warn("serve: other commands will not know how it was started: let this user write to the data folder", "error", err)
	}
	if unlock, err := s.db.Lock(ctx, servingLock); err == nil {
		defer unlock()
	}
	log.Info("serve: listening", "address", listener.Addr().String(), "public_url", s.PublicURL)
	err = g.run(ctx, listener, how.webOnly)
	log.Info("serve: stopped")
	return err
}

// servingLock is locked while a gateway serves the data folder, so that other
// commands know it. No repository's id has a dot.
const servingLock = ".serve"

// gateway is everything that serves, and what the harvests report to.
type gateway struct {
	*edges
	ready    *readiness
	fronts   []*frontProxy
	board    *dashboard.Dashboard
	harvests *dashboard.Harvests
}

func newGateway(ctx context.Context, s *session, log *slog.Logger, whenReady func()) (*gateway, error) {
	g := &gateway{edges: &edges{session: s, log: log}}
	var err error
	if err := checkAddresses(ctx, s); err != nil {
		return nil, err
	}
	if g.site, err = newSite(s, g.readyUndamaged, log); err != nil {
		return nil, err
	}
	traffic := edge.NewTraffic()
	if g.fronts, err = g.proxies(ctx, traffic); err != nil {
		return nil, err
	}
	g.harvests = dashboard.NewHarvests(time.Now())
	g.board = newBoard(g.edges, g.site.Metrics(), traffic, g.harvests)
	g.ready = newReadiness(ctx, s, whenReady, nextRuns(s))
	return g, nil
}

// checkAddresses refuses to start where a repository of the configuration file was
// harvested at another address. For a source of a table its run says so.
func checkAddresses(ctx context.Context, s *session) error {
	for _, r := range s.Repositories {
		if err := harvest.CheckAddress(ctx, s.db, harvest.Repository{ID: r.ID, OAIURL: r.OAIURL, MovedFrom: r.MovedFrom}); err != nil {
			return err
		}
	}
	return nil
}

// reconfigure publishes the sources that are configured now, and harvests them if
// there is a scheduler.
func (g *gateway) reconfigure(ctx context.Context, s *harvest.Scheduler) {
	if err := g.site.Configure(publishedBy(g.Config)); err != nil {
		g.log.Error("serve: the repositories stay as they were", "error", err)
	}
	if s != nil {
		reschedule(ctx, s, g.Config)
	}
}

// run serves and, unless others do, harvests until ctx ends.
func (g *gateway) run(ctx context.Context, listener net.Listener, webOnly bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serveOn(ctx, listener, g.site, documentTime) })
	for _, p := range g.fronts {
		group.Go(func() error { return serveOn(ctx, p.Listener, p, 0) })
	}
	group.Go(func() error { return serveAdmin(ctx, g.AdminListen, g.board, g.log) })
	var scheduler *harvest.Scheduler
	if !webOnly {
		scheduler = g.scheduler(ctx)
		group.Go(func() error { return work(ctx, g.session, scheduler) })
	}
	changed := func() { g.reconfigure(ctx, scheduler) }
	group.Go(func() error { watchSources(ctx, g.Config, time.Tick(sourcesCheck), g.log, changed); return nil })
	group.Go(func() error { g.renewMaps(ctx, g.All()); return nil })
	group.Go(func() error { watchDatabase(ctx, g.Database, time.Tick(time.Minute), g.log); return nil })
	group.Go(func() error { watchForDamage(ctx, g.session, time.Tick(damageCheck), g.log); return nil })
	defer g.site.Close()
	return group.Wait()
}

// scheduler is that of a gateway, which shows what it does.
func (g *gateway) scheduler(ctx context.Context) *harvest.Scheduler {
	s := schedulerOf(g.session, g.log)
	s.Progress = func(p harvest.Progress) {
		g.ready.progress(p)
		g.harvests.Count(p.Run)
	}
	s.Ended = func(j harvest.Job, runs []store.Run, err error) { g.ended(ctx, j, runs, err) }
	return s
}

// schedulerOf returns the scheduler of a session.
func schedulerOf(s *session, log *slog.Logger) *harvest.Scheduler {
	return &harvest.Scheduler{
		Harvester: &harvest.Harvester{Store: s.db, Clock: outbound.WallClock(), Log: log, Workers: harvest.NewWorkers(s.Workers)},
		Job:       jobNamed(s.Config, log),
	}
}

// ended publishes the results of a harvest.
func (g *gateway) ended(ctx context.Context, j harvest.Job, runs []store.Run, err error) {
	id := j.Repository.ID
	g.site.Renew()
	g.updateProxy(ctx, g.fronts, id)
	lists := slices.DeleteFunc(slices.Clone(runs), func(r store.Run) bool { return r.Prefix == landingpage.Prefix })
	if len(lists) > 0 || len(runs) == 0 {
		g.ready.ended(j, lists, err)
	}
	g.harvests.Count(runs...)
	if r, ok := g.Repository(id); ok && changedSomething(runs) {
		g.renewMaps(ctx, slices.Values([]config.Repository{r}))
	}
}

// jobs yields all repositories with their schedules, as far as that decides when they
// are due.
func jobs(c config.Config, log *slog.Logger) iter.Seq[harvest.Job] {
	return func(yield func(harvest.Job) bool) {
		for r := range c.All() {
			j, err := jobOf(r)
			if err != nil {
				log.Error("harvest: a source is left out", "error", err)
			} else if !yield(j) {
				return
			}
		}
	}
}

// jobNamed returns a function that makes the job of one.
func jobNamed(c config.Config, log *slog.Logger) func(id string) (harvest.Job, bool) {
	hosts := new(oaipmh.Hosts)
	return func(id string) (harvest.Job, bool) {
		r, ok := c.Repository(id)
		if !ok {
			return harvest.Job{}, false
		}
		j, err := jobOf(r)
		if err == nil {
			j.Repository, err = sourceOf(c, r, hosts)
		}
		if err != nil {
			log.Error("harvest: a source is not asked", "error", err)
		}
		return j, err == nil
	}
}

// jobOf returns the schedule of a repository, without how requests are sent.
func jobOf(r config.Repository) (harvest.Job, error) {
	harvests, err := r.Harvests()
	if err != nil {
		return harvest.Job{}, &configError{fmt.Errorf("schedule of repository %s: %w", r.ID, err)}
	}
	sweeps, err := r.Sweeps()
	if err != nil {
		return harvest.Job{}, &configError{fmt.Errorf("sweep of repository %s: %w", r.ID, err)}
	}
	known := harvest.Repository{ID: r.ID, OAIURL: r.OAIURL, Prefixes: r.Formats, Sets: r.Sets}
	return harvest.Job{Repository: known, Schedule: harvests, Sweep: sweeps, Jitter: jitter, Settings: settingsOf(r)}, nil
}

// settingsOf says in words what decides when a repository is due, and how it is
// mapped.
func settingsOf(r config.Repository) string {
	mapping, err := json.Marshal(mappingSettings(r))
	if err != nil {
		mapping = nil // it then counts when it is harvested next
	}
	return fmt.Sprintf("%q", []string{r.Schedule, r.Timezone, r.Politeness.Sweep, r.MovedFrom, string(mapping)})
}

// listenForDocuments opens the listener of the documents. Port 0 means any free port, which
// then becomes part of listen and of the default public_url.
func listenForDocuments(c *config.Config) (net.Listener, error) {
	l, err := listen("listen", c.Listen)
	if err != nil || !strings.HasSuffix(c.Listen, ":0") {
		return l, err
	}
	if c.PublicURL == "http://"+c.Listen {
		c.PublicURL = "http://" + l.Addr().String()
	}
	c.Listen = l.Addr().String()
	return l, nil
}

// listen opens a listener, or says under which key of the configuration
// another address can be chosen.
func listen(key, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	remedy := "choose another address under " + key
	if key == "listen" {
		remedy += " or with --listen"
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		remedy = "stop the program that does, or " + remedy
	}
	return nil, &configError{fmt.Errorf("cannot listen on %s (%w): %s", address, cause(err), remedy)}
}

// serveOn serves until ctx ends. It returns when the answers under way have
// ended, or are cut off after shutdownGrace. A request must arrive within
// readTime; 0 is without limit, for uploads.
func serveOn(ctx context.Context, l net.Listener, h http.Handler, readTime time.Duration) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ReadTimeout: readTime, MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	<-ended
	return nil
}
