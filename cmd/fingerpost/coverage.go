package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// coverageFlags are the flags of the command.
type coverageFlags struct {
	by      string
	group   string
	format  string
	having  string
	missing string
}

// covered is a row of the table; its JSON is what scripts read.
type covered struct {
	Repository string `json:"repository"`
	Group      string `json:"group,omitempty"` // a set, type or year
	bridge.Coverage
}

// behind is an object behind a number of the table.
type behind struct {
	Repository  string `json:"repository"`
	Group       string `json:"group,omitempty"`
	Identifier  string `json:"identifier"`
	LandingPage string `json:"landing_page"`
}

func coverageCommand(a *app) *cobra.Command {
	var f coverageFlags
	cmd := &cobra.Command{
		Use:   "coverage [REPOSITORY...]",
		Short: "Count how many objects have which links",
		Long: `Print the share of objects that have a landing page, a persistent identifier to
cite, a licence, files, a media type for each of their files (of the objects with
files), an author's identifier, and a type more specific than "work". A record in
quarantine counts as an object without any of them.

JSON and CSV have the numbers, text has the shares. With --by an object counts
once in each of its sets, and in one row of its type or year.

--having and --missing list the objects that have or lack a link. --group takes
one row of --by.`,
		Example: "  fingerpost coverage --by type\n  fingerpost coverage main --missing cite_as --format csv\n  fingerpost coverage main --by set --group theses --having license",
		PreRunE: func(*cobra.Command, []string) error { return f.check(a.json) },
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			chosen, err := s.only(args)
			if err != nil {
				return err
			}
			var ids []string
			for _, r := range chosen {
				ids = append(ids, r.ID)
			}
			if f.missing+f.having != "" {
				return listBehind(ctx, a.output, s, ids, f)
			}
			return showCoverage(ctx, a.output, s, ids, f)
		}),
	}
	cmd.Flags().StringVar(&f.by, "by", "", "a row for each `set`, type or year")
	cmd.Flags().StringVar(&f.group, "group", "", "with --by: only this `row`")
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json or csv")
	cmd.Flags().StringVar(&f.having, "having", "", "list the objects with this `column` instead, or all: "+strings.Join(listable(), ", "))
	cmd.Flags().StringVar(&f.missing, "missing", "", "list the objects without this `column` instead: "+strings.Join(bridge.CoverageColumns(), ", "))
	return cmd
}

// allObjects is the column that counts every object.
const allObjects = "objects"

func listable() []string { return append([]string{allObjects}, bridge.CoverageColumns()...) }

func (f *coverageFlags) check(json bool) error {
	if json {
		f.format = "json"
	}
	switch {
	case !slices.Contains([]string{"", "set", "type", "year"}, f.by):
		return &usageError{fmt.Errorf("--by %s: use set, type or year", f.by)}
	case !slices.Contains([]string{"text", "json", "csv"}, f.format):
		return &usageError{fmt.Errorf("--format %s: use text, json or csv", f.format)}
	case f.group != "" && f.by == "":
		return &usageError{errors.New("--group is a row of --by: say which")}
	case f.having != "" && f.missing != "":
		return &usageError{errors.New("give either --having or --missing")}
	case f.having != "" && !slices.Contains(listable(), f.having):
		return &usageError{fmt.Errorf("--having %s: use one of %s", f.having, strings.Join(listable(), ", "))}
	case f.missing != "" && !slices.Contains(bridge.CoverageColumns(), f.missing):
		return &usageError{fmt.Errorf("--missing %s: use one of %s", f.missing, strings.Join(bridge.CoverageColumns(), ", "))}
	}
	return nil
}

// groups are the rows asked for in which an object counts: one, unless it is
// in many sets.
func (f *coverageFlags) groups(o store.Object) []string {
	all := allGroups(o, f.by)
	switch {
	case f.group == "":
		return all
	case slices.Contains(all, f.group):
		return []string{f.group}
	}
	return nil
}

