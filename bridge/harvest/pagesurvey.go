package harvest

import (
	"context"
	"errors"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// surveyedPages is how many landing pages a PageSurvey asks for.
const surveyedPages = 20

// PageSurvey is what some landing pages from all over a repository show, before
// all are read.
type PageSurvey struct {
	Asked     int // pages
	Gain      int // of those: what they state adds a link
	PDF       int // of those: a PDF
	Gained    bridge.Coverage
	Shells    int           // pages that are empty until scripts fill them
	Empty     int           // others that state nothing for machines
	Unread    []string      // why others could not be read
	Forbidden int           // pages that robots.txt forbids, which were not asked for
	Stopped   string        // why no more pages were asked for, a sentence; "" if they were
	Files     string        // what the files are that they name, a sentence; "" if they name none
	Due       int           // pages that reading all would ask for, about; 0 if that is unknown
	Pace      time.Duration // least time between two requests
	Delay     bool          // robots.txt asks for Pace
}

// SurveyPages reads some landing pages of a repository: of objects from all over
// the store or, if it was never harvested, of those of the first page. It saves
// nothing but the restraints of hosts.
func (h *Harvester) SurveyPages(ctx context.Context, r Repository, s Survey) (PageSurvey, error) {
	v := &pageSurvey{repository: r, store: h.Store, survey: s}
	if err := v.choose(ctx); err != nil || len(v.objects) == 0 {
		return v.PageSurvey, err
	}
	plain, err := v.mapper(false, nil)
	if err != nil {
		return v.PageSurvey, err
	}
	if v.reader, err = newPageReader(h.noting(ctx, r), h); err != nil {
		return v.PageSurvey, err
	}
	defer v.reader.client.Close()
	v.read(ctx, plain)
	return v.PageSurvey, errors.Join(v.judge(ctx, plain), ctx.Err())
}

type pageSurvey struct {
	PageSurvey
	repository Repository
	store      Store
	survey     Survey
	learned    bridge.Learned
	objects    []surveyed
	of         int // objects of the repository; 0 if that is unknown
	reader     *pageReader
}

// surveyed is an object whose landing page is asked for.
type surveyed struct {
	identifier string
	records    []store.Record // that were harvested
	page       store.Record   // what its landing page states; without Metadata if that is nothing
}

// choose chooses the objects.
func (v *pageSurvey) choose(ctx context.Context) error {
	kept, err := v.store.Repository(ctx, v.repository.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	v.learned = (&source{repository: v.repository, kept: kept}).learned()
	ids, err := v.store.Sample(ctx, v.repository.ID, surveyedPages)
	if err != nil || len(ids) == 0 {
		v.chooseFirst()
		return err
	}
	counts, err := v.store.Counts(ctx, v.repository.ID)
	if err != nil {
		return err
	}
	v.of = counts.Objects
	records, err := v.store.Records(ctx, v.repository.ID, ids...)
	records = slices.DeleteFunc(records, func(r store.Record) bool { return r.Deleted || r.Prefix == landingpage.Prefix })
	for _, ofOne := range byIdentifier(records) {
		v.objects = append(v.objects, surveyed{identifier: ofOne[0].Identifier, records: ofOne})
	}
	return err
}

// chooseFirst chooses objects of the page that the Survey read.
func (v *pageSurvey) chooseFirst() {
	v.learned, v.of = v.survey.learned, max(v.survey.size, 0)
	live := slices.DeleteFunc(slices.Clone(v.survey.records), func(r oaipmh.Record) bool { return r.Deleted })
	for i := 0; i < len(live) && len(v.objects) < surveyedPages; i += max(1, len(live)/surveyedPages) {
		r := live[i]
		v.objects = append(v.objects, surveyed{identifier: r.Identifier, records: []store.Record{
			{Identifier: r.Identifier, Prefix: v.survey.Prefixes[0], Sets: r.Sets, Metadata: r.Metadata},
		}})
	}
}

// mapper returns one that leaves out what landing pages state, or one that
// believes all of it.
func (v *pageSurvey) mapper(pages bool, own []string) (*bridge.Mapper, error) {
	settings, learned := v.repository.Settings, v.learned
	if settings.Pages = pages; pages {
		learned.PageFiles, learned.PagePrefixes = bridge.FilesBelieved, append(slices.Clone(learned.PagePrefixes), own...)
	}
	m, err := bridge.NewMapping(v.repository.OAIURL, learned, settings)
	return m.Mapper(), err
}

// read asks for the landing pages.
func (v *pageSurvey) read(ctx context.Context, plain *bridge.Mapper) {
	for i := range v.objects {
		o := &v.objects[i]
		made, err := makeObject(plain, o.identifier, o.records)
		if err != nil || made.LandingPage.IsContent || v.reader.over(ctx) {
			continue
		}
		a := v.reader.read(ctx, made.LandingPage.URL, store.Visit{})
		if v.Asked++; errors.Is(a.err, errPassedBy) {
			v.Asked--
		}
		switch {
		case a.err == nil:
			o.page = store.Record{Identifier: o.identifier, Prefix: landingpage.Prefix, Metadata: a.record}
		case errors.Is(a.err, landingpage.ErrShell):
			v.Shells++
		case errors.Is(a.err, landingpage.ErrEmpty):
			v.Empty++
		case !errors.Is(a.err, errPassedBy):
			v.Unread = append(v.Unread, made.LandingPage.URL+" "+a.err.Error())
		}
		v.Forbidden = max(v.Forbidden, v.reader.forbidden)
	}
	v.Stopped, v.Pace, v.Delay = v.reader.stop.Reason, v.reader.pace, v.reader.pace > v.reader.least
}

// judge counts what the pages add, and tries a few of the files that they name.
func (v *pageSurvey) judge(ctx context.Context, plain *bridge.Mapper) error {
	var pages []store.Record
	for _, o := range v.objects {
		if len(o.page.Metadata) > 0 {
			pages = append(pages, o.page)
		}
	}
	taught := bridge.Learn(v.repository.OAIURL, v.survey.Identify, v.survey.Formats, nil, asLearnt(pages))
	trusting, err := v.mapper(true, taught.OwnPrefixes)
	if err != nil {
		return err
	}
	var lacking []bridge.Object
	var files []bridge.ContentResource
	for _, o := range v.objects {
		before, err := makeObject(plain, o.identifier, o.records)
		if err != nil {
			continue
		}
		lacking = append(lacking, before.Object)
		after, err := makeObject(trusting, o.identifier, append(slices.Clip(o.records), o.page))
		if err != nil || len(o.page.Metadata) == 0 {
			continue
		}
		if v.gain(before.Object, after.Object); len(before.Items) == 0 && len(after.Items) > 0 && len(files) < triedFiles {
			files = append(files, after.Items[0])
		}
	}
	v.estimate(lacking)
	if len(files) > 0 && !v.reader.over(ctx) {
		v.Files = v.reader.tried(ctx, files).String()
	}
	return nil
}

// gain counts what a page adds.
func (v *pageSurvey) gain(before, after bridge.Object) {
	var one bridge.Coverage
	one.AddGained(before, after)
	v.Gained.AddGained(before, after)
	if one.Item+one.CiteAs+one.License+one.Author > 0 {
		v.Gain++
	}
	if len(before.Items) == 0 && slices.ContainsFunc(after.Items, func(c bridge.ContentResource) bool { return c.MediaType == "application/pdf" }) {
		v.PDF++
	}
}

// estimate estimates how many pages reading all would ask for: those of objects
// that lack what some of these pages gave.
func (v *pageSurvey) estimate(objects []bridge.Object) {
	worth := 0
	for _, o := range objects {
		if o.Lacks("item") && v.Gained.Item > 0 || o.Lacks("cite_as") && v.Gained.CiteAs > 0 ||
			o.Lacks("license") && v.Gained.License > 0 || o.Lacks("author") && v.Gained.Author > 0 {
			worth++
		}
	}
	v.Due = v.of * worth / max(len(objects), 1)
}
