package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fingerpost/config"
)

func configCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration, or print its schema or an example",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "schema", Short: "Print the JSON schema of the configuration file", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				schema, err := config.Schema()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "%s\n", schema)
				return err
			},
		},
		&cobra.Command{
			Use: "example", Short: "Print a commented example", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				example, err := config.Example()
				if err != nil {
					return err
				}
				_, err = a.out.Write(example)
				return err
			},
		},
		&cobra.Command{
			Use: "show", Short: "Check the configuration, and print it with environment and defaults", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, err := a.settings(cmd.Context(), "", a.log)
				if err != nil {
					return err
				}
				text, err := c.YAML()
				if err != nil {
					return err
				}
				_, err = a.out.Write(text)
				if _, rows := c.Bad(); rows > 0 && err == nil {
					err = &configError{fmt.Errorf("rows of %s that are left out, as said above: %d", c.Sources, rows)}
				}
				return err
			},
		},
	)
	return cmd
}
