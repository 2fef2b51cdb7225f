package main

import (
	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func remapCommand(a *app) *cobra.Command {
	var o harvest.Options
	c := &cobra.Command{
		Use:   "remap [REPOSITORY...]",
		Short: "Map all records again, without a request to the repository",
		Long: `Map all records again with the current configuration, without a request to the
repository. Records that the same version of the mapping has mapped are skipped.
An interrupted remap continues when it is started again.`,
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
