package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge/linkset"
	"fingerpost/server/verify"
)

func verifyCommand(a *app) *cobra.Command {
	var options verify.Options
	var html string
	cmd := &cobra.Command{
		Use:   "verify URL…",
		Short: "Examine the links of any landing page as a Signposting client does",
		Long: `Examine the links of landing pages, anywhere on the web, as a Signposting client
does. Each finding has a remedy.

Exit: 0 nothing is wrong, 4 a page could not be reached, 6 something is wrong.`,
		Example: `  fingerpost verify https://repo.example.edu/record/1234
  fingerpost verify --html report.html https://repo.example.edu/record/1234
  fingerpost verify --json --no-targets https://doi.org/10.5072/1234`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			urls, err := pageURLs(args)
			if err != nil {
				return &usageError{err}
			}
			if options.MaxTargets < 1 {
				return &usageError{errors.New("--max-targets is a number from 1 on; --no-targets looks at none")}
			}
			return verifyAll(cmd.Context(), a.output, urls, options, html)
		},
	}
	cmd.Flags().BoolVar(&options.NoTargets, "no-targets", false, "leave alone the identifier, metadata and files that the links lead to")
	cmd.Flags().IntVar(&options.MaxTargets, "max-targets", 50, "the most metadata documents and files to look at for a page")
	cmd.Flags().StringVar(&html, "html", "", "write the findings to this `file` too, as a page to share")
	return cmd
}

// pageURLs turns the arguments into URLs.
func pageURLs(args []string) ([]string, error) {
	urls := make([]string, len(args))
	for i, arg := range args {
		page, err := linkset.Anchor(arg)
		if err == nil {
			_, err = url.Parse(page)
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be verified: give the URL of a landing page, beginning with https:// or http:// (%w)", printable(arg), err)
		}
		urls[i] = page
	}
	return urls, nil
}

// newVerifier makes the client of a verification.
func newVerifier() *verify.Client {
	return &verify.Client{UserAgent: "fingerpost/" + version() + " (verify)"}
}

func verifyAll(ctx context.Context, to output, urls []string, o verify.Options, html string) error {
	client := newVerifier()
	var reports []verify.Report
	for i, u := range urls {
		report, err := verify.Page(ctx, client, u, o)
		if err != nil {
			return err
		}
		reports = append(reports, report)
		if to.json {
			err = to.print(report)
		} else {
			err = printReport(to.out, report, i > 0)
		}
		if err != nil {
			return err
		}
	}
	if err := writeSheet(html, reports); err != nil {
		return err
	}
	return endOf(reports)
}

// writeSheet writes reports as a page; no file name writes none.
func writeSheet(file string, reports []verify.Report) error {
	if file == "" {
		return nil
	}
	var b bytes.Buffer
	if err := verify.WriteSheet(&b, version(), time.Now(), reports); err != nil {
		return fmt.Errorf("make the page of findings: %w", err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write the findings as a page: %w", err)
	}
	return nil
}

// endOf is how the command ends.
func endOf(reports []verify.Report) error {
	switch {
	case slices.ContainsFunc(reports, func(r verify.Report) bool { return r.Failed() && !r.Unreachable }):
		return &endError{exitViolations}
	case slices.ContainsFunc(reports, func(r verify.Report) bool { return r.Unreachable }):
		return &endError{exitUnreachable}
	}
	return nil
}

func printReport(out io.Writer, r verify.Report, further bool) error {
	var b strings.Builder
	if further {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s\n", printable(r.URL))
	if r.FinalURL != "" && r.FinalURL != r.URL {
		fmt.Fprintf(&b, "is %s\n", printable(r.FinalURL))
	}
	fmt.Fprintf(&b, "Level 1: %s, Level 2: %s\n", yes(r.Level1), yes(r.Level2))
	for _, g := range r.Groups() {
		printGroup(&b, g)
	}
	_, err := out.Write([]byte(b.String()))
	return err
}

func printGroup(b *strings.Builder, g verify.Group) {
	fmt.Fprintf(b, "\n%s\n", g.Title)
	for _, r := range g.Rules {
		fmt.Fprintf(b, "  %s%s\n", r.Code, harvester(r.Ruby))
		for _, message := range r.Messages {
			fmt.Fprintf(b, "    %s\n", message)
		}
		fmt.Fprintf(b, "    -> %s\n", r.Remedy)
	}
}

// harvester mentions the number that the Ruby harvester reports.
func harvester(number string) string {
	if number == "" {
		return ""
	}
	return " (FAIR Signposting Harvester: " + number + ")"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
