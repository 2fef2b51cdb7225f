package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh/outbound"
	"fingerpost/server/dashboard"
)

func statusCommand(a *app) *cobra.Command {
	var which choice
	c := &cobra.Command{
		Use:   "status [REPOSITORY...]",
		Short: "Print the state of each repository",
		Long: `Print the state of each repository: the worst state of the latest runs of its
lists; how many objects are published, how many were deleted at the source, and
how many records are in quarantine; when the latest run began; when and why
"fingerpost serve" will start the next one; how far landing pages are read, and
what they brought. Times are those of this machine. Of more than 100 repositories it
prints what the processes that harvest have saved.

complete     every list was read to its end, as the protocol requires
incomplete   a list was read in part; the next run requests the rest
failed       nothing of a list could be read; other lists may be complete
interrupted  a run was stopped; the next one continues there
running      a run is under way, in this process or another
paused       the same, but the repository has asked for a pause
never run    nothing has been harvested yet

The first 100 are printed. --failing and --state choose, --limit and --offset
print others.

The next run is scheduled, a sweep, the first harvest, its retry ten minutes
after a failure, or the continuation of a run that was stopped, paused or not
saved. A repository that failed several times in a row is asked less and less,
and again on schedule as soon as it answers once. A repository that asked for a pause (Retry-After) is not asked before the
pause ends, except by "fingerpost check". A repository that refused access (HTTP
status 403) is not asked by "fingerpost serve" for a day, unless it answers a
command.`,
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) (err error) {
			a.warnOnlyHere(s)
			if err := which.check(args); err != nil {
				return err
			}
			chosen, total, err := which.of(ctx, s, args)
			if err != nil {
				return err
			}
			all, err := s.statuses(ctx, chosen)
			if err != nil {
				return err
			}
			if a.json {
				err = a.print(append([]dashboard.Status{}, all...)) // none is [], too
			} else {
				err = printStatus(a.out, all, isLocked(ctx, s.db, servingLock))
			}
			if rest := which.rest(len(all), total); rest != "" {
				fmt.Fprintf(a.err, "fingerpost: %s\n", rest)
			}
			if damage := damageIn(s.Config); err == nil && damage != "" {
				return &configError{errors.New(damage)}
			}
			return err
		}),
	}
	c.Flags().BoolVar(&which.failing, "failing", false, "those alone whose newest harvest failed")
	c.Flags().StringSliceVar(&which.states, "state", nil, "those alone in these states: "+strings.Join(states, ", "))
	c.Flags().IntVar(&which.limit, "limit", detailed, "how many are printed; 0 for all")
	c.Flags().IntVar(&which.offset, "offset", 0, "how many are left out before them")
	return c
}

// detailed is up to how many repositories status reads the runs of each, and how
// many it prints unless it is told.
const detailed = 100

// statuses are those of repositories, in their order.
func (s *session) statuses(ctx context.Context, chosen []config.Repository) (out []dashboard.Status, err error) {
	if len(chosen) > detailed {
		return s.glances(ctx, chosen)
	}
	next := nextRuns(s)
	for _, r := range chosen {
		seen, err := dashboard.See(ctx, s.db, shownRepository(s.Config, r), store.Source{})
		if err != nil {
			return nil, err
		}
		s.goesOn(ctx, &seen)
		due, err := next(ctx, r.ID, seen.State == store.Running)
		if err != nil {
			return nil, err
		}
		if seen.Due = due.At; due.At.IsZero() {
			seen.Due = store.Never
		}
		seen.Why, seen.Pause = string(due.Why), due.Pause.Reason
		out = append(out, seen.Status(time.Now()))
	}
	return out, nil
}

// glances are the statuses of many repositories, as the processes that harvest have
// saved them.
func (s *session) glances(ctx context.Context, chosen []config.Repository) (out []dashboard.Status, err error) {
	known, err := knownSources(ctx, s.db)
	if err != nil {
		return nil, err
	}
	for _, r := range chosen {
		row := known[r.ID]
		row.Repository = r.ID
		out = append(out, dashboard.Seen{Source: row}.Status(time.Now()))
	}
	return out, nil
}

// goesOn corrects the state of a repository whose run nobody makes: its process was
// killed.
func (s *session) goesOn(ctx context.Context, seen *dashboard.Seen) {
	if seen.State == store.Running && !isLocked(ctx, s.db, seen.Repository) && !s.waitsForItsTurn(ctx, seen.Repository) {
		seen.State, seen.Reason = store.Interrupted, "the process ended before the run did; the next run goes on from its checkpoint"
	}
}

