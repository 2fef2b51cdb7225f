package bridge

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/vocabulary"
	"fingerpost/oaipmh"
)

// For a prefix to be the repository's own, a sample must have at least
// fewestRecords that can be read, and the prefix must stand in more than ownShare
// of them. Where identifiers came late, it stands in more than ownOfScheme of
// those that have an identifier of its scheme at all, of fewestRecords at least.
const (
	fewestRecords = 5
	ownShare      = 0.8
	ownOfScheme   = 0.9
)

// publishers are the DOI prefixes of large publishers. However many articles
// of a repository have one, it is the repository's own only if it has no other.
var publishers = [...]string{
	"10.1002", "10.1007", "10.1016", "10.1017", "10.1021", "10.1038", "10.1039", "10.1063", "10.1073", "10.1080",
	"10.1088", "10.1093", "10.1097", "10.1103", "10.1109", "10.1111", "10.1126", "10.1145", "10.1155", "10.1177",
	"10.1186", "10.1371", "10.3389", "10.3390",
}

// Learn returns what a repository's own answers teach about it: from baseURL,
// Identify, formats and sets the platform, from a sample of its records the
// platform and its DOI and Handle prefixes. The sample may have records of
// one identifier in several formats. Of a mirror, it is what was learned about each
// of its origins.
func Learn(baseURL string, id oaipmh.Identify, formats []oaipmh.MetadataFormat, sets []oaipmh.Set, sample []oaipmh.Record) Learned {
	own, others := byOrigin(sample)
	l := learn(baseURL, id, formats, sets, own)
	for origin, records := range others {
		if l.Origins == nil {
			l = Learned{Origins: map[string]LearnedOrigin{}}
		}
		of := learn(origin, id, formats, sets, records)
		l.Origins[origin] = LearnedOrigin{of.Platform, of.OwnPrefixes}
	}
	return l
}

func learn(baseURL string, id oaipmh.Identify, formats []oaipmh.MetadataFormat, sets []oaipmh.Set, sample []oaipmh.Record) Learned {
	s := vocabulary.Signs{BaseURL: strings.ToLower(baseURL)}
	for _, d := range id.Descriptions {
		s.Descriptions = append(s.Descriptions, strings.ToLower(d))
	}
	for _, f := range formats {
		s.Formats = append(s.Formats, strings.ToLower(f.Namespace))
	}
	for _, set := range sets {
		s.Sets = append(s.Sets, strings.ToLower(set.Spec))
	}
	for _, r := range sample {
		s.Identifiers = append(s.Identifiers, strings.ToLower(r.Identifier))
		for _, set := range r.Sets {
			s.Sets = append(s.Sets, strings.ToLower(set))
		}
	}
	return Learned{Platform: vocabulary.Detect(s), OwnPrefixes: ownPrefixes(sample)}
}

// ownPrefixes returns the prefixes that nearly all objects have among their
// identifiers, or nearly all that have one of that scheme, sorted.
func ownPrefixes(sample []oaipmh.Record) []string {
	objects := map[string]map[prefix]bool{} // OAI identifier: its prefixes
	for _, r := range sample {
		if r.Deleted || len(r.Metadata) == 0 {
			continue
		}
		said, err := crosswalk.Read(r.Metadata, crosswalk.Links)
		if err != nil || !slices.ContainsFunc(said, crosswalk.Statement.InLinks) {
			continue
		}
		if objects[r.Identifier] == nil {
			objects[r.Identifier] = map[prefix]bool{}
		}
		for _, p := range prefixesIn(said) {
			objects[r.Identifier][p] = true
		}
	}
	if len(objects) < fewestRecords {
		return nil
	}
	count, ofScheme := map[prefix]int{}, map[identifier.Scheme]int{}
	for _, prefixes := range objects {
		schemes := map[identifier.Scheme]bool{}
		for p := range prefixes {
			count[p]++
			schemes[p.scheme] = true
		}
		for s := range schemes {
			ofScheme[s]++
		}
	}
	var own []string
	for p, n := range count {
		if float64(n) > ownShare*float64(len(objects)) && (len(count) == 1 || !p.isPublishers()) ||
			n >= fewestRecords && float64(n) > ownOfScheme*float64(ofScheme[p.scheme]) && !p.isPublishers() {
			own = append(own, strings.Clone(p.value)) // it is part of a record
		}
	}
	slices.Sort(own)
	return own
}

// prefix is that of a DOI or a Handle.
type prefix struct {
	scheme identifier.Scheme
	value  string
}

func (p prefix) isPublishers() bool { return slices.Contains(publishers[:], p.value) }

// prefixesIn returns the DOI and Handle prefixes among the identifiers.
func prefixesIn(said []crosswalk.Statement) []prefix {
	var out []prefix
	for _, st := range said {
		var id identifier.ID
		var ok bool
		switch {
		case st.Kind == crosswalk.PID:
			id, ok = identifier.ParseAs(st.Value, st.Scheme)
		case st.Kind == crosswalk.Identifier, st.Kind == crosswalk.Relation && isAlternative(st.Value):
			id, ok = identifier.Parse(st.Value)
		}
		if ok && id.Prefix != "" && id.Persistent() {
			out = append(out, prefix{id.Scheme, strings.ToLower(id.Prefix)})
		}
	}
	return out
}
