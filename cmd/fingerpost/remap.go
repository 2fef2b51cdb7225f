package main

import (
	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func (a *app) remap() *cobra.Command {
	return &cobra.Command{
		Use:   "remap [REPOSITORY...]",
		Short: "Map everything that is kept once more, without asking the repository",
		Long: `Map everything that is kept once more, with the mapping as it is configured
now. The repository is asked nothing. A remap that was interrupted may be
started again: what it did is kept.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEach(cmd.Context(), "", args, func(h *harvest.Harvester, r harvest.Repository) ([]store.Run, error) {
				run, err := h.Remap(cmd.Context(), r)
				if err != nil {
					return nil, err
				}
				return []store.Run{run}, nil
			})
		},
	}
}
