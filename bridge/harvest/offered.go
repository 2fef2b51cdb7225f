package harvest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// Formats that are not harvested are linked, too, if every record is available in
// them. A repository does not say so: it promises only oai_dc for every record
// (OAI-PMH 3.4), and lists the formats of one record at a time (4.4). A sample of
// records has to stand for all.
const (
	offeredAge   = 30 * 24 * time.Hour // how long the answers are good
	askedFormats = 20
)

// LeftOut is a format that is not linked, and the reason.
type LeftOut struct {
	Prefix string
	Why    string
}

// otherFormats are those offered formats, by prefix, that are not harvested
// and may be linked, and those that may not.
func (r Repository) otherFormats(prefixes []string, offered []oaipmh.MetadataFormat) (of []oaipmh.MetadataFormat, out []LeftOut) {
	if r.HarvestedOnly {
		return nil, nil
	}
	for _, f := range offered {
		switch {
		case slices.Contains(prefixes, f.Prefix):
		case !bridge.Describes(f):
			out = append(out, LeftOut{f.Prefix, "it is not for others to read"})
		default:
			of = append(of, f)
		}
	}
	slices.SortStableFunc(of, func(a, b oaipmh.MetadataFormat) int { return cmp.Compare(a.Prefix, b.Prefix) })
	of = slices.CompactFunc(of, func(a, b oaipmh.MetadataFormat) bool { return a.Prefix == b.Prefix })
	for len(of) > askedFormats {
		last := len(of) - 1
		out = append(out, LeftOut{of[last].Prefix, fmt.Sprintf("only %d formats are asked about", askedFormats)})
		of = of[:last]
	}
	return of, out
}

// expectOffered notes the other formats before the first object is saved, since a
// Signmap leaves room for their links. Earlier findings stay until they are renewed.
func (s *source) expectOffered() {
	of, _ := s.repository.otherFormats(s.prefixes, s.kept.Formats)
	if slices.Equal(of, s.kept.Offered.Of) {
		return
	}
	var kept []string
	for _, prefix := range s.kept.Offered.Prefixes {
		if offers(of, prefix) {
			kept = append(kept, prefix)
		}
	}
	s.kept.Offered = store.Offered{Of: of, Prefixes: kept}
}

