package bridge

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// offered is I6: the landing page names a file. Pages name more than files, and
// more files than the object's, so that it is taken only from hosts that are the
// repository's, and only if its address does not say that it is something else.
func (f *filing) offered(st *crosswalk.Statement) {
	a, ok := uri.Parse(st.Value)
	if why := f.notOffered(a, ok); why != "" {
		f.notes.reject(relItem, "I6", why, st)
		return
	}
	item := ContentResource{URL: a.URL, Restricted: st.Qualifier != ""}
	var by typing
	item.MediaType, by = f.typeFile(st.Media, a.URL, st, nil)
	added, typed := f.add(item)
	if added {
		f.notes.accept(relItem, a.URL, "I6", st)
	} else {
		f.notes.reject(relItem, "I6", "the same file, or the landing page, once more", st)
	}
	f.noteType(a.URL, item.MediaType, typed, by)
}

// notOffered says why an address that a landing page names is no file of the
// object; "" if it is one.
func (f *filing) notOffered(a uri.Address, ok bool) string {
	switch {
	case f.disbelieved != "":
		return f.disbelieved
	case !ok:
		return "not an absolute http URL that may be linked"
	case isPlaceholder(a.Host):
		return "the host is a placeholder"
	}
	if why := vocabulary.NotOffered(a); why != "" {
		return why
	}
	if id, ok := identifier.Parse(a.URL); ok && id.Persistent() && !f.hosts.own(a.Host) {
		return "a persistent identifier, not a file"
	}
	if !f.isNear(a.Host) {
		return "on a host that is not known to be the repository's"
	}
	return ""
}

// isNear reports whether a host is the repository's: one of its own, that of the
// landing page, or one that the harvested metadata has an address of the object on.
func (f *filing) isNear(host string) bool {
	return f.hosts.own(host) || sameHost(host, f.object.LandingPage.URL) || slices.ContainsFunc(f.harvested, func(c candidate) bool {
		return c.isURL() && c.match != identifier.NoMatch && !c.persistent() && uri.HostKey(c.Host) == uri.HostKey(host)
	})
}

// maxSignposted is how many descriptions are adopted of a page that signposts
// itself: a header has no room for more beside ours.
const maxSignposted = 4

// described adopts a document that the landing page itself links as its
// description. One address in several media types is one document.
func (f *filing) described(st *crosswalk.Statement) {
	const rule = "Signposting of the page"
	a, ok := uri.Parse(st.Value)
	media, typed := linkset.MediaType(st.Media)
	switch {
	case !ok || isPlaceholder(a.Host) || !f.isNear(a.Host):
		f.notes.reject(relDescribedBy, rule, "on a host that is not known to be the repository's", st)
	case !typed || media == "text/html" || strings.HasPrefix(media, typeTextLinks):
		f.notes.reject(relDescribedBy, rule, "without a media type that metadata has", st)
	case len(f.metadata) >= maxSignposted || f.describes(a.URL):
		f.notes.reject(relDescribedBy, rule, "enough others describe the object", st)
	default:
		f.metadata = append(f.metadata, MetadataResource{URL: a.URL, MediaType: media})
		f.notes.accept(relDescribedBy, a.URL, rule, st)
	}
}
