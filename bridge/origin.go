package bridge

import (
	"cmp"
	"slices"
	"strings"

	"fingerpost/bridge/vocabulary"
	"fingerpost/oaipmh"
)

// A repository may be a mirror of others: then its records name the repository that
// they come from. Whatever rests on an address rests on that of the origin.

// at returns the mapping for the records of an origin, which is the base URL of its
// OAI-PMH interface; "" is the repository that was harvested.
func (m *Mapping) at(origin string) *Mapping {
	if origin == "" || origin == m.baseURL {
		return m
	}
	other, learned := *m, m.learned.Origins[origin]
	other.baseURL, other.hosts = origin, knownHosts(origin, m.settings.Hosts)
	if p, ok := vocabulary.PlatformNamed(cmp.Or(m.settings.Platform, m.learned.Platform, learned.Platform)); ok {
		other.platform = p
	}
	other.own = slices.Concat(m.own, lowered(learned.OwnPrefixes))
	return &other
}

func lowered(list []string) (out []string) {
	for _, s := range list {
		out = append(out, strings.ToLower(s))
	}
	return out
}

// mostOrigins is how many mappings a Mapper remembers.
const mostOrigins = 256

// turn makes the mapping of an origin that by which the next object is made.
func (m *Mapper) turn(origin string) {
	at, ok := m.origins[origin]
	if !ok {
		if len(m.origins) >= mostOrigins || m.origins == nil {
			m.origins = map[string]*Mapping{}
		}
		at = m.root.at(origin)
		m.origins[strings.Clone(origin)] = at
	}
	m.mapping = at
}

// originOf returns the origin of records of one identifier.
func originOf(records []Record) string {
	for _, r := range records {
		if r.Origin != "" {
			return r.Origin
		}
	}
	return ""
}

// byOrigin parts a sample by the origins of its records.
func byOrigin(sample []oaipmh.Record) (own []oaipmh.Record, others map[string][]oaipmh.Record) {
	others = map[string][]oaipmh.Record{}
	for _, r := range sample {
		if origin, _ := oaipmh.OriginOf(r.Provenance, r.Identifier); origin != "" {
			others[origin] = append(others[origin], r)
		} else {
			own = append(own, r)
		}
	}
	return slices.Clip(own), others
}
