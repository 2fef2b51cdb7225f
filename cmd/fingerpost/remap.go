package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

func (a *app) remap() *cobra.Command {
	return &cobra.Command{
		Use:   "remap [REPOSITORY...]",
		Short: "Map everything that is kept once more, without asking the repository",
		Long: `Map everything that is kept once more, with the mapping as it is configured
now. The repository is asked nothing. A remap that was interrupted may be
started again: what it did is kept.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			log, err := a.logger()
			if err != nil {
				return err
			}
			s, err := a.begin(cmd.Context(), "", "")
			if err != nil {
				return err
			}
			defer s.db.Close()
			chosen, err := s.only(args)
			if err != nil {
				return err
			}
			sources, err := s.sources(chosen)
			if err != nil {
				return err
			}
			bars := a.progress(log)
			defer bars.stop()
			h := &harvest.Harvester{Store: s.db, Clock: oaipmh.WallClock(), Log: bars.log, Progress: bars.show}
			var runs []store.Run
			var errs []error
			for _, r := range sources {
				run, err := h.Remap(cmd.Context(), r)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", r.ID, err))
					continue
				}
				runs = append(runs, run)
			}
			bars.stop()
			if err := a.printRuns(runs); err != nil {
				return err
			}
			return a.verdict(runs, errs)
		},
	}
}
