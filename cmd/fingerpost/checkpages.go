package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
)

// landingPages says what reading landing pages would bring, before they are read.
func (c *checking) landingPages(ctx context.Context, h *harvest.Harvester, source harvest.Repository, survey harvest.Survey) {
	s, err := h.SurveyPages(ctx, source, survey)
	if err != nil {
		c.say("pages", warning, "", "what landing pages state could not be seen: %v", err)
		return
	}
	fix := ""
	if !c.repository.Probe.Has(config.ProbePages) {
		fix = "set probe: pages"
	}
	unread := len(s.Unread)
	switch {
	case s.Gain > 0:
		c.say("pages", good, fix, "%d of %d landing pages state something that the metadata lacks: %s: %s", s.Gain, s.Asked, gains(s), takes(s))
	case s.Asked > s.Shells+unread:
		c.say("pages", good, "", "%d landing pages that were read state nothing that the metadata lacks", s.Asked-s.Shells-unread)
	}
	if s.Shells > 0 {
		c.say("pages", warning, "let the server render landing pages for programs: search engines need that as well", "%d of %d landing pages are empty until scripts fill them", s.Shells, s.Asked)
	}
	if unread > 0 {
		c.say("pages", warning, "for example: "+s.Unread[0], "%d of %d landing pages could not be read", unread, s.Asked)
	}
	switch {
	case s.Stopped != "":
		c.say("pages", warning, "", "no more landing pages were asked for: %s", s.Stopped)
	case s.Forbidden > 0:
		c.say("pages", warning, "ask its administrators to allow landing pages to fingerpost", "its robots.txt forbids landing pages that were to be looked at: %d", s.Forbidden)
	}
	if s.Files != "" {
		c.say("pages", good, "", "%s", s.Files)
	}
}

// gains says what landing pages add.
func gains(s harvest.PageSurvey) string {
	var parts []string
	for _, g := range []struct {
		what string
		n    int
	}{{"a file", s.Gained.Item}, {"of these a PDF", s.PDF}, {"what to cite", s.Gained.CiteAs}, {"a licence", s.Gained.License}, {"an author", s.Gained.Author}} {
		if g.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", g.what, g.n))
		}
	}
	return strings.Join(parts, ", ")
}

// takes says how long reading all landing pages takes.
func takes(s harvest.PageSurvey) string {
	why := ""
	if s.Delay {
		why = " that robots.txt asks for"
	}
	if s.Due == 0 {
		return fmt.Sprintf("`probe: pages` asks for one every %g s%s", s.Pace.Seconds(), why)
	}
	return fmt.Sprintf("`probe: pages` would take %s for about %d pages, at the %g s%s", inWords(store.TimeFor(s.Due, s.Pace)), s.Due, s.Pace.Seconds(), why)
}

// inWords is a duration in the unit that fits.
func inWords(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f seconds", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d < 72*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
