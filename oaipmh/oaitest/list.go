package oaitest

import (
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// A query is what a list was asked for with.
type query struct {
	prefix, set, from, until string
}

// A position is where in a list a page begins. A resumptionToken is its text.
type position struct {
	query
	generation int
	at         int // index of the first record that may be on the page
	cursor     int // records before it in the list
	number     int // of the page, from 1
}

// tokenStart gives every token the characters that get lost where one is
// escaped twice, or not at all.
const tokenStart = "+&=% /|"

func (p position) token() string {
	return tokenStart + strings.Join([]string{
		strconv.Itoa(p.generation), p.prefix, p.set, p.from, p.until,
		strconv.Itoa(p.at), strconv.Itoa(p.cursor), strconv.Itoa(p.number),
	}, "|")
}

func parseToken(s string) (p position, ok bool) {
	rest, ok := strings.CutPrefix(s, tokenStart)
	f := strings.Split(rest, "|")
	if !ok || len(f) != 8 {
		return position{}, false
	}
	p.query = query{f[1], f[2], f[3], f[4]}
	for i, n := range map[int]*int{0: &p.generation, 5: &p.at, 6: &p.cursor, 7: &p.number} {
		v, err := strconv.Atoi(f[i])
		if err != nil || v < 0 {
			return position{}, false
		}
		*n = v
	}
	return p, true
}

// A page of a list.
type page struct {
	verb    string
	start   position
	records []int // indices
	next    position
	more    bool
	size    int // completeListSize

	// what faults do to it
	withoutHeader bool
	dropRecords   bool
	unclosed      bool
}

func (r *contents) list(form url.Values) answer {
	start := position{
		query:      query{form.Get("metadataPrefix"), form.Get("set"), form.Get("from"), form.Get("until")},
		generation: r.generation,
		number:     1,
	}
	if form.Has("resumptionToken") {
		var ok bool
		start, ok = parseToken(form.Get("resumptionToken"))
		if !ok || start.generation != r.generation {
			return protocolError(oaipmh.BadResumptionToken, "the resumptionToken is unknown or has expired")
		}
	}
	if !r.offers(start.prefix) {
		return protocolError(oaipmh.CannotDisseminateFormat, "there is no format %s", start.prefix)
	}
	if r.recorded != nil {
		return r.recorded.list(form.Get("verb"))
	}
	low, high, err := r.window(start.from, start.until)
	if err != nil {
		return protocolError(oaipmh.BadArgument, "%s", err)
	}
	p := &page{verb: form.Get("verb"), start: start, next: start, size: r.listSize(start.query, low, high)}
	for i := max(start.at, low); i < high; i++ {
		if !r.matches(i, start.query) {
			continue
		}
		if len(p.records) == r.PageSize {
			p.more, p.next.at = true, i
			break
		}
		p.records = append(p.records, i)
	}
	p.next.cursor += len(p.records)
	p.next.number++
	if len(p.records) == 0 {
		return protocolError(oaipmh.NoRecordsMatch, "no record matches")
	}
	return answer{page: p}
}

func (r *contents) matches(i int, q query) bool {
	if !r.records.has(i, q.prefix) {
		return false
	}
	return q.set == "" || slices.ContainsFunc(r.records.header(i).Sets, func(s string) bool {
		return s == q.set || strings.HasPrefix(s, q.set+":")
	})
}

// window returns the range of records that from and until leave.
func (r *contents) window(from, until string) (low, high int, err error) {
	start, _, err := r.bound("from", from)
	if err != nil {
		return 0, 0, err
	}
	_, end, err := r.bound("until", until)
	if err != nil {
		return 0, 0, err
	}
	if from != "" && until != "" && len(from) != len(until) {
		return 0, 0, fmt.Errorf("from and until differ in granularity")
	}
	n := r.records.len()
	at := func(i int) time.Time {
		t, _ := r.records.header(i).Time()
		return t
	}
	high = n
	if from != "" {
		low = sort.Search(n, func(i int) bool { return !at(i).Before(start) })
	}
	if until != "" {
		high = sort.Search(n, func(i int) bool { return !at(i).Before(end) })
	}
	return low, high, nil
}

// bound returns the first moment of a date and the one after its last.
func (r *contents) bound(name, s string) (start, end time.Time, err error) {
	if s == "" {
		return start, end, nil
	}
	if start, err = time.Parse(time.DateOnly, s); err == nil {
		return start, start.AddDate(0, 0, 1), nil
	}
	start, err = time.Parse("2006-01-02T15:04:05Z", s)
	if err != nil || r.Granularity == oaipmh.Day {
		return start, end, fmt.Errorf("%s is not a date of granularity %s", name, r.Granularity)
	}
	return start, start.Add(time.Second), nil
}

func (r *contents) listSize(q query, low, high int) int {
	if n, ok := r.sizes[q]; ok {
		return n
	}
	n := 0
	for i := low; i < high; i++ {
		if r.matches(i, q) {
			n++
		}
	}
	r.sizes[q] = n
	return n
}

func (r *contents) renderPage(b []byte, p *page) []byte {
	b = append(b, "<"+p.verb+">\n"...)
	for k, i := range p.records {
		switch {
		case p.dropRecords:
		case p.verb == "ListIdentifiers":
			b = appendHeader(b, r.header(i))
		case k == 0 && p.withoutHeader:
			b = append(b, "<record>\n<metadata>\n"...)
			b = append(r.records.append(b, i, p.start.prefix), "\n</metadata>\n</record>\n"...)
		default:
			b = r.appendRecord(b, i, p.start.prefix)
		}
	}
	b = r.appendToken(b, p)
	return append(b, "</"+p.verb+">\n"...)
}

// appendToken appends the resumptionToken: with the last page of a list that
// has several comes an empty one. OAI-PMH 3.5.
func (r *contents) appendToken(b []byte, p *page) []byte {
	if !p.more && (p.start.number == 1 || p.unclosed) {
		return b
	}
	b = append(b, "<resumptionToken"...)
	if !r.NoListSize {
		b = fmt.Appendf(b, ` completeListSize="%d" cursor="%d"`, p.size, p.start.cursor)
	}
	b = append(b, '>')
	if p.more {
		b = text.AppendXML(b, p.next.token())
	}
	return append(b, "</resumptionToken>\n"...)
}