func allGroups(o store.Object, by string) []string {
	switch {
	case by == "set" && len(o.Sets) > 0:
		return o.Sets
	case by == "type" && o.Type != "":
		return []string{o.Type}
	case by == "year" && o.Year != 0:
		return []string{strconv.Itoa(o.Year)}
	case by == "":
		return []string{""}
	}
	return []string{"no " + by}
}

func showCoverage(ctx context.Context, to output, s *session, repositories []string, f coverageFlags) error {
	rows := []covered{}
	for _, id := range repositories {
		table := map[string]*bridge.Coverage{}
		if f.by == "" {
			table[""] = new(bridge.Coverage)
		}
		for o, err := range store.Candidates(ctx, s.db, id) {
			if err != nil {
				return fmt.Errorf("count the links of %s: %w", id, err)
			}
			for _, g := range f.groups(o) {
				if table[g] == nil {
					table[g] = new(bridge.Coverage)
				}
				table[g].Add(o.Object)
			}
		}
		for _, g := range slices.Sorted(maps.Keys(table)) {
			rows = append(rows, covered{id, g, *table[g]})
		}
	}
	switch f.format {
	case "json":
		return to.print(rows)
	case "csv":
		return csv.NewWriter(to.out).WriteAll(cells(rows, f.by, func(n, _ int) string { return strconv.Itoa(n) }))
	}
	table := cells(rows, f.by, share)
	w := tabwriter.NewWriter(to.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(strings.ReplaceAll(strings.Join(table[0], "\t"), "_", " ")))
	for _, row := range table[1:] {
		for i := range row {
			row[i] = printable(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// heads are the titles of the columns before the counts.
func heads(by string, then ...string) []string {
	if by == "" {
		return append([]string{"repository"}, then...)
	}
	return append([]string{"repository", by}, then...)
}

// cells are the title and the rows of the table, with each count as it is written.
func cells(rows []covered, by string, write func(n, of int) string) [][]string {
	out := [][]string{append(heads(by, "objects"), bridge.CoverageColumns()...)}
	for _, r := range rows {
		row := []string{r.Repository}
		if by != "" {
			row = append(row, r.Group)
		}
		row = append(row, strconv.Itoa(r.Objects))
		for i, n := range r.Counts() {
			row = append(row, write(n, r.Of(bridge.CoverageColumns()[i])))
		}
		out = append(out, row)
	}
	return out
}

// share is a percentage: 100 % only of all, 0 % only of none.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	tenths := n * 1000 / of
	if n > 0 {
		tenths = max(tenths, 1)
	}
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// behind reports whether an object belongs to the list.
func (f *coverageFlags) behind(o store.Object) bool {
	switch f.having {
	case "":
		return o.Lacks(f.missing)
	case allObjects:
		return true
	}
	return o.Covers(f.having)
}

// listBehind prints the objects behind a number as they are read.
func listBehind(ctx context.Context, to output, s *session, repositories []string, f coverageFlags) error {
	table := csv.NewWriter(to.out)
	if f.format == "csv" {
		_ = table.Write(heads(f.by, "identifier", "landing_page")) // Error tells
	}
	for _, id := range repositories {
		for o, err := range store.Candidates(ctx, s.db, id) {
			if err != nil {
				return fmt.Errorf("list the objects of %s: %w", id, err)
			}
			if !f.behind(o) {
				continue
			}
			for _, g := range f.groups(o) {
				if err := printBehind(to, behind{id, g, o.Identifier, o.LandingPage.URL}, table, f); err != nil {
					return err
				}
			}
		}
	}
	table.Flush()
	return table.Error()
}

func printBehind(to output, o behind, table *csv.Writer, f coverageFlags) error {
	switch f.format {
	case "json":
		return to.print(o)
	case "csv":
		row := []string{o.Repository}
		if f.by != "" {
			row = append(row, o.Group)
		}
		return table.Write(append(row, o.Identifier, o.LandingPage))
	}
	words := []string{printable(o.Identifier), printable(o.LandingPage)}
	if f.by != "" {
		words = append([]string{printable(o.Group)}, words...)
	}
	_, err := fmt.Fprintln(to.out, strings.TrimSpace(strings.Join(words, " ")))
	return err
}
