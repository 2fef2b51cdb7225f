package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// Survey is what a repository shows of itself before, or without, a harvest.
type Survey struct {
	Identify oaipmh.Identify
	Formats  []oaipmh.MetadataFormat
	Prefixes []string          // that would be harvested
	Offered  []string          // of the other formats, those that every record seems to be available in
	LeftOut  []LeftOut         // the others
	Platform string            // that its answers look like; "" if none is recognised
	Prefix   []string          // DOI and Handle prefixes that look like its own
	Settings oaipmh.Learned    // what its server needs
	Trouble  []string          // what an incremental harvest will need and did not work
	MovedTo  string            // where it answers instead of where it was asked; "" if it did not move
	Sample   bridge.Coverage   // of the first page of oai_dc, or what else comes first
	Unmapped []string          // why records of the sample have no links
	Bad      []string          // why records of the sample could not be read
	Repairs  int               // in the sample
	Sitemap  bridge.OAISitemap // likewise, if it is in oai_dc

	records []oaipmh.Record // of the sample
	size    int             // of the whole list; -1 if it does not say
	learned bridge.Learned
}

// Survey sends the first requests of a harvest and maps the first page. It saves
// nothing but the restraints of hosts. It ignores a pause: a person has decided so.
func (h *Harvester) Survey(ctx context.Context, r Repository) (Survey, error) {
	client, err := oaipmh.New(r.OAIURL, h.noting(ctx, r).Client)
	if err != nil {
		return Survey{}, err
	}
	defer client.Close()
	var s Survey
	if s.Identify, err = client.Identify(ctx); err != nil {
		return s, h.orByPOST(ctx, r, err)
	}
	if s.Formats, err = client.ListMetadataFormats(ctx, ""); err != nil {
		return s, err
	}
	if s.Prefixes, err = selectFormats(ctx, client, r, store.Repository{Formats: s.Formats}); err != nil {
		return s, err
	}
	page, err := firstPage(ctx, client, s.Prefixes[0], r.sets()[0])
	if err != nil {
		return s, err
	}
	tried := trial{client: client, repository: r, list: r.list(s.Prefixes[0], r.granularity(s.Identify)), now: h.Clock.Now()}
	s.Trouble = tried.run(ctx)
	if err := s.askOffered(ctx, h, r, page); err != nil {
		s.Trouble = append(s.Trouble, fmt.Sprintf("it could not be asked in which other formats its records are: %v", err))
	}
	s.Settings = client.Learned()
	if client.BaseURL() != r.OAIURL {
		s.MovedTo = client.BaseURL()
	}
	return s, s.judge(r, page)
}

// orByPOST extends the error of Identify if the repository answers by POST.
func (h *Harvester) orByPOST(ctx context.Context, r Repository, err error) error {
	o := h.noting(ctx, r).Client
	var status *oaipmh.StatusError
	var protocol *oaipmh.Error
	if o.POST || !errors.As(err, &protocol) && !(errors.As(err, &status) && wantsAnotherRequest(status.Code)) {
		return err
	}
	o.POST = true
	client, e := oaipmh.New(r.OAIURL, o)
	if e != nil {
		return err
	}
	defer client.Close()
	if _, e := client.Identify(ctx); e != nil {
		return err
	}
	return fmt.Errorf("it answers requests by POST alone, so set politeness.post: %w", err)
}

// wantsAnotherRequest reports whether a status refuses the kind of request, and
// not who sent it.
func wantsAnotherRequest(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented:
		return true
	}
	return false
}

// askOffered asks about the other formats as a harvest would: by records from the
// store, or else from the first page.
func (s *Survey) askOffered(ctx context.Context, h *Harvester, r Repository, page oaipmh.Page) error {
	of, out := r.otherFormats(s.Prefixes, s.Formats)
	ids, err := (&archive{store: h.Store, repository: r.ID}).unlike(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		ids = someOf(page)
	}
	offered, more, err := askOffered(ctx, h.noting(ctx, r), s.Prefixes[0], s.Identify, s.Formats, of, ids)
	s.Offered, s.LeftOut = prefixes(offered), append(more, out...)
	return err
}

// someOf are the identifiers of some live records of a page, far apart.
func someOf(page oaipmh.Page) []string {
	live := slices.DeleteFunc(slices.Clone(page.Records), func(r oaipmh.Record) bool { return r.Deleted })
	apart := max(1, len(live)/unlikeRecords)
	var out []string
	for i := 0; i < len(live) && len(out) < unlikeRecords; i += apart {
		out = append(out, live[i].Identifier)
	}
	return out
}

// judge maps a page as the first harvest would.
func (s *Survey) judge(r Repository, page oaipmh.Page) error {
	learned := bridge.Learn(r.OAIURL, s.Identify, s.Formats, nil, page.Records)
	s.Platform, s.Prefix, s.Repairs = learned.Platform, learned.OwnPrefixes, page.Repairs
	if len(r.Learned.OwnPrefixes) > 0 {
		learned.OwnPrefixes = r.Learned.OwnPrefixes
	}
	s.records, s.size, s.learned = page.Records, page.Token.CompleteListSize, learned
	mapping, err := bridge.NewMapping(r.OAIURL, learned, r.Settings)
	if err != nil {
		return err
	}
	s.Sitemap = bridge.NewOAISitemap(r.OAIURL)
	for _, b := range page.Bad {
		s.Bad = append(s.Bad, b.Err.Error())
	}
	for _, rec := range page.Records {
		if rec.Deleted {
			continue
		}
		origin, _ := oaipmh.OriginOf(rec.Provenance, rec.Identifier)
		o, err := mapping.Map(rec.Identifier, []bridge.Record{{Prefix: s.Prefixes[0], Sets: rec.Sets, Metadata: rec.Metadata, Origin: origin}}, nil)
		if err != nil {
			s.Unmapped = append(s.Unmapped, err.Error())
		}
		s.Sample.Add(o)
		if s.Prefixes[0] == "oai_dc" {
			s.Sitemap.Add(rec.Identifier, rec.Metadata)
		}
	}
	return nil
}
