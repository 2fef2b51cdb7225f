package harvest

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

const (
	// triedFiles is how many of the files that landing pages name are asked for
	// before the others are believed, and firstBytes how much of each.
	triedFiles = 5
	firstBytes = 1 << 10
	// consideredPages is among how many pages those with files are looked for.
	consideredPages = 200
)

// learnFromPages learns from the first landing pages that were read, or from all
// at the end of a pass, and again when these are old: which prefixes of identifiers are the repository's own,
// and, by asking for a few of the files that they name, whether those are files.
// Then everything is mapped again.
func (p *pageRun) learnFromPages(ctx context.Context, all bool) error {
	learned, again := &p.source.kept.Mapping, pageAge
	if learned.PageFiles == bridge.FilesUntried && p.pages.Gained.Item > 0 {
		again = day
	}
	if p.pages.Read == 0 || p.pages.Read < pagesTell && !all || p.now().Before(p.pages.At.Add(again)) || p.over(ctx) {
		return nil
	}
	records, err := p.someOfPages(ctx)
	if err != nil {
		return err
	}
	taught := bridge.Learn(p.repository.OAIURL, p.source.kept.Identify, p.source.kept.Formats, nil, asLearnt(records))
	learned.PagePrefixes = slices.DeleteFunc(taught.OwnPrefixes, func(own string) bool { return slices.Contains(learned.OwnPrefixes, own) })
	if err := p.tryFiles(ctx, records); err != nil || p.over(ctx) {
		return err
	}
	if err := p.source.save(ctx); err != nil {
		return err
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	if err := p.remade(ctx); err != nil {
		return err
	}
	return p.recount(ctx)
}

// someOfPages returns the records of some landing pages.
func (p *pageRun) someOfPages(ctx context.Context) (out []store.Record, err error) {
	var ids []string
	for id, err := range p.h.Store.Identifiers(ctx, p.repository.ID, landingpage.Prefix, "") {
		if err != nil {
			return nil, err
		}
		if ids = append(ids, id); len(ids) == consideredPages {
			break
		}
	}
	records, err := p.h.Store.Records(ctx, p.repository.ID, spread(ids)...)
	for _, r := range records {
		if r.Prefix == landingpage.Prefix && !r.Deleted {
			out = append(out, r)
		}
	}
	return out, err
}

// asLearnt are records as package bridge learns from them.
func asLearnt(records []store.Record) (out []oaipmh.Record) {
	for _, r := range records {
		out = append(out, oaipmh.Record{
			Header:   oaipmh.Header{Identifier: r.Identifier, Datestamp: r.Datestamp, Sets: r.Sets, Deleted: r.Deleted},
			Metadata: r.Metadata, Provenance: r.Provenance,
		})
	}
	return out
}

// tryFiles asks for a few files that only landing pages name, of different
// objects. If too many are something else, none is believed.
func (p *pageRun) tryFiles(ctx context.Context, pages []store.Record) error {
	var files []bridge.ContentResource
	for _, page := range pages {
		records, err := p.h.Store.Records(ctx, p.repository.ID, page.Identifier)
		if err != nil {
			return err
		}
		o := p.mapped(p.trusting, page.Identifier, records)
		if len(o.Items) > 0 && !o.Items[0].Restricted && len(p.mapped(p.plain, page.Identifier, records).Items) == 0 {
			files = append(files, o.Items[0])
		}
		if len(files) == triedFiles {
			break
		}
	}
	p.pages.At = p.now()
	if len(files) == 0 {
		return nil
	}
	t := p.tried(ctx, files)
	if p.over(ctx) || t.verdict() == bridge.FilesUntried && p.pages.Files != "" {
		return nil
	}
	p.pages.Files, p.source.kept.Mapping.PageFiles = t.String(), t.verdict()
	p.h.logger().Info("harvest: files that landing pages name were asked for", "repository", p.repository.ID, "files", p.pages.Files)
	return nil
}

// recount counts again what landing pages gave, by the mapping that they taught.
func (p *pageRun) recount(ctx context.Context) error {
	var gained bridge.Coverage
	for id, err := range p.h.Store.Identifiers(ctx, p.repository.ID, landingpage.Prefix, "") {
		if err != nil {
			return err
		}
		records, err := p.h.Store.Records(ctx, p.repository.ID, id)
		if err != nil {
			return err
		}
		gained.AddGained(p.mapped(p.plain, id, records), p.mapped(p.trusting, id, records))
	}
	p.pages.Gained = gained
	return p.save(ctx, store.Batch{})
}

// fileTrial counts what files turned out to be.
type fileTrial struct {
	pdf, other, html, missing, restricted, silent int
}

// verdict is whether such files are believed: up to every fourth may be wrong.
func (t fileTrial) verdict() bridge.PageFiles {
	files, lies := t.pdf+t.other, t.html+t.missing
	switch {
	case files+lies == 0:
		return bridge.FilesUntried
	case lies*4 > files+lies:
		return bridge.FilesDistrusted
	}
	return bridge.FilesBelieved
}

// String is a sentence about the trial.
func (t fileTrial) String() string {
	var parts []string
	total := 0
	for _, c := range []struct {
		n    int
		what string
	}{
		{t.pdf, "PDF (%PDF)"}, {t.other, "of another type"}, {t.html, "a web page in its place"}, {t.missing, "not there"},
		{t.restricted, "for members only"}, {t.silent, "without an answer"},
	} {
		if total += c.n; c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	end := map[bridge.PageFiles]string{
		bridge.FilesBelieved:   "they are believed",
		bridge.FilesDistrusted: "so no file is believed that a landing page names",
		bridge.FilesUntried:    "which says nothing yet, so none is believed",
	}[t.verdict()]
	return fmt.Sprintf("of the files that landing pages name %d were tried: %s; %s", total, strings.Join(parts, ", "), end)
}

// tried asks for the first bytes of files.
func (p *pageReader) tried(ctx context.Context, files []bridge.ContentResource) (t fileTrial) {
	for _, file := range files {
		status, mediaType, body := p.firstOfFile(ctx, file.URL)
		html := mediaType == "text/html" || strings.HasPrefix(http.DetectContentType(body), "text/html")
		switch {
		case status == http.StatusUnauthorized, status == http.StatusForbidden:
			t.restricted++
		case status == http.StatusOK || status == http.StatusPartialContent:
			switch {
			case bytes.Contains(body, []byte("%PDF-")):
				t.pdf++
			case html && file.MediaType != "text/html":
				t.html++
			default:
				t.other++
			}
		case status >= 400 && status < 500 && status != http.StatusTooManyRequests:
			t.missing++
		default:
			t.silent++
		}
	}
	return t
}

// firstOfFile asks for the first bytes of a file; the status is 0 if there was no
// answer.
func (p *pageReader) firstOfFile(ctx context.Context, address string) (status int, mediaType string, body []byte) {
	at := address
	for range maxRedirects + 1 {
		allowed, apart, err := p.allowed(ctx, at)
		if err != nil || !allowed || p.over(ctx) || p.shut[siteOf(at)] {
			return 0, "", nil
		}
		head, body, err := p.client.Get(ctx, at, http.Header{"Range": {fmt.Sprintf("bytes=0-%d", firstBytes-1)}}, firstBytes, apart)
		if err != nil && head.Status == 0 {
			return 0, "", nil
		}
		next, err := outbound.Location(at, head.Status, head.Header)
		if err != nil || next == "" {
			mediaType, _, _ := mime.ParseMediaType(head.Header.Get("Content-Type"))
			if name := outbound.BotCheck(head.Status, head.Header, body); name != "" {
				p.judgeWall(at, &landingpage.WallError{Mark: name})
				return 0, "", nil
			}
			return head.Status, mediaType, body
		}
		at = next
	}
	return 0, "", nil
}
