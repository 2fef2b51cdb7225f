package server

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// repository is one published repository, as configured and as stored at one
// moment. It makes the links of its objects.
type repository struct {
	Repository
	urls     urls
	formats  []oaipmh.MetadataFormat         // that it offers
	says     []string                        // descriptions of itself
	offered  []oaipmh.MetadataFormat         // of those, the ones that every record is available in, though not harvested
	days     bool                            // its datestamps are days, without a time
	origins  map[string]bridge.LearnedOrigin // of which it is a mirror, by base URL
	settings string                          // a digest of all that shapes its documents beside its objects
	since    time.Time                       // since when these settings are in force
	modified int64                           // newest Object.Modified
	version  int64                           // as published.version
}

// longestName is how much of a repository's name is shown, in characters.
const longestName = 300

// newRepository has the settings of a repository, and nothing of its objects.
func newRepository(configured Repository, saved store.Repository, own urls, version string) *repository {
	r := &repository{Repository: configured, urls: own, formats: saved.Formats, says: saved.Identify.Descriptions}
	if !r.Describedby.OmitOffered {
		r.offered = offeredIn(saved)
	}
	r.Name = nameFor(configured, saved.Identify.RepositoryName)
	r.Platform = cmp.Or(r.Platform, saved.Mapping.Platform)
	r.days = saved.Identify.Granularity == oaipmh.Day
	r.origins = saved.Mapping.Origins
	r.settings = r.digest(version)
	return r
}

// normalBase is the normal form of the base URL in GetRecord requests to a repository.
func normalBase(baseURL string) string {
	base, _, _, _ := oaipmh.ReadGetRecordURL(oaipmh.GetRecordURL(baseURL, "x", "x"))
	return bridge.NormalURL(base)
}

// offeredIn returns the formats, by prefix, that every record is available in.
func offeredIn(saved store.Repository) []oaipmh.MetadataFormat {
	var out []oaipmh.MetadataFormat
	for _, f := range saved.Formats {
		if slices.Contains(saved.Offered.Prefixes, f.Prefix) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b oaipmh.MetadataFormat) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return out
}

// digest names the settings. When anything else changes a document of an
// object, the object's Modified changes too.
func (r *repository) digest(version string) string {
	all, err := json.Marshal([]any{version, r.urls.base, r.Repository, r.formats, r.offered, r.days, r.origins})
	if err != nil { // strings, numbers and lists of them: cannot fail
		return "0"
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:6])
}

// timeOf is a Modified as a time.
func timeOf(modified int64) time.Time { return time.UnixMicro(modified) }

// changed is when a document made from an object or a page that was modified
// at the given time last changed: then, or when the settings did.
func (r *repository) changed(modified int64) time.Time {
	at := timeOf(modified)
	if at.Before(r.since) {
		return r.since
	}
	return at
}

// configuredHosts are the hosts on which all that lies is the repository's.
func (r *Repository) configuredHosts() []string {
	var hosts []string
	if h := hostOf(r.OAIURL); h != "" {
		hosts = append(hosts, h)
	}
	for _, h := range r.Hosts {
		hosts = append(hosts, bareHost(h))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// bareHost is a host without its port, in lower case.
func bareHost(host string) string {
	u := url.URL{Host: host}
	return strings.ToLower(u.Hostname())
}

// hostOf is the host of an absolute URL, without its port and in lower case.
func hostOf(uri string) string {
	_, rest, _ := strings.Cut(uri, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return bareHost(rest[strings.LastIndexByte(rest, '@')+1:])
}

// signpost returns every link of an object. All that is published about it is
// made from these: link sets, headers and the Signmap.
func (r *repository) signpost(o store.Object) linkset.LinkSet {
	return r.links(o, r.gateway(o))
}

// signpostFrom returns those links of an object whose context is anchor.
func (r *repository) signpostFrom(anchor string, o store.Object) linkset.LinkSet {
	if o.Deleted {
		return bridge.Tombstone(o.Object).From(anchor)
	}
	return bridge.SignpostFrom(anchor, o.Object, r.metadata(o), r.gateway(o))
}

// signpostWithin returns every link but those to the link set itself: a client
// that reads them there has it. FAIR Signposting, 2.2.
func (r *repository) signpostWithin(o store.Object) linkset.LinkSet {
	return r.links(o, bridge.Gateway{Inbox: r.Inbox, Documents: r.documents(o)})
}

func (r *repository) links(o store.Object, own bridge.Gateway) linkset.LinkSet {
	if o.Deleted {
		return bridge.Tombstone(o.Object)
	}
	return bridge.Signpost(o.Object, r.metadata(o), own)
}

func (r *repository) gateway(o store.Object) bridge.Gateway {
	return bridge.Gateway{
		LinkSetJSON: r.urls.linkSetJSON(r.ID, o.Key),
		LinkSetText: r.urls.linkSetText(r.ID, o.Key),
		Inbox:       r.Inbox,
		Documents:   r.documents(o),
	}
}

// documents are those that can be made of what the records of an object state.
func (r *repository) documents(o store.Object) []bridge.MetadataResource {
	if o.Documents == 0 || o.Deleted {
		return nil
	}
	out := make([]bridge.MetadataResource, 0, len(description.Documents))
	for i := range description.Documents {
		if d := &description.Documents[i]; o.Documents&d.Needs != 0 {
			out = append(out, bridge.MetadataResource{URL: r.urls.document(r.ID, o.Key, d.Name), MediaType: d.MediaType, Profile: d.ProfileIn(o.Documents)})
		}
	}
	return out
}

// metadata returns the documents that describe an object: in each format in
// which it was harvested the answer of the repository's GetRecord and the copy
// kept here, then GetRecord in the formats in which it is only offered.
func (r *repository) metadata(o store.Object) []bridge.MetadataResource {
	harvested := make([]oaipmh.MetadataFormat, 0, len(o.Prefixes))
	for _, f := range r.formats {
		if slices.Contains(o.Prefixes, f.Prefix) {
			harvested = append(harvested, f)
		}
	}
	baseURL, own := r.recordsOf(o), func(prefix string) string { return r.urls.metadata(r.ID, o.Key, prefix) }
	if r.Describedby.OmitGetRecord {
		baseURL = ""
	}
	if r.Describedby.OmitCopies {
		own = nil
	}
	return append(bridge.MetadataResources(baseURL, o.Identifier, harvested, own), r.onlyOffered(o)...)
}

// onlyOffered returns the documents that describe an object in formats in
// which it was not harvested, but which the repository offers for every record.
func (r *repository) onlyOffered(o store.Object) []bridge.MetadataResource {
	if len(r.offered) == 0 || len(o.Prefixes) == 0 || o.Deleted || r.Describedby.OmitGetRecord {
		return nil
	}
	others := make([]oaipmh.MetadataFormat, 0, len(r.offered))
	for _, f := range r.offered {
		if !slices.Contains(o.Prefixes, f.Prefix) {
			others = append(others, f)
		}
	}
	return bridge.MetadataResources(r.recordsOf(o), o.Identifier, others, nil)
}

// recordsOf is the base URL of the GetRecord requests for an object: that of its
// origin, if the repository is a mirror.
func (r *repository) recordsOf(o store.Object) string { return cmp.Or(o.Origin, r.OAIURL) }

// platformOf is the platform that an object comes from.
func (r *repository) platformOf(o store.Object) string {
	return cmp.Or(r.Platform, r.origins[o.Origin].Platform)
}

// anchor is a landing page as bridge.Signpost publishes it.
func anchor(raw string) string {
	a, err := linkset.Anchor(raw)
	if err != nil {
		return raw
	}
	return a
}
