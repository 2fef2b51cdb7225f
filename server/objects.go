package server

import (
	"context"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// LinkSet returns every link of an object that is kept, for `explain`; nil if
// its repository is not served here.
func (s *Server) LinkSet(ctx context.Context, o store.Object) linkset.LinkSet {
	now, err := s.snapshot(ctx)
	if err != nil || now.repositories[o.Repository] == nil {
		return nil
	}
	return s.signpost(now.repositories[o.Repository], o)
}

// signpost returns every link of an object. All that is published of it is
// made from these: link sets, headers and Signmap.
func (s *Server) signpost(r *repository, o store.Object) linkset.LinkSet {
	return s.links(r, o, s.gateway(r, o))
}

// signpostFrom returns those links of an object whose context is anchor.
func (s *Server) signpostFrom(anchor string, r *repository, o store.Object) linkset.LinkSet {
	if o.Deleted {
		return bridge.Tombstone(o.Object).From(anchor)
	}
	return bridge.SignpostFrom(anchor, o.Object, s.metadata(r, o), s.gateway(r, o))
}

func (s *Server) gateway(r *repository, o store.Object) bridge.Gateway {
	return bridge.Gateway{
		LinkSetJSON: s.urls.linkSetJSON(r.ID, o.Key),
		LinkSetText: s.urls.linkSetText(r.ID, o.Key),
		Inbox:       r.Inbox,
	}
}

// signpostWithin returns every link but those to the link set itself: whoever
// reads them there has it. FAIR Signposting, 2.2.
func (s *Server) signpostWithin(r *repository, o store.Object) linkset.LinkSet {
	return s.links(r, o, bridge.Gateway{Inbox: r.Inbox})
}

func (s *Server) links(r *repository, o store.Object, own bridge.Gateway) linkset.LinkSet {
	if o.Deleted {
		return bridge.Tombstone(o.Object)
	}
	return bridge.Signpost(o.Object, s.metadata(r, o), own)
}

// Offered returns the documents that describe an object in formats in which
// it is not held, for `explain`: the repository offers every record in them.
func (s *Server) Offered(ctx context.Context, o store.Object) []bridge.MetadataResource {
	now, err := s.snapshot(ctx)
	if err != nil || now.repositories[o.Repository] == nil {
		return nil
	}
	return s.offered(now.repositories[o.Repository], o)
}

// metadata returns the documents that describe an object: in each format in
// which it is held the answer of the repository's GetRecord and the copy kept
// here, then GetRecord in those in which it is offered without being held.
func (s *Server) metadata(r *repository, o store.Object) []bridge.MetadataResource {
	held := make([]oaipmh.MetadataFormat, 0, len(o.Prefixes))
	for _, f := range r.formats {
		if slices.Contains(o.Prefixes, f.Prefix) {
			held = append(held, f)
		}
	}
	return append(s.metadataIn(r, o, held), s.offered(r, o)...)
}

func (s *Server) offered(r *repository, o store.Object) []bridge.MetadataResource {
	if len(r.offered) == 0 || len(o.Prefixes) == 0 || o.Deleted || r.Describedby.OmitGetRecord {
		return nil
	}
	others := make([]oaipmh.MetadataFormat, 0, len(r.offered))
	for _, f := range r.offered {
		if !slices.Contains(o.Prefixes, f.Prefix) {
			others = append(others, f)
		}
	}
	return bridge.MetadataResources(r.OAIURL, o.Identifier, others, nil)
}

func (s *Server) metadataIn(r *repository, o store.Object, formats []oaipmh.MetadataFormat) []bridge.MetadataResource {
	baseURL, own := r.OAIURL, func(prefix string) string { return s.urls.metadata(r.ID, o.Key, prefix) }
	if r.Describedby.OmitGetRecord {
		baseURL = ""
	}
	if r.Describedby.OmitCopies {
		own = nil
	}
	return bridge.MetadataResources(baseURL, o.Identifier, formats, own)
}