// waitsForItsTurn reports whether a run was left at the end of a slice, to go on
// when its host has its next one.
func (s *session) waitsForItsTurn(ctx context.Context, id string) bool {
	source, err := s.db.Source(ctx, id)
	return err == nil && source.State == store.Running && time.Since(source.Due) < 10*time.Minute
}

func printStatus(out io.Writer, all []dashboard.Status, served bool) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "REPOSITORY\tSTATE\tOBJECTS\tDELETED\tQUARANTINED\tLAST RUN\tNEXT RUN")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", s.Repository, s.State, s.Objects, s.Deleted, s.Quarantined, when(s.LastRun, "never"), nextRun(s, served))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range all {
		for _, sentence := range remarks(s, served) {
			if _, err := fmt.Fprintf(out, "%s: %s\n", s.Repository, outbound.Printable(sentence, whole)); err != nil {
				return err
			}
		}
	}
	return nil
}

// remarks are what there is to know, or to do, about how a repository stands.
func remarks(s dashboard.Status, served bool) (out []string) {
	add := func(when bool, sentence string) {
		if when {
			out = append(out, sentence)
		}
	}
	state := store.State(s.State)
	waits := s.State == "paused" // its run goes on by itself
	if waits {
		s.Reason = "paused until " + when(s.NextRun, "") + ", asked by the repository with Retry-After"
	}
	if len(s.Lists) > 0 && s.Reason != "" && s.List != "" && state != store.Running {
		s.Reason = s.List + ": " + s.Reason
	}
	add(s.Reason != "", s.Reason)
	add(len(s.Lists) > 0, "its lists: "+joined(s.Lists))
	add(s.LastRun == nil && !served, "nothing was harvested yet: `fingerpost serve` and `fingerpost harvest` do")
	add(s.LastRun == nil && served, "nothing was harvested yet: it waits for a worker; more of them harvest more repositories at the same time (`workers`)")
	add(s.Remark != "", "doubtful: "+s.Remark)
	add(state == store.Complete && s.Objects == 0, "no object is published")
	wrong := state == store.Failed || state == store.Incomplete || state == store.Interrupted
	add(s.Pause != "" && !waits && !strings.Contains(s.Reason, s.Pause), s.Pause)
	refused := s.NextWhy == string(harvest.ForRefusal)
	add(s.Pause != "" && !refused && !waits, "nobody asks before "+when(s.NextRun, "")+", `fingerpost harvest` neither; if its administrators agree, `fingerpost check` asks now, and an answer ends the wait")
	add(s.Pause != "" && refused, "`fingerpost serve` does not ask before "+when(s.NextRun, "")+"; `fingerpost harvest` and `fingerpost check` do, and an answer ends the wait")
	add(s.NextWhy == string(harvest.ForFailing), fmt.Sprintf("it failed %d times in a row, and is asked less and less; `fingerpost harvest %s` asks now, and a success puts it back on its schedule", s.Failures, s.Repository))
	add(wrong && s.Complete != nil, "all of it was last harvested completely at "+when(s.Complete, ""))
	add(wrong && s.Complete == nil, "no harvest is known that read all of it")
	add(s.Early, "its last run is dated in the future: the clock of this machine was wrong then, or is now")
	add(s.Overdue != nil && !served, "overdue: a run should have begun at "+when(s.Overdue, "")+"; is `fingerpost serve` running?")
	add(s.Overdue != nil && served, "overdue: a run should have begun at "+when(s.Overdue, "")+"; it waits for a worker")
	out = append(out, s.Pages.Sentences(func(t time.Time) string { return when(&t, "") })...)
	add(s.Quarantined > 0, "`fingerpost records --quarantined` says why records are in quarantine")
	return out
}

func joined(lists []dashboard.List) string {
	words := make([]string, len(lists))
	for i, l := range lists {
		words[i] = l.String()
	}
	return strings.Join(words, ", ")
}

// nextRun is when the repository is asked next, and why then; served reports
// whether a gateway runs that could.
func nextRun(s dashboard.Status, served bool) string {
	switch {
	case s.NextRun == nil:
		return "none scheduled"
	case s.Due && served:
		return "as soon as a worker is free (" + s.Because() + ")"
	case s.Due:
		return "as soon as `fingerpost serve` runs (" + s.Because() + ")"
	}
	return when(s.NextRun, "") + " (" + s.Because() + ")"
}

func when(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.Local().Format("Mon 2 Jan 2006 15:04 MST")
}
