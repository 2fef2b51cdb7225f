package main

import (
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/server/dashboard"
)

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
			if s.Repositories, err = s.only(args); err != nil {
				return err
			}
			d, err := s.admin(nil)
			if err != nil {
				return err
			}
			all, err := d.Statuses(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.print(slices.Concat([]dashboard.Status{}, all))
			}
			return a.printStatus(all)
		},
	}
}

func (a *app) printStatus(all []dashboard.Status) error {
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
