package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// finding is a line of `check`.
type finding struct {
	Repository string `json:"repository"` // "" if it is about all
	Name       string `json:"name"`
	State      string `json:"state"`
	Text       string `json:"text"`
	Fix        string `json:"fix,omitempty"`

	Sources []string `json:"sources,omitempty"` // that it is about, if they are several
}

// The states of a finding.
const (
	good    = "ok"
	warning = "warn"
	bad     = "FAIL"
)

func checkCommand(a *app) *cobra.Command {
	var sources bool
	c := &cobra.Command{
		Use:   "check [REPOSITORY... | OAI_URL]",
		Short: "Examine a repository from inside and outside, and name the next step",
		Long: `Examine a repository: how it describes itself, which formats would be harvested,
how its first records would be mapped, what 20 of its landing pages state that
the metadata lacks, when the next runs are due, what a crawler finds that takes
its interface for a sitemap, and, from outside, whether its robots.txt and its
pages lead to the links. Nothing is stored. A repository that asked for a pause is asked too: if it answers, the
pause ends.

With --sources it finds sources that harvest one repository: at two forms of its
address, under two names, a set of another source, or the same records. No
repository is asked: their addresses are compared, what they said of themselves
when they were harvested, and some of their records.

Exit: 0 all is well, 4 the repository cannot be reached, 6 something is wrong.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if sources && len(args) > 0 {
				return &usageError{errors.New("check --sources compares all sources: name none")}
			}
			oaiURL, names := addressOrNames(args)
			s, err := a.begin(cmd.Context(), oaiURL)
			if err != nil {
				return err
			}
			defer s.db.Close()
			if sources {
				return checkSources(cmd.Context(), a.output, s)
			}
			chosen, err := s.only(names)
			if err != nil {
				return err
			}
			return checkAll(cmd.Context(), a.output, s, chosen)
		},
	}
	c.Flags().BoolVar(&sources, "sources", false, "find sources that harvest one repository")
	return c
}

// checkSources names the sources that harvest one repository.
func checkSources(ctx context.Context, to output, s *session) error {
	var configured []harvest.Repository
	for r := range s.All() {
		configured = append(configured, harvest.Repository{ID: r.ID, OAIURL: r.OAIURL, Sets: r.Sets})
	}
	found, err := harvest.FindVariants(ctx, s.db, configured)
	if err != nil {
		return err
	}
	var findings []finding
	failed := false
	for _, v := range found {
		f := finding{Repository: v.Sources[0], Name: "sources", State: bad, Text: v.Sentence(), Fix: v.Remedy, Sources: v.Sources}
		if v.Mirror {
			f.State = warning
		}
		failed = failed || f.State == bad
		findings = append(findings, f)
	}
	if len(findings) == 0 {
		findings = append(findings, finding{Name: "sources", State: good, Text: fmt.Sprintf("as far as is known, each of the sources is another repository: %d", len(configured))})
	}
	if err := writeFindings(to, findings); err != nil {
		return err
	}
	if failed {
		return &endError{exitViolations}
	}
	return nil
}

func checkAll(ctx context.Context, to output, s *session, chosen []config.Repository) error {
	to.warnOnlyHere(s)
	sources, err := sourcesOf(s.Config, chosen)
	if err != nil {
		return err
	}
	var errs []error
	failed := false
	for i, r := range chosen {
		c := &checking{session: s, to: to, repository: r}
		if err := c.all(ctx, sources[i]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.ID, err))
		}
		if err := writeFindings(to, c.findings); err != nil {
			return err
		}
		failed = failed || c.failed()
	}
	switch {
	case len(errs) > 0:
		return errors.Join(errs...)
	case failed:
		return &endError{exitViolations}
	}
	return nil
}

func writeFindings(to output, all []finding) error {
	for _, f := range all {
		if to.json {
			if err := to.print(f); err != nil {
				return err
			}
			continue
		}
		text := fmt.Sprintf("%-10s %-4s  %s\n", f.Name, f.State, outbound.Printable(f.Text, whole))
		if f.Fix != "" {
			text += fmt.Sprintf("%-10s       %s\n", "", outbound.Printable(f.Fix, whole))
		}
		if _, err := fmt.Fprint(to.out, text); err != nil {
			return err
		}
	}
	return nil
}

// checking collects what is found about one repository.
type checking struct {
	*session
	to         output
	repository config.Repository
	findings   []finding
}

func (c *checking) say(name, state, fix, format string, args ...any) {
	c.findings = append(c.findings, finding{Repository: c.repository.ID, Name: name, State: state, Text: fmt.Sprintf(format, args...), Fix: fix})
}

func (c *checking) failed() bool {
	for _, f := range c.findings {
		if f.State == bad {
			return true
		}
	}
	return false
}

// all checks from the inside to the outside. If the repository does not answer, that
// is returned as an error, and the rest is checked nevertheless.
func (c *checking) all(ctx context.Context, source harvest.Repository) error {
	c.say("config", good, "", "%s, %s", c.repository.ID, c.repository.OAIURL)
	c.database(ctx)
	c.schedule()
	h := &harvest.Harvester{Store: c.db, Clock: outbound.WallClock(), Paused: c.paused}
	survey, err := h.Survey(ctx, source)
	if err != nil {
		c.say("identify", bad, "", "%v", err)
	} else {
		c.lift(ctx, h, source)
		c.identify(survey)
		c.formats(survey)
		c.sample(survey)
		c.landingPages(ctx, h, source, survey)
	}
	c.rights(ctx)
	c.sitemap(ctx, survey.Sitemap)
	c.outside(ctx)
	return err
}

// paused says why nothing happens.
func (c *checking) paused(repository string, until time.Time) {
	if !until.IsZero() {
		fmt.Fprintf(c.to.err, "fingerpost: %s: %s\n", repository, pausedUntil(until))
	}
}

// database looks for damage.
func (c *checking) database(ctx context.Context) {
	if err := examineDatabase(ctx, c.session); err != nil {
		c.say("database", bad, "", "%v", err)
	}
}

// schedule prints the next three runs, so that a wrong time zone is seen.
func (c *checking) schedule() {
	schedule, err := c.repository.Harvests()
	if err != nil {
		c.say("schedule", bad, "", "%v", err)
		return
	}
	var next []string
	for _, t := range schedule.NextN(time.Now(), 3) {
		next = append(next, t.Format("Mon 2 Jan 15:04 MST"))
	}
	if len(next) == 0 {
		c.say("schedule", warning, `use "fingerpost harvest", or set a schedule`, "never")
		return
	}
	c.say("schedule", good, "", "%s: next %s", schedule, strings.Join(next, ", "))
}

// lift ends the pause of a repository that has just answered.
func (c *checking) lift(ctx context.Context, h *harvest.Harvester, source harvest.Repository) {
	pause, err := h.Lift(ctx, source)
	switch {
	case is[*store.LockedError](err): // a run asks it at this moment
	case err != nil:
		c.say("identify", warning, "", "whether harvests wait for it could not be seen to: %v", err)
	case !pause.Until.IsZero():
		c.say("identify", good, "", "it answers again, so the pause is over: %s", pause.Reason)
	}
}

func (c *checking) identify(s harvest.Survey) {
	platform := s.Platform
	if platform == "" {
		platform = "platform not recognised"
	}
	c.say("identify", good, "", "%s, %s, granularity %s, deletedRecord %s", s.Identify.RepositoryName, platform, s.Identify.Granularity, s.Identify.DeletedRecord)
	if s.Identify.DeletedRecord != oaipmh.Persistent {
		c.say("identify", warning, "a sweep finds them once a month: see politeness.sweep", "it does not keep track of deletions, so records may vanish without a word")
	}
	if s.MovedTo != "" {
		c.say("identify", warning, "set oai_url: "+s.MovedTo, "it has moved to %s", s.MovedTo)
	}
	for _, t := range s.Trouble {
		c.say("identify", warning, "", "%s", t)
	}
	if s.Settings.VerbatimToken && !c.repository.Politeness.VerbatimToken {
		c.say("identify", warning, "set politeness.verbatim_token: true", "it wants resumption tokens verbatim")
	}
	if s.Settings.DayGranularity && c.repository.Politeness.Granularity != "day" {
		c.say("identify", warning, "set politeness.granularity: day", "it refuses the seconds that it promises")
	}
}

func (c *checking) formats(s harvest.Survey) {
	var offered []string
	for _, f := range s.Formats {
		offered = append(offered, f.Prefix)
	}
	c.say("formats", good, "", "offers %s; harvested would be %s", strings.Join(offered, ", "), strings.Join(s.Prefixes, ", "))
	if len(s.Offered) > 0 {
		c.say("formats", good, "", "linked as well, since every record that was looked at is available in it: %s", strings.Join(s.Offered, ", "))
	}
	for _, f := range s.LeftOut {
		c.say("formats", good, "", "not linked is %s: %s", f.Prefix, f.Why)
	}
}

// sample says what the first page would be mapped to.
func (c *checking) sample(s harvest.Survey) {
	n := s.Sample.Objects
	if n == 0 {
		c.say("sample", warning, "", "the first page holds no record that could be mapped")
		return
	}
	state, fix := good, ""
	if len(s.Unmapped)+len(s.Bad) > 0 {
		state, fix = warning, "for example: "+append(s.Unmapped, s.Bad...)[0]
	}
	c.say("sample", state, fix, "the first page of %s, %d records: %d have no links, %d could not be read, %d places were mended", s.Prefixes[0], n, len(s.Unmapped), len(s.Bad), s.Repairs)
	var shares []string
	for i, name := range bridge.CoverageColumns() {
		shares = append(shares, strings.ReplaceAll(name, "_", " ")+" "+share(s.Sample.Counts()[i], s.Sample.Of(name)))
	}
	c.say("sample", good, "", "%s", strings.Join(shares, ", "))
	if len(s.Prefix) > 0 {
		c.say("sample", good, "", "identifiers of its own begin with %s", strings.Join(s.Prefix, ", "))
	}
}
