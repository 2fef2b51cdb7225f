package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"fingerpost/bridge/linkset"
	"fingerpost/server/verify"
)

func verifyCommand(a *app) *cobra.Command {
	var options verify.Options
	cmd := &cobra.Command{
		Use:   "verify URL…",
		Short: "Examine the links of any landing page as a Signposting client does",
		Long: `Examine the links of landing pages, anywhere on the web, as a Signposting client
does. Each finding has a remedy.

Exit: 0 nothing is wrong, 4 a page could not be reached, 6 something is wrong.`,
		Example: `  fingerpost verify https://repo.example.edu/record/1234
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
			return verifyAll(cmd.Context(), a.output, urls, options)
		},
	}
	cmd.Flags().BoolVar(&options.NoTargets, "no-targets", false, "leave alone the identifier, metadata and files that the links lead to")
	cmd.Flags().IntVar(&options.MaxTargets, "max-targets", 50, "the most metadata documents and files to look at for a page")
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

func verifyAll(ctx context.Context, to output, urls []string, o verify.Options) error {
	client := &verify.Client{UserAgent: "fingerpost/" + version() + " (verify)"}
	failed, unreachable := false, false
	for i, u := range urls {
		report, err := verify.Page(ctx, client, u, o)
		if err != nil {
			return err
		}
		failed = failed || report.Failed() && !report.Unreachable
		unreachable = unreachable || report.Unreachable
		if to.json {
			err = to.print(report)
		} else {
			err = printReport(to.out, report, i > 0)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case failed:
		return &endError{exitViolations}
	case unreachable:
		return &endError{exitUnreachable}
	}
	return nil
}

// severities are the groups of findings, in their order.
var severities = []struct {
	severity verify.Severity
	title    string
}{
	{verify.Fail, "Wrong"},
	{verify.Warn, "Could be better"},
	{verify.Info, "Worth knowing"},
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
	for _, s := range severities {
		printFindings(&b, r.Findings, s.severity, s.title)
	}
	_, err := out.Write([]byte(b.String()))
	return err
}

// printFindings prints the findings of one severity. A remedy that several of
// one code share is printed once, after the last of them.
func printFindings(b *strings.Builder, all []verify.Finding, severity verify.Severity, title string) {
	var group []verify.Finding
	for _, f := range all {
		if f.Severity == severity {
			group = append(group, f)
		}
	}
	if len(group) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for i, f := range group {
		if i == 0 || group[i-1].Code != f.Code {
			fmt.Fprintf(b, "  %s%s\n", f.Code, harvester(f.Ruby))
		}
		fmt.Fprintf(b, "    %s\n", f.Message)
		if i == len(group)-1 || group[i+1].Code != f.Code {
			fmt.Fprintf(b, "    -> %s\n", f.Remedy)
		}
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
