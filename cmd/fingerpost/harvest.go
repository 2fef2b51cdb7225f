package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/outbound"
)

// harvestFlags are what a single run can be told.
type harvestFlags struct {
	harvest.Options
	from, until string
	sweep       bool
}

func harvestCommand(a *app) *cobra.Command {
	var f harvestFlags
	cmd := &cobra.Command{
		Use:   "harvest [REPOSITORY... | OAI_URL]",
		Short: "Harvest once, now",
		Long: `Harvest once, now: the named repositories, all that are configured, or the one at
OAI_URL. Several are harvested at the same time, as many as "workers" says. An
interrupted run is continued. A host is sent one request at a time: the run waits
for its turn while "fingerpost serve" harvests another repository of the host.

A repository that asked for a longer pause (Retry-After) is not asked before the
pause ends. If its administrators agree, "fingerpost check" asks it anyway, and
an answer ends the pause.

Exit: 0 complete, 3 the data folder belongs to another address, 4 the repository cannot
be reached, does not speak OAI-PMH or asked for a pause, 5 incomplete or with
records in quarantine, 75 another process is harvesting it, 130 interrupted.`,
		Example: "  fingerpost harvest https://repo.example.edu/oai --data data\n  fingerpost harvest -c fingerpost.yaml main --full",
		RunE: func(cmd *cobra.Command, args []string) error {
			return harvestOnce(cmd.Context(), a, args, f)
		},
	}
	cmd.Flags().BoolVar(&f.Full, "full", false, "read everything, not only what is new, and mark as deleted what is gone")
	cmd.Flags().StringVar(&f.from, "from", "", "read records changed since this `date` (YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ)")
	cmd.Flags().StringVar(&f.until, "until", "", "read records changed until this `date`")
	cmd.Flags().StringArrayVar(&f.Sets, "set", nil, "read this `set` only; may be repeated")
	cmd.Flags().BoolVar(&f.sweep, "sweep", false, "list all identifiers instead, and mark as deleted what is gone")
	cmd.Flags().BoolVar(&f.AllowShrink, "allow-shrink", false, "with --sweep or --full: even if more than a tenth is gone")
	return cmd
}

func harvestOnce(ctx context.Context, a *app, args []string, f harvestFlags) error {
	if err := f.parse(); err != nil {
		return err
	}
	oaiURL, names := addressOrNames(args)
	return a.runEach(ctx, oaiURL, names, func(h *harvest.Harvester, r harvest.Repository) ([]store.Run, error) {
		if f.sweep {
			return h.Sweep(ctx, r, f.Options)
		}
		return h.Run(ctx, r, f.Options)
	})
}

// runEach runs over several repositories side by side, those with these names or
// all, and says how each run ended.
func (a *app) runEach(ctx context.Context, oaiURL string, names []string, run func(*harvest.Harvester, harvest.Repository) ([]store.Run, error)) error {
	s, err := a.begin(ctx, oaiURL)
	if err != nil {
		return err
	}
	defer s.db.Close()
	chosen, err := s.only(names)
	if err != nil {
		return err
	}
	sources, err := sourcesOf(s.Config, chosen)
	if err != nil {
		return err
	}
	bars := newProgress(a.output, a.log)
	defer bars.stop()
	h := &harvest.Harvester{
		Store: s.db, Clock: outbound.WallClock(), Log: bars.log, Progress: bars.show, Paused: bars.pause,
		Workers: harvest.NewWorkers(s.Workers),
	}
	runs, errs := sideBySide(ctx, h.Workers, sources, func(r harvest.Repository) ([]store.Run, error) { return run(h, r) })
	bars.stop()
	e, err := newEdges(s, a.log)
	if err != nil {
		return err
	}
	e.renewMaps(ctx, slices.Values(chosen))
	if err := printRuns(a.output, runs); err != nil {
		return err
	}
	return verdict(a.err, runs, errs)
}

// sideBySide does several repositories at the same time. What keeps one from
// being done does not keep the others. The results have their order.
func sideBySide(ctx context.Context, workers *harvest.Workers, sources []harvest.Repository, run func(harvest.Repository) ([]store.Run, error)) (runs []store.Run, errs []error) {
	type result struct {
		runs []store.Run
		err  error
	}
	results := make([]result, len(sources))
	var all sync.WaitGroup
	for i, r := range sources {
		all.Add(1)
		workers.Go(func() {
			defer all.Done()
			if ctx.Err() == nil {
				results[i].runs, results[i].err = run(r)
			}
		})
	}
	all.Wait()
	for i, r := range results {
		runs = append(runs, r.runs...)
		if r.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", sources[i].ID, r.err))
		}
	}
	return runs, errs
}

