package server

import (
	"iter"
	"slices"

	"github.com/klauspost/compress/s2"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/server/answers"
)

// maker finishes the answers for the objects of one repository.
type maker struct {
	*Server
	number     int // of the repository in the edition
	repository *repository
	common     []byte   // phrases of the answers
	phrases    *s2.Dict // of common, when it is needed
	value      []byte
	packed     []byte
}

// maker is for the repository with a number in an edition.
func (s *Server) maker(number int, of editionOf, r *repository) *maker {
	return &maker{Server: s, number: number, repository: r, common: of.Phrases}
}

// answers yields the names of an object and of all URLs by which it is found,
// each with what is kept under it, which is good until the next.
func (m *maker) answers(o store.Object) iter.Seq2[name, []byte] {
	return func(yield func(name, []byte) bool) {
		page, contexts := contextsOf(o)
		links := map[string]linkset.LinkSet{}
		for _, l := range m.signpost(m.repository, o) {
			links[l.Anchor] = append(links[l.Anchor], l)
		}
		object := nameOfObject(o.Repository, o.Key)
		if !yield(object, m.ofDocuments(o, links)) {
			return
		}
		for n, context := range contexts {
			value := []byte(nil)
			switch {
			case len(links[context]) == 0:
			case n != page && context == contexts[page]:
				value = m.keep(urlAnswer{of: source{m.number, false}, name: page})
			default:
				value = m.ofURL(object, links[context])
			}
			if !yield(n, value) {
				return
			}
		}
	}
}

// contextsOf returns the context of the links of each URL by which an object
// is found, as contextOf would, and which of these is the landing page.
func contextsOf(o store.Object) (page name, contexts map[name]string) {
	own := anchor(o.LandingPage.URL)
	page = nameOfURL(o.LandingPage.URL)
	contexts = map[name]string{}
	if o.LandingPage.URL != "" {
		contexts[page] = own
	}
	for _, item := range o.Items {
		n := nameOfURL(item.URL)
		if _, known := contexts[n]; known {
			continue
		}
		if target, err := linkset.Target(item.URL); err == nil {
			contexts[n] = target
		}
	}
	for _, uri := range o.URLs() {
		if n := nameOfURL(uri); contexts[n] == "" {
			contexts[n] = own
		}
	}
	return page, contexts
}

func (m *maker) ofURL(object name, links linkset.LinkSet) []byte {
	header, cut := m.repository.inHeader(links)
	if header == "" || len(header) > maxHeader {
		return nil
	}
	return m.keep(urlAnswer{of: source{m.number, cut}, name: object, packed: m.pack(header)})
}

// maxHeader is how long a header may be that is kept. It fits, packed or not.
const maxHeader = answers.MaxValue / 2

// ofDocuments is the answer for an object's metadata; nil where they have
// several, or one that is not kept.
func (m *maker) ofDocuments(o store.Object, links map[string]linkset.LinkSet) []byte {
	if len(m.repository.formats) > mostFormats {
		return nil
	}
	a, common := recordAnswer{of: source{m.number, false}}, ""
	for i, f := range m.repository.formats {
		for as, context := range [...]string{
			asGetRecord: oaipmh.GetRecordURL(m.repository.OAIURL, o.Identifier, f.Prefix),
			asCopy:      m.urls.metadata(m.repository.ID, o.Key, f.Prefix),
		} {
			if metadataForm(as) == asCopy && !slices.Contains(o.Prefixes, f.Prefix) {
				continue // there is none
			}
			header, cut := m.repository.inHeader(links[context])
			switch {
			case header == "":
				continue
			case cut || len(header) > maxHeader || common != "" && header != common:
				return nil
			}
			common = header
			a.documents |= documentBit(i, metadataForm(as))
		}
	}
	if common != "" {
		a.packed = m.pack(common)
	}
	return m.keep(a)
}

func (m *maker) pack(header string) []byte {
	if m.phrases == nil {
		m.phrases = s2.NewDict(m.common)
	}
	m.packed = m.phrases.Encode(m.packed, []byte(header))
	return m.packed
}

func (m *maker) keep(a interface{ append([]byte) []byte }) []byte {
	m.value = a.append(m.value[:0])
	return m.value
}

// inHeader is what goes into a header of the links of one context, "" if there
// are none, and whether there are more.
func (r *repository) inHeader(links linkset.LinkSet) (header string, cut bool) {
	kept, dropped := links.Fit(r.Budget)
	return kept.Joined(), len(dropped) > 0
}
