package dashboard

import (
	"slices"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

func TestSentencesAboutLandingPages(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	began := store.Pages{
		Began: now.Add(-time.Hour), Due: 12000, Asked: 4000, Pace: time.Second, Day: now.Add(-time.Hour), Today: 4000,
		Read: 3900, Gained: bridge.Coverage{Item: 3000, CiteAs: 2000, License: 1000, Author: 10}, Files: "of the files five were tried",
	}
	with := func(change func(*store.Pages)) store.Pages {
		p := began
		change(&p)
		return p
	}
	gained := "what 3,900 landing pages state adds files to 3,000 objects, what to cite to 2,000, a licence to 1,000, an author to 10"
	for _, tt := range []struct {
		name string
		kept store.Pages
		want []string
	}{
		{"none was asked for", store.Pages{}, nil},
		{"under way", began, []string{"landing pages: 4,000 of 12,000 asked for, 2 h 13 min left", gained, "of the files five were tried"}},
		{"ended", with(func(p *store.Pages) { p.Ended = now }),
			[]string{"landing pages: at 2 Jan 2026 12:00 UTC all were read that may add something", gained, "of the files five were tried"}},
		{"refused", with(func(p *store.Pages) { p.Pause = store.Pause{Until: now.Add(time.Hour), Reason: "it answers 403"} }),
			[]string{"landing pages: 4,000 of 12,000 asked for, 2 h 13 min left", gained, "of the files five were tried", "no landing page is asked for before 2 Jan 2026 13:00 UTC: it answers 403"}},
		{"enough for a day", with(func(p *store.Pages) { p.Today = store.PagesADay }),
			[]string{"landing pages: 4,000 of 12,000 asked for, 2 h 13 min left", gained, "of the files five were tried", "no landing page is asked for before 3 Jan 2026 11:00 UTC: 10,000 were asked for within a day"}},
	} {
		if got := pagesOf(tt.kept, now).Sentences(look.When); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestLandingPagesAreShown(t *testing.T) {
	k := newDesk(t)
	k.save(t, store.Batch{Pages: &store.Pages{
		Began: noon, Due: 20, Asked: 5, Pace: 10 * time.Second, Read: 4, Gained: bridge.Coverage{Item: 3, CiteAs: 2},
		Pause: store.Pause{At: noon, Until: noon.Add(48 * time.Hour), Reason: "it answers <403>"},
	}})
	has(t, k.page(t, "/repository/main"),
		"Landing pages | landing pages: 5 of 20 asked for, 2 min 30 s left",
		"Landing pages | no landing page is asked for before 4 Jan 2031 12:00 UTC: it answers <403>")
}