// verdict says what went wrong, once, and chooses the exit code.
func verdict(out io.Writer, runs []store.Run, errs []error) error {
	code := exitOf(runs)
	if len(errs) == 0 && code == exitOK {
		return nil
	}
	said := map[string]bool{}
	for _, r := range runs {
		if r.Reason != "" {
			said[r.Repository+": "+r.Reason] = true
			fmt.Fprintf(out, "fingerpost: %s: %s\n", listOf(r), r.Reason)
		}
		if r.Quarantined > 0 {
			fmt.Fprintf(out, "fingerpost: %s: records in quarantine: %d; `fingerpost records --quarantined` says why\n", listOf(r), r.Quarantined)
		}
	}
	for _, err := range errs {
		stopped := code == exitInterrupted && errors.Is(err, context.Canceled) // as its run says
		if !said[err.Error()] && !stopped {
			fmt.Fprintf(out, "fingerpost: %v\n", err)
		}
		if code == exitOK || code == exitUnreachable {
			code = exitCode(err)
		}
	}
	return &endError{code}
}

func printRuns(to output, runs []store.Run) error {
	for _, r := range runs {
		if to.json {
			if err := to.print(r); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintln(to.out, sentence(r)); err != nil {
			return err
		}
		if r.Remark != "" {
			fmt.Fprintf(to.err, "fingerpost: %s: doubtful: %s\n", listOf(r), r.Remark)
		}
	}
	return nil
}

// listOf names the list that a run read.
func listOf(r store.Run) string {
	list := strings.TrimSuffix(r.Repository+" "+r.Prefix, " ")
	if r.Set != "" {
		list += " set " + r.Set
	}
	return list
}

// sentence is a run for people. Why it ended as it did is for verdict to say.
func sentence(r store.Run) string {
	took := r.Finished.Sub(r.Started).Round(time.Millisecond)
	switch {
	case r.State == store.Failed && r.Records == 0:
		return listOf(r) + ": failed: nothing was read"
	case r.Sweep && r.State == store.Complete:
		return fmt.Sprintf("%s: sweep complete: %d identifiers in %s: %s", listOf(r), r.Records, took, r.Reason)
	case r.Sweep:
		return fmt.Sprintf("%s: sweep %s: %d identifiers in %s", listOf(r), r.State, r.Records, took)
	}
	text := fmt.Sprintf("%s: %s: %d %s in %s: %d new, %d changed, %d unchanged, %d deleted, %d quarantined",
		listOf(r), r.State, r.Records, unit(r), took, r.New, r.Changed, r.Unchanged, r.Deleted, r.Quarantined)
	if r.Repairs > 0 {
		text += fmt.Sprintf(", %d repairs", r.Repairs)
	}
	return text
}

// unit is what a run reads.
func unit(r store.Run) string {
	if r.Prefix == landingpage.Prefix {
		return "landing pages"
	}
	return "records"
}

// parse reads the dates.
func (f *harvestFlags) parse() error {
	var err error
	if f.From, err = date("--from", f.from); err != nil {
		return err
	}
	if f.Until, err = date("--until", f.until); err != nil {
		return err
	}
	if !f.From.IsZero() && !f.Until.IsZero() && f.Until.Before(f.From) {
		return &usageError{errors.New("--until lies before --from: exchange them")}
	}
	return f.together()
}

// together refuses flags that would not do what they say.
func (f *harvestFlags) together() error {
	switch {
	case f.AllowShrink && !f.sweep && !f.Full:
		return &usageError{errors.New("--allow-shrink is for a run that reads everything: add --sweep or --full, or leave it out")}
	case f.sweep && (f.Full || f.from != "" || f.until != "" || len(f.Sets) > 0):
		return &usageError{errors.New("--sweep lists all identifiers: leave out --full, --from, --until and --set")}
	}
	return nil
}

func date(flag, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, value); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, &usageError{fmt.Errorf("%s %q: write YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ", flag, value)}
}

// addressOrNames tells the address of a repository, be it a bad one, from
// names in the configuration, which have no such characters.
func addressOrNames(args []string) (oaiURL string, names []string) {
	if len(args) == 1 && strings.ContainsAny(args[0], ":/.") {
		return args[0], nil
	}
	return "", args
}