// renewOffered asks about the other formats again if the answers are old or the
// formats have changed. A repository that cannot answer is asked in the next run;
// until then only links are missing.
func (s *source) renewOffered(ctx context.Context) error {
	last := &s.kept.Offered
	if len(last.Of) == 0 || s.h.Clock.Now().Before(last.At.Add(offeredAge)) {
		return nil
	}
	ids, err := s.archive.unlike(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	offered, out, err := askOffered(ctx, s.repository, s.prefixes[0], s.kept.Identify, s.kept.Formats, last.Of, ids)
	if err != nil {
		s.h.Log.Info("harvest: asking in which other formats every record is available failed; the next run asks again",
			"repository", s.repository.ID, "error", err)
		return nil
	}
	last.Prefixes, last.At = prefixes(offered), s.h.Clock.Now()
	s.h.Log.Info("harvest: asked in which other formats every record is available",
		"repository", s.repository.ID, "offered", last.Prefixes, "left_out", len(out))
	return s.save(ctx)
}

// askOffered returns those of some formats that all records seem to be
// available in, and why others are left out. It sends at most a few requests for
// lists of formats, one per identifier and format that is still in question, and
// one for each format's size, none of them twice. The error says that the
// repository cannot be asked now.
func askOffered(ctx context.Context, r Repository, prefix string, identify oaipmh.Identify, all, of []oaipmh.MetadataFormat, ids []string) ([]oaipmh.MetadataFormat, []LeftOut, error) {
	if len(of) == 0 || len(ids) == 0 {
		return nil, nil, nil
	}
	options := r.Client
	options.Retries = -1 // a format that fails is not worth a second try
	client, err := oaipmh.New(r.OAIURL, options)
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	a := asking{client: client, list: r.list(prefix, r.granularity(identify)), ignoreSize: r.IgnoreSize, all: all, ids: ids, left: of}
	for _, step := range []func(context.Context) error{a.listed, a.meant, a.got, a.counted} {
		if len(a.left) == 0 {
			break
		}
		if err := step(ctx); err != nil {
			return nil, nil, err
		}
	}
	return a.left, a.out, nil
}

// asking takes away one format after the other, until those are left that all
// records seem to be available in. Its methods return an error where a
// repository cannot be asked now.
type asking struct {
	client     *oaipmh.Client
	list       oaipmh.List // that is harvested
	ignoreSize bool
	all        []oaipmh.MetadataFormat
	ids        []string // of live records
	left       []oaipmh.MetadataFormat
	out        []LeftOut
}

// keep takes away the formats for which why gives a reason.
func (a *asking) keep(why func(oaipmh.MetadataFormat) (string, error)) error {
	var left []oaipmh.MetadataFormat
	for _, f := range a.left {
		reason, err := why(f)
		switch {
		case err != nil:
			return err
		case reason == "":
			left = append(left, f)
		default:
			a.out = append(a.out, LeftOut{f.Prefix, reason})
		}
	}
	a.left = left
	return nil
}

// none takes all formats away.
func (a *asking) none(format string, args ...any) error {
	return a.keep(func(oaipmh.MetadataFormat) (string, error) { return fmt.Sprintf(format, args...), nil })
}

// listed asks in which formats each of the records is. One of them may have
// vanished meanwhile.
func (a *asking) listed(ctx context.Context) error {
	var alive []string
	gone := 0
	for _, id := range a.ids[:min(len(a.ids), fewAtOnce)] {
		formats, err := a.client.ListMetadataFormats(ctx, id)
		switch {
		case err == nil:
			alive = append(alive, id)
		case isAway(err):
			return err
		case isGone(err) && gone == 0 && len(a.ids) > 1:
			gone++
			continue
		default:
			return a.none("the repository does not say in which formats a record is: %v", err)
		}
		_ = a.keep(func(f oaipmh.MetadataFormat) (string, error) { // which asks for nothing
			if !offers(formats, f.Prefix) {
				return fmt.Sprintf("not every record is available in it: %s is not", id), nil
			}
			return "", nil
		})
		if len(a.left) == 0 {
			return nil
		}
	}
	a.ids = append(alive, a.ids[min(len(a.ids), fewAtOnce):]...)
	return nil
}

// meant checks whether the repository looks at the identifier at all: one that
// does not lists formats for a record that does not exist.
func (a *asking) meant(ctx context.Context) error {
	none := a.ids[0] + "/no-such-record"
	switch formats, err := a.client.ListMetadataFormats(ctx, none); {
	case err != nil && isAway(err):
		return err
	case err == nil && len(formats) > 0:
		return a.none("the repository does not say in which formats a record is: it lists the same for one that does not exist")
	}
	return nil
}

// got asks for the records in each of the formats. A repository may list a
// format for records in which there is nothing: only the contents tell.
func (a *asking) got(ctx context.Context) error {
	return a.keep(func(f oaipmh.MetadataFormat) (string, error) {
		for _, id := range a.ids {
			if reason, err := a.gotOne(ctx, id, f); reason != "" || err != nil {
				return reason, err
			}
		}
		return "", nil
	})
}

// gotOne says why a record is not one in the format. It may have vanished.
func (a *asking) gotOne(ctx context.Context, id string, f oaipmh.MetadataFormat) (string, error) {
	r, err := a.client.GetRecord(ctx, id, f.Prefix)
	var protocol *oaipmh.Error
	switch {
	case err != nil && isAway(err):
		return "", err
	case errors.As(err, &protocol) && protocol.Code == oaipmh.IDDoesNotExist && id != a.ids[0]:
		return "", nil
	case err != nil:
		return fmt.Sprintf("a record cannot be had in it: %v", err), nil
	case !strings.EqualFold(r.Identifier, id):
		return fmt.Sprintf("a request for %s in it is answered with %q", id, r.Identifier), nil
	case r.Deleted:
		return fmt.Sprintf("%s is deleted in it, and is not in other formats", id), nil
	}
	return a.unreadable(f, r), nil
}

// unreadable says why a record is not what its format promises. Its root need
// not be in the format's own namespace: many are declared by another name, or
// are in a wrapper. But a repository that takes any format for oai_dc sends that.
func (a *asking) unreadable(f oaipmh.MetadataFormat, r oaipmh.Record) string {
	namespace, err := rootOf(r.Metadata)
	if err != nil {
		return fmt.Sprintf("the metadata of %s cannot be read in it: %v", r.Identifier, err)
	}
	for _, other := range a.all {
		if other.Prefix == oaiDC && namespace == other.Namespace && namespace != f.Namespace {
			return fmt.Sprintf("the metadata of %s is in oai_dc instead", r.Identifier)
		}
	}
	return ""
}

// rootOf is the namespace of a document, if that is well-formed and says
// anything.
func rootOf(document []byte) (namespace string, err error) {
	d := xml.NewDecoder(bytes.NewReader(document))
	depth, said := 0, false
	for {
		switch t, err := d.Token(); e := t.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				namespace = e.Name.Space
			}
			said = said || depth > 1
		case xml.EndElement:
			depth--
		case xml.CharData:
			said = said || depth > 0 && len(bytes.TrimSpace(e)) > 0
		case nil:
			if errors.Is(err, io.EOF) && !said {
				return "", errors.New("there is nothing in it")
			}
			if errors.Is(err, io.EOF) {
				return namespace, nil
			}
			return "", err
		}
	}
}

