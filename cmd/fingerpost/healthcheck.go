package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/config"
)

func healthcheckCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck",
		Short: "Check that the gateway on this machine answers (for HEALTHCHECK)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			address, err := listening(cmd.Context(), a)
			if err != nil {
				return err
			}
			return healthy(cmd.Context(), reachable(address))
		},
	}
}

// listening returns the address of the gateway. It needs no repository.
func listening(ctx context.Context, a *app) (string, error) {
	if a.file != "" {
		c, err := a.settings(ctx, "", a.log)
		return c.Listen, err
	}
	c, err := config.ForURL(nowhere, a.environment())
	if err == nil {
		c, err = asStarted(c)
	}
	c, err = configured(c, err)
	return c.Listen, err
}

func healthy(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("the gateway does not answer at %s (%w): start it, or set listen to its address", address, cause(err))
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the gateway is not healthy: %s answers %s", request.URL, answer.Status)
	}
	return nil
}
