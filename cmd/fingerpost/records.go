package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge/store"
)

// quarantined is a line of `records --quarantined --json`.
type quarantined struct {
	Repository string    `json:"repository"`
	Identifier string    `json:"identifier"`
	Prefix     string    `json:"prefix"`
	Reason     string    `json:"reason"`
	Page       string    `json:"page"`
	At         time.Time `json:"at"`
	Name       string    `json:"name"` // the argument of `records raw`: the identifier, if it could be read
}

// listed is a line of `records --json`.
type listed struct {
	Repository  string `json:"repository"`
	Identifier  string `json:"identifier"`
	LandingPage string `json:"landing_page"`
	Deleted     bool   `json:"deleted"`
}

func recordsCommand(a *app) *cobra.Command {
	var onlyQuarantined bool
	cmd := &cobra.Command{
		Use:   "records [REPOSITORY...]",
		Short: "List records, or those in quarantine",
		Long: `List the records, or with --quarantined those that could not be read or linked,
each with the reason and the request that returned it. "records raw" prints the
bytes.

A record leaves quarantine when it is harvested again without an error, when the
repository deletes it, or when a remap can link it. A record on which the server
fails is requested again in every run. A record that the repository does not list
any more, or whose identifier could not be read, leaves with the next complete
"harvest --full".`,
		Example: "  fingerpost records --quarantined\n  fingerpost records raw oai:repo.example.edu:1234",
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			chosen, err := s.only(args)
			if err != nil {
				return err
			}
			list := listObjects
			if onlyQuarantined {
				list = listQuarantined
			}
			for _, r := range chosen {
				if err := list(ctx, a.output, s, r.ID); err != nil {
					return fmt.Errorf("list the records of %s: %w", r.ID, err)
				}
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&onlyQuarantined, "quarantined", false, "list the records that could not be read or linked, with the reason")
	cmd.AddCommand(rawCommand(a))
	return cmd
}

func listObjects(ctx context.Context, to output, s *session, repository string) error {
	for o, err := range s.db.Objects(ctx, repository, 0) {
		if err != nil {
			return err
		}
		if to.json {
			err = to.print(listed{repository, o.Identifier, o.LandingPage.URL, o.Deleted})
		} else {
			state := ""
			if o.Deleted {
				state = " (deleted)"
			}
			_, err = fmt.Fprintf(to.out, "%s %s%s\n", printable(o.Identifier), printable(o.LandingPage.URL), state)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func listQuarantined(ctx context.Context, to output, s *session, repository string) error {
	for q, err := range s.db.Quarantined(ctx, repository) {
		if err != nil {
			return err
		}
		if to.json {
			err = to.print(quarantined{repository, q.Identifier, q.Prefix, q.Reason, q.Page, q.At, nameOf(q)})
		} else {
			_, err = fmt.Fprintf(to.out, "%s %s: %s\n", printable(nameOf(q)), q.Prefix, printable(q.Reason))
			if err == nil && q.Page != "" { // a remap has no page
				_, err = fmt.Fprintf(to.out, "  from %s\n", printable(q.Page))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// nameOf names a record in quarantine by its identifier or, if that could not be
// read, by a hash of its bytes.
func nameOf(q store.Quarantined) string {
	if q.Identifier != "" {
		return q.Identifier
	}
	sum := sha256.Sum256(q.Bytes)
	return "nameless-" + hex.EncodeToString(sum[:6])
}

func rawCommand(a *app) *cobra.Command {
	var prefix string
	cmd := &cobra.Command{
		Use:   "raw IDENTIFIER",
		Short: "Print a record's metadata as it was received, in quarantine or not",
		Args:  cobra.ExactArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			bytes, err := rawMetadata(ctx, s, args[0], prefix)
			if err != nil {
				return err
			}
			_, err = a.out.Write(append(bytes, '\n'))
			return err
		}),
	}
	cmd.Flags().StringVar(&prefix, "prefix", "", "in this format (`metadataPrefix`); without it the first that there is")
	return cmd
}

// rawMetadata returns the metadata of an identifier. Quarantine comes first, since that
// is what people look for.
func rawMetadata(ctx context.Context, s *session, identifier, prefix string) ([]byte, error) {
	missing := fmt.Errorf("there is no record %q: `fingerpost records` lists them", identifier)
	for r := range s.All() {
		for q, err := range s.db.Quarantined(ctx, r.ID) {
			if err != nil {
				return nil, fmt.Errorf("read the quarantine of %s: %w", r.ID, err)
			}
			if nameOf(q) != identifier || prefix != "" && q.Prefix != prefix {
				continue
			}
			if len(q.Bytes) > 0 {
				return q.Bytes, nil
			}
			missing = unread(q)
		}
		found, err := s.db.Records(ctx, r.ID, identifier)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("read the records of %s: %w", identifier, err)
		}
		for _, h := range found {
			if !h.Deleted && (prefix == "" || h.Prefix == prefix) {
				return h.Metadata, nil
			}
		}
	}
	return nil, &usageError{missing}
}
