package main

import (
	"errors"

	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func probeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "probe [REPOSITORY...]",
		Short: "Read landing pages and ask about files, now",
		Long: `Do now what the setting "probe" of a repository allows, after it was harvested:
read landing pages (pages), where they may state what the metadata lacks, and ask
about files (items). "fingerpost serve" does both by itself, whenever no harvest
is due.

It goes on where it was stopped, whatever stopped it, and asks for 10000 landing
pages a day at the most. "fingerpost status" says how far it is and what it
brought. Before the files are believed that landing pages name, a few of them
are asked for.

Exit: 0 all pages are read that may add something, 4 the repository asked for a
pause, 5 the rest has to wait: for tomorrow, or because the repository refused,
75 another process has locked the repository, 130 interrupted.`,
		Example: "  fingerpost probe -c fingerpost.yaml main",
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := len(args) > 0
			err := a.runEach(cmd.Context(), "", args, func(h *harvest.Harvester, r harvest.Repository) ([]store.Run, error) {
				switch {
				case r.Settings.Pages || r.Settings.Probe:
					asked = true
					return h.Probe(cmd.Context(), r)
				case len(args) > 0:
					return nil, errNoProbe
				}
				return nil, nil
			})
			if err == nil && !asked {
				return errNoProbe
			}
			return err
		},
	}
}

var errNoProbe = &configError{errors.New(`nothing is to be asked: set "probe: pages", "probe: items" or both in the configuration`)}
