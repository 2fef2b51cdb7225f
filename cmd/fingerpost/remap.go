package main

import (
	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func (a *app) remap() *cobra.Command {
	var o harvest.Options
	c := &cobra.Command{
		Use:   "remap [REPOSITORY...]",
		Short: "Map everything that is kept once more, without asking the repository",
		Long: `Map everything that is kept once more, with the mapping as it is configured
now. The repository is asked nothing. Records that were mapped by the same
version of the mapping are skipped. A remap that was interrupted may be started
again: what it did is kept.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEach(cmd.Context(), "", args, func(h *harvest.Harvester, r harvest.Repository) ([]store.Run, error) {
				run, err := h.Remap(cmd.Context(), r, o)
				if err != nil {
					return nil, err
				}
				return []store.Run{run}, nil
			})
		},
	}
	c.Flags().BoolVar(&o.Force, "force", false, "map all records again, even if the mapping has not changed")
	return c
}
