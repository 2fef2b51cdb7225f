package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge/store"
	"fingerpost/config"
)

// status is how a repository stands; its JSON is what scripts read.
type status struct {
	Repository  string     `json:"repository"`
	Objects     int        `json:"objects"`
	Deleted     int        `json:"deleted"`
	Quarantined int        `json:"quarantined"`
	State       string     `json:"state"`
	Reason      string     `json:"reason,omitempty"`
	LastRun     *time.Time `json:"last_run"`
	NextRun     *time.Time `json:"next_run"`
}

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use:   "status [REPOSITORY...]",
		Short: "Say how each repository stands",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.begin(cmd.Context(), "", "")
			if err != nil {
				return err
			}
			defer s.db.Close()
			chosen, err := s.only(args)
			if err != nil {
				return err
			}
			all := []status{}
			for _, r := range chosen {
				one, err := s.status(cmd.Context(), r, time.Now())
				if err != nil {
					return err
				}
				all = append(all, one)
			}
			if a.json {
				return a.print(all)
			}
			return a.printStatus(all)
		},
	}
}

func (s *session) status(ctx context.Context, r config.Repository, now time.Time) (status, error) {
	out := status{Repository: r.ID, State: "never run"}
	counts, err := s.db.Counts(ctx, r.ID)
	if err != nil {
		return out, fmt.Errorf("count the objects of %s: %w", r.ID, err)
	}
	out.Objects, out.Deleted, out.Quarantined = counts.Objects, counts.Deleted, counts.Quarantined
	runs, err := s.db.Runs(ctx, r.ID, 100)
	if err != nil {
		return out, fmt.Errorf("read the runs of %s: %w", r.ID, err)
	}
	if len(runs) > 0 {
		if worst := worstOf(s.alive(ctx, runs)); worst.State != "" {
			out.State, out.Reason, out.LastRun = string(worst.State), worst.Reason, &runs[0].Started
		}
	}
	schedule, err := r.Harvests()
	if err != nil {
		return out, &configError{fmt.Errorf("schedule of repository %s: %w", r.ID, err)}
	}
	if next := schedule.Next(now); !next.IsZero() {
		out.NextRun = &next
	}
	return out, nil
}

// alive sees to it that a run of a process that is gone is not called
// running: whoever runs holds the repository.
func (s *session) alive(ctx context.Context, runs []store.Run) []store.Run {
	if runs[0].State != store.Running {
		return runs
	}
	unlock, err := s.db.Lock(ctx, runs[0].Repository)
	if err != nil {
		return runs
	}
	unlock()
	runs[0].State, runs[0].Reason = store.Interrupted, "the process ended before the run did; the next run goes on from its checkpoint"
	return runs
}

// worstOf is the run that says how a repository stands: of the newest of each
// list, the one that went worst. What is no list, a remap or a repository that
// did not answer, counts while nothing came after it, and if it went wrong.
func worstOf(runs []store.Run) store.Run {
	rank := map[store.State]int{store.Running: 4, store.Failed: 3, store.Incomplete: 2, store.Interrupted: 1}
	seen := map[string]bool{}
	var worst store.Run
	for i, r := range runs {
		list := r.Prefix + "\x00" + r.Set
		ofNoList := r.Prefix == "" && (i > 0 || r.State == store.Complete)
		if seen[list] || ofNoList {
			continue
		}
		seen[list] = true
		if worst.State == "" || rank[r.State] > rank[worst.State] {
			worst = r
		}
	}
	return worst
}

func (a *app) printStatus(all []status) error {
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "REPOSITORY\tSTATE\tOBJECTS\tDELETED\tQUARANTINED\tLAST RUN\tNEXT RUN")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", s.Repository, s.State, s.Objects, s.Deleted, s.Quarantined, when(s.LastRun), when(s.NextRun))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range all {
		if s.Reason != "" {
			fmt.Fprintf(a.out, "%s: %s\n", s.Repository, s.Reason)
		}
	}
	return nil
}

func when(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Local().Format("Mon 2 Jan 2006 15:04")
}
