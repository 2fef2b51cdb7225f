package harvest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/outbound"
)

// variantStore is what variants are found in.
type variantStore interface {
	Repository(ctx context.Context, id string) (store.Repository, error)
	ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error)
	Sample(ctx context.Context, repository string, n int) ([]string, error)
	RepositoriesOf(ctx context.Context, identifiers ...string) ([][]string, error)
}

// Variants are sources that harvest one repository.
type Variants struct {
	Sources []string // the first is the one to keep
	Reasons []string // a sentence each, enough to connect all
	Remedy  string
	// Mirror is set if some of the records have come by way of another server
	// for all that is known, which may be what is wanted.
	Mirror bool
}

// How much is compared of each source.
const (
	sampledRecords  = 8
	comparedRecords = 3    // of those, the addresses too
	sampledAtOnce   = 1000 // sources
)

// FindVariants finds sources that harvest the same repository. No repository is
// asked: their addresses are compared, what they said in Identify, and a sample
// of the records that are stored.
func FindVariants(ctx context.Context, from variantStore, configured []Repository) ([]Variants, error) {
	f := &variantFinder{store: from, at: map[string]int{}}
	for i, r := range configured {
		f.at[r.ID] = i
		s := &variant{Repository: r, group: i, normal: variantKey(r.OAIURL)}
		saved, err := from.Repository(ctx, r.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if saved.OAIURL == r.OAIURL && !isPlaceholder(saved.Identify.BaseURL, r.OAIURL) {
			s.said = saved.Identify.BaseURL
		}
		f.all = append(f.all, s)
	}
	for first := 0; first < len(f.all); first += sampledAtOnce {
		if err := f.sample(ctx, f.all[first:min(first+sampledAtOnce, len(f.all))]); err != nil {
			return nil, err
		}
	}
	f.byAddress(func(s *variant) string { return s.normal }, f.sameAddress)
	f.byAddress(func(s *variant) string { return variantKey(s.said) }, f.sameName)
	for _, s := range f.all {
		if err := f.sameRecords(ctx, s); err != nil {
			return nil, err
		}
	}
	return f.groups(), nil
}

// variant is a source that is compared with others.
type variant struct {
	Repository
	normal  string         // form of its address
	said    string         // the base URL in its Identify; "" if that tells nothing
	sampled []string       // identifiers
	shared  map[string]int // by source: how many of these it has too
	group   int            // the source that stands for its group, or one nearer to that
}

// variantLink says why a source is the same as another.
type variantLink struct {
	*variant
	why    string
	mirror bool
}

type variantFinder struct {
	store variantStore
	all   []*variant
	at    map[string]int // by ID
	links []variantLink  // enough to connect each group
}

// variantKey is equal for the forms of an address: in http and https, with and
// without "www.", a default port or a slash at the end.
func variantKey(address string) string {
	return strings.Replace(bridge.NormalURL(address), "https://www.", "https://", 1)
}

// longestSaid bounds the address in Identify, which is repeated in a sentence.
const longestSaid = 2000

// isPlaceholder reports whether Identify names no address, or one inside a network
// to somebody outside, as it does where nobody has set it.
func isPlaceholder(said, address string) bool {
	if len(said) > longestSaid {
		return true
	}
	there, err := url.Parse(said)
	here, err2 := url.Parse(address)
	return err != nil || err2 != nil || there.Host == "" || outbound.IsPrivateName(there.Hostname()) && !outbound.IsPrivateName(here.Hostname())
}

// sample finds out which other sources have records of some.
func (f *variantFinder) sample(ctx context.Context, some []*variant) error {
	var identifiers []string
	for _, s := range some {
		var err error
		if s.sampled, err = f.store.Sample(ctx, s.ID, sampledRecords); err != nil {
			return err
		}
		identifiers = append(identifiers, s.sampled...)
	}
	having, err := f.store.RepositoriesOf(ctx, identifiers...)
	if err != nil {
		return err
	}
	for _, s := range some {
		s.shared = map[string]int{}
		for _, ids := range having[:len(s.sampled)] {
			for _, id := range ids {
				if _, ok := f.at[id]; ok && id != s.ID {
					s.shared[id]++
				}
			}
		}
		having = having[len(s.sampled):]
	}
	return nil
}

// byAddress compares the sources that have the same key. There may be thousands,
// each with a set of its own.
func (f *variantFinder) byAddress(key func(*variant) string, compare func(a, b *variant, sets string)) {
	whole, bySet := map[string]*variant{}, map[[2]string]*variant{}
	for _, s := range f.all {
		k := key(s)
		if k != "" && len(s.Sets) == 0 && whole[k] == nil {
			whole[k] = s
		}
		for _, set := range s.Sets {
			if bySet[[2]string{k, set}] == nil {
				bySet[[2]string{k, set}] = s
			}
		}
	}
	for _, s := range f.all {
		k := key(s)
		if k == "" {
			continue
		}
		if w := whole[k]; w != nil && w != s {
			compare(w, s, "")
			continue
		}
		for _, set := range s.Sets {
			for _, above := range setsAbove(set) {
				if other := bySet[[2]string{k, above}]; other != nil && other != s {
					compare(other, s, set)
				}
			}
		}
	}
}

// setsAbove returns a set and those that it is in. OAI-PMH 2.6.
func setsAbove(set string) []string {
	out := []string{set}
	for i := strings.LastIndexByte(set, ':'); i > 0; i = strings.LastIndexByte(set[:i], ':') {
		out = append(out, set[:i])
	}
	return out
}

func (f *variantFinder) sameAddress(a, b *variant, set string) {
	switch {
	case set != "":
		f.join(a, b, false, "%s and %s both harvest the set %s of %s", b.ID, a.ID, set, a.OAIURL)
	case len(b.Sets) > 0:
		f.join(a, b, false, "%s harvests a part of %s: %s of %s", b.ID, a.ID, named(b.Sets, "the set", "the sets"), b.OAIURL)
	case a.OAIURL == b.OAIURL:
		f.join(a, b, false, "%s has the address of %s: %s", b.ID, a.ID, b.OAIURL)
	default:
		f.join(a, b, false, "the addresses of %s and %s are forms of one: %s and %s", a.ID, b.ID, a.OAIURL, b.OAIURL)
	}
}

// sameName compares sources that say of themselves that they have one address.
// Several repositories on one server may, where nobody has set it: then their
// records differ.
func (f *variantFinder) sameName(a, b *variant, set string) {
	if len(a.sampled) > 0 && len(b.sampled) > 0 && a.shared[b.ID]+b.shared[a.ID] == 0 {
		return
	}
	part := ""
	if set != "" {
		part = ", and both harvest the set " + set
	} else if len(b.Sets) > 0 {
		part = fmt.Sprintf(", of which %s harvests %s", b.ID, named(b.Sets, "the set", "the sets"))
	}
	f.join(a, b, false, "%s and %s give one address in Identify%s: %s", a.ID, b.ID, part, b.said)
}

// sameRecords looks for sources that have most records of s.
func (f *variantFinder) sameRecords(ctx context.Context, s *variant) error {
	for _, id := range slices.Sorted(maps.Keys(s.shared)) {
		other, n := f.all[f.at[id]], s.shared[id]
		if 2*n <= len(s.sampled) || f.root(s) == f.root(other) {
			continue
		}
		same, err := f.same(ctx, s, other)
		if err != nil {
			return err
		}
		if both := other.shared[s.ID]; same && 2*both > len(other.sampled) {
			f.join(other, s, false, "%s and %s have the same records: %d of %d that were looked at", s.ID, other.ID, n+both, len(s.sampled)+len(other.sampled))
		} else if same {
			f.join(other, s, true, "%s has the records of %s: %d of %d that were looked at", other.ID, s.ID, n, len(s.sampled))
		}
	}
	return nil
}

// same reports whether some records with the same identifiers lead to the same
// addresses: some servers number their records, others all call themselves by the
// name that their software came with.
func (f *variantFinder) same(ctx context.Context, a, b *variant) (bool, error) {
	compared := 0
	for _, identifier := range a.sampled {
		one, err := f.store.ByIdentifier(ctx, a.ID, identifier)
		if err == nil {
			var other store.Object
			if other, err = f.store.ByIdentifier(ctx, b.ID, identifier); err == nil && !shareURL(one, other) {
				return false, nil
			}
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		if err == nil {
			compared++
		}
		if compared == comparedRecords {
			break
		}
	}
	return compared > 0, nil
}

func shareURL(a, b store.Object) bool {
	urls := map[string]bool{}
	for _, u := range a.URLs() {
		urls[bridge.NormalURL(u)] = true
	}
	for _, u := range b.URLs() {
		if urls[bridge.NormalURL(u)] {
			return true
		}
	}
	return false
}

// root is the source that stands for a group.
func (f *variantFinder) root(s *variant) *variant {
	for f.all[s.group] != s {
		s.group = f.all[s.group].group
		s = f.all[s.group]
	}
	return s
}

// join makes one group of two, unless they are in one.
func (f *variantFinder) join(a, b *variant, mirror bool, format string, args ...any) {
	if f.root(a) == f.root(b) {
		return
	}
	f.links = append(f.links, variantLink{b, fmt.Sprintf(format, args...), mirror})
	f.root(b).group = f.root(a).group
}

// groups returns what was found, by the ID of the source to keep.
func (f *variantFinder) groups() (out []Variants) {
	members, links := map[*variant][]*variant{}, map[*variant][]variantLink{}
	for _, s := range f.all {
		members[f.root(s)] = append(members[f.root(s)], s)
	}
	for _, l := range f.links {
		links[f.root(l.variant)] = append(links[f.root(l.variant)], l)
	}
	for root, why := range links {
		out = append(out, variantsOf(members[root], why))
	}
	slices.SortFunc(out, func(a, b Variants) int { return cmp.Compare(a.Sources[0], b.Sources[0]) })
	return out
}

func variantsOf(group []*variant, links []variantLink) Variants {
	slices.SortFunc(group, compareVariants)
	v := Variants{Mirror: true}
	for _, s := range group {
		v.Sources = append(v.Sources, s.ID)
	}
	for _, l := range links {
		v.Reasons = append(v.Reasons, l.why)
		v.Mirror = v.Mirror && l.mirror
	}
	keep := group[0]
	switch {
	case v.Mirror:
		v.Remedy = "if both are wanted, nothing has to be done: docs/aggregator.md says which object is published; otherwise remove one from the configuration"
	case len(keep.Sets) > 0:
		v.Remedy = "name each set in one source only"
	default:
		v.Remedy = "keep " + keep.ID + " and remove " + named(v.Sources[1:], "", "") + " from the configuration"
	}
	return v
}

// compareVariants sorts the source to keep to the front: one that harvests all, at
// the address that the repository gives itself.
func compareVariants(a, b *variant) int {
	doubts := func(s *variant) int {
		n := 0
		for i, no := range [...]bool{!strings.HasPrefix(s.OAIURL, "https:"), s.OAIURL != s.said, len(s.Sets) > 0} {
			if no {
				n |= 1 << i
			}
		}
		return n
	}
	return cmp.Or(cmp.Compare(doubts(a), doubts(b)), cmp.Compare(a.ID, b.ID))
}

// Sentence says which sources are the same, and why.
func (v Variants) Sentence() string {
	are, reasons := " are one repository: ", v.Reasons
	if v.Mirror {
		are = " have the same records: "
	}
	if len(reasons) > mostNamed {
		reasons = append(reasons[:mostNamed:mostNamed], "and so on")
	}
	return named(v.Sources, "", "") + are + strings.Join(reasons, "; ")
}

// mostNamed is how many names a sentence has.
const mostNamed = 10

// named joins names behind a word for one or for several.
func named(names []string, one, several string) string {
	if len(names) == 1 {
		return strings.TrimSpace(one + " " + names[0])
	}
	last := names[len(names)-1]
	if len(names) > mostNamed {
		last = fmt.Sprintf("%d others", len(names)-mostNamed)
		names = names[:mostNamed+1]
	}
	return strings.TrimSpace(several + " " + strings.Join(names[:len(names)-1], ", ") + " and " + last)
}