// counted compares, where the repository says how many records there are in a
// format, their number with that of a format that is harvested.
func (a *asking) counted(ctx context.Context) error {
	harvested, err := a.count(ctx, a.list.Prefix)
	if err != nil {
		return away(err)
	}
	return a.keep(func(f oaipmh.MetadataFormat) (string, error) {
		n, err := a.count(ctx, f.Prefix)
		switch {
		case err != nil:
			return fmt.Sprintf("its records cannot be listed: %v", err), away(err)
		case n.fewerThan(harvested):
			return fmt.Sprintf("not every record is available in it: its list is shorter than that of %s", a.list.Prefix), nil
		}
		return "", nil
	})
}

// size is how many records a list has, as its first page says; -1 where it
// does not.
type size struct {
	all, least int // deleted ones included
	live       int
}

func (s size) fewerThan(t size) bool {
	if s.live >= 0 && t.live >= 0 {
		return s.live < t.live
	}
	return s.all >= 0 && s.all < t.least
}

// count counts the records in a format by the first page of its list.
func (a *asking) count(ctx context.Context, prefix string) (size, error) {
	list := a.list
	list.Prefix = prefix
	page, err := a.client.FirstIdentifiers(ctx, list)
	if err != nil {
		return size{}, unlessEmpty(err)
	}
	n := len(page.Records) + len(page.Bad)
	announced := page.Token.CompleteListSize
	switch {
	case page.Token.Value != "" && (announced < n || a.ignoreSize):
		return size{all: -1, least: n + 1, live: -1}, nil
	case page.Token.Value != "":
		return size{all: announced, least: announced, live: -1}, nil
	}
	deleted := 0
	for _, r := range page.Records {
		if r.Deleted {
			deleted++
		}
	}
	return size{n, n, n - deleted}, nil
}

// isGone reports whether the repository says that a record does not exist, or
// no longer.
func isGone(err error) bool {
	var protocol *oaipmh.Error
	return errors.As(err, &protocol) && (protocol.Code == oaipmh.IDDoesNotExist || protocol.Code == oaipmh.NoMetadataFormats)
}

// away is err if the repository cannot be asked now.
func away(err error) error {
	if err != nil && isAway(err) {
		return err
	}
	return nil
}

// isAway reports whether an error means that the repository is unreachable or has
// asked for a pause, and says nothing about the requested record. A timeout does not
// count: it says enough.
func isAway(err error) bool {
	var status *oaipmh.StatusError
	var unreachable *oaipmh.UnreachableError
	var pause *oaipmh.PauseError
	switch {
	case errors.As(err, &status):
		return slices.Contains([]int{
			http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		}, status.Code)
	case errors.As(err, &unreachable):
		return !errors.Is(err, context.DeadlineExceeded)
	}
	return errors.As(err, &pause) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
