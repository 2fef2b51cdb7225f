package oaipmh_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

func TestQuirk38_EmptyTokenEndsTheList(t *testing.T) {
	for _, end := range []string{
		"", "<resumptionToken/>", "<resumptionToken></resumptionToken>", "<resumptionToken>\n \t</resumptionToken>",
		`<resumptionToken completeListSize="1" cursor="0"/>`, "<resumptionToken><!-- end --></resumptionToken>",
	} {
		s := script(list(end, "a"))
		d := drain(serve(t, s, oaipmh.Options{}), oaipmh.List{})
		d.want(t, "a")
		if present := end != ""; d.pages[0].Token.Present != present || d.pages[0].Token.Value != "" {
			t.Errorf("%s: got token %+v, want it empty, present %v", end, d.pages[0].Token, present)
		}
	}
}

var awkwardTokens = []string{
	"a+b", "a&b=c", "100%", "a%20b", "a b", "x|y", "ünï", "a/b?c#d", `"<'>`, "0!2014!oai_dc!", "AoEuYXJu==:1", "a\\b^`{}",
}

func TestQuirk39_TokensAreEscapedOnce(t *testing.T) {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;")
	for _, want := range awkwardTokens {
		for _, POST := range []bool{false, true} {
			s := script(list(token(escape.Replace(want)), "a"), list("", "b"))
			drain(serve(t, s, oaipmh.Options{POST: POST}), oaipmh.List{}).want(t, "a", "b")
			if got := s.requests[1].Form.Get("resumptionToken"); got != want {
				t.Errorf("the server read token %q, want %q", got, want)
			}
		}
	}
}

func TestQuirk40_VerbatimTokens(t *testing.T) {
	const raw = "from%3D2026%26offset=100+x"
	wants := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !r.Form.Has("resumptionToken"):
			list(token("from%3D2026%26offset=100+x"), "a")(w, r)
		case strings.HasSuffix(r.URL.RawQuery, "="+raw):
			list(token(raw+"2"), "b")(w, r)
		case strings.HasSuffix(r.URL.RawQuery, "="+raw+"2"):
			list("", "c")(w, r)
		default:
			protocolError("badResumptionToken", "what?")(w, r)
		}
	}
	s := script(wants)
	c := serve(t, s, oaipmh.Options{})
	drain(c, oaipmh.List{}).want(t, "a", "b", "c")
	if len(s.requests) != 4 || !c.Learned().VerbatimToken {
		t.Errorf("%d requests, learned %+v; want 4 (one in vain), and that tokens go verbatim", len(s.requests), c.Learned())
	}
	s = script(wants)
	drain(serve(t, s, oaipmh.Options{VerbatimToken: true}), oaipmh.List{}).want(t, "a", "b", "c")
	if len(s.requests) != 3 {
		t.Errorf("told beforehand: %d requests, want 3", len(s.requests))
	}
}

func TestQuirk40_VerbatimTokensStayRequests(t *testing.T) {
	s := script(list(token("a b\n#\"ü"), "a"), list("", "b"))
	drain(serve(t, s, oaipmh.Options{VerbatimToken: true}), oaipmh.List{}).want(t, "a", "b")
	if got, want := s.requests[1].Form.Get("resumptionToken"), "a b\n#\"ü"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuirk41_TokenAlone(t *testing.T) {
	s := script(list(token("t"), "a"), list("", "b"))
	l := oaipmh.List{Prefix: "oai_dc", Set: "x", From: noon, Granularity: oaipmh.Second}
	drain(serve(t, s, oaipmh.Options{}), l).want(t, "a", "b")
	if got, want := s.requests[1].URL.RawQuery, "verb=ListRecords&resumptionToken=t"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestQuirk41_ServerWantsThePrefixToo(t *testing.T) {
	s := script(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Form.Get("metadataPrefix") == "":
			protocolError("badArgument", "metadataPrefix is missing")(w, r)
		case r.Form.Get("resumptionToken") == "2":
			list("", "c")(w, r)
		case r.Form.Has("resumptionToken"):
			list(token("2"), "b")(w, r)
		default:
			list(token("1"), "a")(w, r)
		}
	})
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "b", "c")
	if len(s.requests) != 4 {
		t.Errorf("%d requests, want 4: it is learnt once", len(s.requests))
	}
}

func TestQuirk42_OpaqueTokens(t *testing.T) {
	for _, want := range []string{"0001", "a|b|c", "2026-01-01T00:00:00Z/100", "{\"at\": 7}", "a  b"} {
		p := page(t, oai("<ListRecords>"+record("a")+token(want)+"</ListRecords>"))
		if p.Token.Value != want {
			t.Errorf("got %q, want %q", p.Token.Value, want)
		}
	}
	s := script(list(token(strings.Repeat("x", 9000)), "a"))
	e := wantError[*oaipmh.TooLargeError](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).err)
	if len(s.requests) != 1 || !strings.Contains(e.Error(), "resumptionToken") {
		t.Errorf("%d requests: %s", len(s.requests), e)
	}
}

func TestQuirk43_ExpiredTokenIsReported(t *testing.T) {
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Expire, Page: 2})
	c := serve(t, r, oaipmh.Options{})
	d := drain(c, oaipmh.List{})
	e := wantError[*oaipmh.Error](t, d.err)
	if e.Code != oaipmh.BadResumptionToken || len(d.identifiers) == 0 || len(d.identifiers) == 30 {
		t.Errorf("got %d records and %s, want some and badResumptionToken", len(d.identifiers), e.Code)
	}
	drain(c, oaipmh.List{}).wantAll(t, 30)
}

func TestQuirk44_ExpirationDateIsNotTrusted(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2001-01-01T00:00:00Z": time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC),
		"soon":                 {},
	} {
		s := script(list(`<resumptionToken expirationDate="`+text+`">t</resumptionToken>`, "a"), list("", "b"))
		d := drain(serve(t, s, oaipmh.Options{}), oaipmh.List{})
		d.want(t, "a", "b")
		if got := d.pages[0].Token.ExpirationDate; !got.Equal(want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestQuirk45_Loops(t *testing.T) {
	for name, tokens := range map[string][]string{
		"the same token":  {"1", "1"},
		"a circle of two": {"1", "2", "1"},
	} {
		var answers []http.HandlerFunc
		for i, k := range tokens {
			answers = append(answers, list(token(k), fmt.Sprint(i)))
		}
		s := script(answers...)
		d := drain(serve(t, s, oaipmh.Options{}), oaipmh.List{})
		e := wantError[*oaipmh.LoopError](t, d.err)
		if e.Token != "1" || len(s.requests) != len(tokens) {
			t.Errorf("%s: token %q after %d requests, want 1 after %d", name, e.Token, len(s.requests), len(tokens))
		}
	}
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Loop, Page: 2})
	wantError[*oaipmh.LoopError](t, drain(serve(t, r, oaipmh.Options{}), oaipmh.List{}).err)

	resumed := script(list(token("x"), "a"))
	d := drain(serve(t, resumed, oaipmh.Options{}), oaipmh.List{Token: "x"})
	wantError[*oaipmh.LoopError](t, d.err)
}

func TestQuirk46_EmptyPages(t *testing.T) {
	var answers []http.HandlerFunc
	for i := range 15 {
		answers = append(answers, list(token(fmt.Sprint(i))))
	}
	s := script(append(answers, list(token("x"), "a"), list("", "b"))...)
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "b")

	n := 0
	s = script(func(w http.ResponseWriter, r *http.Request) {
		n++
		list(token(fmt.Sprint(n)))(w, r)
	})
	e := wantError[*oaipmh.LoopError](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).err)
	if e.Empty != 20 || len(s.requests) != 20 {
		t.Errorf("%d empty pages, %d requests; want 20, 20", e.Empty, len(s.requests))
	}
}

func TestQuirk47_TokenOnTheLastPage(t *testing.T) {
	sized := func(n int) string {
		return fmt.Sprintf(`<resumptionToken completeListSize="%d">t</resumptionToken>`, n)
	}
	for _, code := range []string{"noRecordsMatch", "badResumptionToken"} {
		s := script(list(sized(2), "a", "b"), protocolError(code, ""))
		d := drain(serve(t, s, oaipmh.Options{}), oaipmh.List{})
		d.want(t, "a", "b")
		if last := d.pages[len(d.pages)-1]; last.Token.Value != "" || len(last.Records) != 0 {
			t.Errorf("%s: the last page is %+v, want an empty one without token", code, last)
		}
		for _, tail := range []string{sized(3), token("t")} {
			s := script(list(tail, "a", "b"), protocolError(code, ""))
			wantError[*oaipmh.Error](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).err)
		}
		s = script(list(sized(2), "b", "c"), protocolError(code, ""))
		wantError[*oaipmh.Error](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{Token: "midway"}).err)
	}
}

func TestQuirk48_NoTokenShows(t *testing.T) {
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.NoToken, Page: 2})
	d := drain(serve(t, r, oaipmh.Options{}), oaipmh.List{})
	if d.err != nil || len(d.pages) != 2 || d.pages[0].Token.CompleteListSize != 30 {
		t.Errorf("got %d pages, %v, size %d", len(d.pages), d.err, d.pages[0].Token.CompleteListSize)
	}
}

func TestQuirk49_CompleteListSizeIsAdvisory(t *testing.T) {
	for _, size := range []string{`completeListSize="1"`, `completeListSize="999999"`, `completeListSize="-1"`, `completeListSize="many" cursor="x"`, ``} {
		s := script(list("<resumptionToken "+size+">t</resumptionToken>", "a", "b"), list("", "c"))
		drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "b", "c")
	}
	p := page(t, oai("<ListRecords>"+record("a")+`<resumptionToken completeListSize="7" cursor="3"/></ListRecords>`))
	if p.Token.CompleteListSize != 7 || p.Token.Cursor != 3 {
		t.Errorf("got %+v", p.Token)
	}
	p = page(t, oai("<ListRecords>"+record("a")+"</ListRecords>"))
	if p.Token.CompleteListSize != -1 || p.Token.Cursor != -1 || p.Token.Present {
		t.Errorf("got %+v", p.Token)
	}
}

func TestQuirk51_OnlyTheListsTokenCounts(t *testing.T) {
	body := strings.Replace(oai("<ListRecords><record>"+header("a")+
		"<metadata><d><resumptionToken>inside</resumptionToken></d></metadata></record>"+token("right")+
		"</ListRecords><resumptionToken>after</resumptionToken>"), "<request>", `<request resumptionToken="of the request">`, 1)
	if got := page(t, body).Token.Value; got != "right" {
		t.Errorf("got token %q, want right", got)
	}
	s := script(xml(body), list("", "b"))
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "b")
	if got := s.requests[1].Form.Get("resumptionToken"); got != "right" {
		t.Errorf("asked with token %q", got)
	}
}

func identify(granularity, earliest string) http.HandlerFunc {
	return xml(oai("<Identify><repositoryName>R</repositoryName><protocolVersion>2.0</protocolVersion><earliestDatestamp>" + earliest +
		"</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>" + granularity + "</granularity></Identify>"))
}

// dated answers Identify, and a list only where accepts says so.
func dated(granularity, earliest string, accepts func(from, until string) bool) *scripted {
	return script(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Form.Get("verb") == "Identify":
			identify(granularity, earliest)(w, r)
		case accepts(r.Form.Get("from"), r.Form.Get("until")):
			list("", "a")(w, r)
		default:
			protocolError("badArgument", "bad date")(w, r)
		}
	})
}

func lists(s *scripted) (out []string) {
	for _, r := range s.requests {
		if r.Form.Get("verb") == "ListRecords" {
			out = append(out, r.Form.Get("from")+".."+r.Form.Get("until"))
		}
	}
	return out
}

func TestQuirk53_DaysWhereSecondsAreRefused(t *testing.T) {
	s := dated("YYYY-MM-DDThh:mm:ssZ", "2000-01-01T00:00:00Z", func(from, _ string) bool { return len(from) == 10 })
	c := serve(t, s, oaipmh.Options{})
	for range 2 {
		drain(c, oaipmh.List{From: noon}).want(t, "a")
	}
	want := []string{"2026-03-01T12:00:00Z..", "2026-03-01..", "2026-03-01.."}
	if got := lists(s); !slices.Equal(got, want) || !c.Learned().DayGranularity {
		t.Errorf("asked %v, learned %+v; want %v", got, c.Learned(), want)
	}
	s = script(func(w http.ResponseWriter, r *http.Request) {
		code := "noRecordsMatch"
		if len(r.Form.Get("from")) > len("2026-03-01") {
			code = "badArgument"
		}
		protocolError(code, "")(w, r)
	})
	c = serve(t, s, oaipmh.Options{})
	e := wantError[*oaipmh.Error](t, drain(c, oaipmh.List{From: noon, Granularity: oaipmh.Second}).err)
	if e.Code != oaipmh.NoRecordsMatch || !c.Learned().DayGranularity {
		t.Errorf("where nothing matches: got %v, learned %+v", e, c.Learned())
	}
	s = dated("YYYY-MM-DDThh:mm:ssZ", "", func(from, _ string) bool { return true })
	drain(serve(t, s, oaipmh.Options{DayGranularity: true}), oaipmh.List{From: noon}).want(t, "a")
	if got := lists(s); !slices.Equal(got, []string{"2026-03-01.."}) {
		t.Errorf("told beforehand: asked %v", got)
	}
}

func TestQuirk54_OddGranularity(t *testing.T) {
	for in, want := range map[string]oaipmh.Granularity{
		"YYYY-MM-DDThh:mm:ssZ": oaipmh.Second,
		"yyyy-mm-ddThh:mm:ssz": oaipmh.Second,
		"YYYY-MM-DDTHH:MM:SSZ": oaipmh.Second,
		"YYYY-MM-DD":           oaipmh.Day,
		"yyyy-mm-dd":           oaipmh.Day,
		"day":                  oaipmh.Day,
		"":                     oaipmh.Day,
	} {
		id, err := serve(t, script(identify(in, "2000")), oaipmh.Options{}).Identify(context.Background())
		if err != nil || id.Granularity != want {
			t.Errorf("%q: got %q, %v; want %q", in, id.Granularity, err, want)
		}
	}
}

func TestQuirk55_LenientDatestamps(t *testing.T) {
	for in, want := range map[string]string{
		"2026-03-01T12:30:45Z":          "2026-03-01T12:30:45Z",
		"2026-03-01":                    "2026-03-01T00:00:00Z",
		" 2026-03-01T12:30:45.485Z\n":   "2026-03-01T12:30:45.485Z",
		"2026-03-01T12:30:45.123456Z":   "2026-03-01T12:30:45.123456Z",
		"2026-03-01T12:30:45+02:00":     "2026-03-01T10:30:45Z",
		"2026-03-01T12:30:45.5-0500":    "2026-03-01T17:30:45.5Z",
		"2026-03-01T12:30:45":           "2026-03-01T12:30:45Z",
		"2026-03-01 12:30:45":           "2026-03-01T12:30:45Z",
		"2026-03-01 12:30:45 UTC":       "2026-03-01T12:30:45Z",
		"2026-03-01t12:30:45z":          "2026-03-01T12:30:45Z",
		"2026-03-01T12:30Z":             "2026-03-01T12:30:00Z",
		"2026-03":                       "2026-03-01T00:00:00Z",
		"2026":                          "2026-01-01T00:00:00Z",
		"20260301":                      "2026-03-01T00:00:00Z",
		"2026-03-01T12:30:45.":          "2026-03-01T12:30:45Z",
		"2026-03-01T23:59:60Z":          "",
		"":                              "",
		"0000-00-00":                    "",
		"0000-01-01":                    "",
		"2026-13-01":                    "",
		"yesterday":                     "",
		"2026-03-01T12:30:45Zjunk":      "",
		strings.Repeat("2026-03-01", 9): "",
	} {
		got, err := oaipmh.ParseDatestamp(in)
		text := ""
		if err == nil {
			text = got.Format(time.RFC3339Nano)
		}
		if text != want {
			t.Errorf("%q: got %q, %v; want %q", in, text, err, want)
		}
	}
	p := page(t, oai("<ListIdentifiers><header><identifier>a</identifier><datestamp> 2026-03-01 12:00 </datestamp></header></ListIdentifiers>"))
	if got := p.Records[0].Datestamp; got != "2026-03-01 12:00" {
		t.Errorf("the datestamp is kept as %q", got)
	}
}

func TestQuirk56_OneGranularityInARequest(t *testing.T) {
	for _, g := range []oaipmh.Granularity{oaipmh.Day, oaipmh.Second} {
		s := dated(string(g), "2000-01-01", func(from, until string) bool {
			return len(from) == len(g) && len(until) == len(g)
		})
		drain(serve(t, s, oaipmh.Options{}), oaipmh.List{From: noon.AddDate(0, -1, 0), Until: noon}).want(t, "a")
	}
}

func TestQuirk57_OwnDatesAreExact(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 30, 45, 987_654_321, time.FixedZone("CET", 3600))
	if got, want := oaipmh.Second.Format(at), "2026-02-28T23:30:45Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := oaipmh.Day.Format(at), "2026-02-28"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestQuirk58_EarliestDatestampIsAdvisory(t *testing.T) {
	for _, earliest := range []string{"", "0000-00-00", "never", "2999-01-01"} {
		s := dated("YYYY-MM-DD", earliest, func(from, _ string) bool { return true })
		c := serve(t, s, oaipmh.Options{})
		id, err := c.Identify(context.Background())
		if err != nil || id.EarliestDatestamp != earliest {
			t.Errorf("%q: got %q, %v", earliest, id.EarliestDatestamp, err)
		}
		drain(c, oaipmh.List{}).want(t, "a")
		if got := lists(s); !slices.Equal(got, []string{".."}) {
			t.Errorf("%q: a list from the beginning asks for %v", earliest, got)
		}
	}
}

func TestQuirk59_FromBeforeTheEarliest(t *testing.T) {
	s := dated("YYYY-MM-DD", "2010-05-05", func(from, _ string) bool { return from >= "2010-05-05" })
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{From: noon.AddDate(-30, 0, 0)}).want(t, "a")
	if got, want := lists(s), []string{"1996-03-01..", "2010-05-05.."}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	s = dated("YYYY-MM-DD", "2010-05-05", func(from, _ string) bool { return from == "" })
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{From: noon.AddDate(-30, 0, 0)}).want(t, "a")
	if got, want := lists(s), []string{"1996-03-01..", "2010-05-05..", ".."}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	s = dated("YYYY-MM-DD", "2010-05-05", func(from, _ string) bool { return false })
	wantError[*oaipmh.Error](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{From: noon}).err)
	if got := lists(s); len(got) != 1 {
		t.Errorf("asked %v, want one request: the date is not the fault", got)
	}
}

func TestQuirk66_NoRecordsMatchIsAnError(t *testing.T) {
	s := script(protocolError("noRecordsMatch", "no\nmatch"))
	e := wantError[*oaipmh.Error](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).err)
	if e.Code != oaipmh.NoRecordsMatch || e.Message != "no\nmatch" || len(s.requests) != 1 {
		t.Errorf("got %+v after %d requests", e, len(s.requests))
	}
}

func TestQuirk76_Sets(t *testing.T) {
	var sets strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&sets, "<set><setSpec>a:b%d</setSpec><setName>A &amp; B</setName><setDescription><x/></setDescription></set>", i)
	}
	s := script(xml(oai("<ListSets>"+sets.String()+token("1")+"</ListSets>")), xml(oai("<ListSets><set><setSpec>ü x</setSpec></set></ListSets>")))
	got, err := serve(t, s, oaipmh.Options{}).ListSets(context.Background())
	if err != nil || len(got) != 3001 || got[7] != (oaipmh.Set{Spec: "a:b7", Name: "A & B"}) {
		t.Errorf("got %d sets, %v", len(got), err)
	}
	s = script(list("", "a"))
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{Set: "com:1 ü&b%"}).want(t, "a")
	if got := s.requests[0].Form.Get("set"); got != "com:1 ü&b%" {
		t.Errorf("asked for set %q", got)
	}
	s = script(xml(oai("<ListSets><set><setSpec>a</setSpec></set>" + token("1") + "</ListSets>")))
	_, err = serve(t, s, oaipmh.Options{}).ListSets(context.Background())
	wantError[*oaipmh.LoopError](t, err)
	s = script(xml(oai("<ListSets>"+token("1")+"</ListSets>")), xml(oai("<ListSets><set><setSpec>a</setSpec></set></ListSets>")))
	if got, err := serve(t, s, oaipmh.Options{}).ListSets(context.Background()); err != nil || len(got) != 1 {
		t.Errorf("behind an empty page there are %d sets, %v, want 1", len(got), err)
	}
	s = script(protocolError("noSetHierarchy", ""))
	_, err = serve(t, s, oaipmh.Options{}).ListSets(context.Background())
	if e := wantError[*oaipmh.Error](t, err); e.Code != oaipmh.NoSetHierarchy {
		t.Errorf("got %s", e.Code)
	}
}

func TestQuirk80_UnknownErrorCodes(t *testing.T) {
	for _, code := range []string{"InternalException", "", "<script>"} {
		failing := protocolError(strings.ReplaceAll(code, "<", "&lt;"), "java.lang.NullPointerException")
		s := script(list(token("t"), "a"), failing, failing, list("", "b"))
		drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "b")
		s = script(list(token("t"), "a"), failing)
		d := drain(serve(t, s, oaipmh.Options{}), oaipmh.List{})
		e := wantError[*oaipmh.Error](t, d.err)
		if string(e.Code) != code || len(s.requests) != 7 || len(d.identifiers) != 1 {
			t.Errorf("got %q after %d requests with %d records, want %q after 7 with 1", e.Code, len(s.requests), len(d.identifiers), code)
		}
	}
}

func TestQuirk67_OneErrorForTheOther(t *testing.T) {
	s := script(protocolError("cannotDisseminateFormat", "no records"))
	e := wantError[*oaipmh.Error](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{Set: "x"}).err)
	if e.Code != oaipmh.CannotDisseminateFormat || len(s.requests) != 1 {
		t.Errorf("got %s after %d requests, want it told as it came, after 1", e.Code, len(s.requests))
	}
}

func TestQuirk77_FormatsAreToldAsTheyCome(t *testing.T) {
	format := func(prefix, namespace string) string {
		return "<metadataFormat><metadataPrefix>" + prefix + "</metadataPrefix><schema/><metadataNamespace> " + namespace + " </metadataNamespace></metadataFormat>"
	}
	s := script(xml(oai("<ListMetadataFormats>" + format("Datacite", "http://datacite.org/schema/kernel-4.3") +
		format("oai_datacite", "not a URI") + format("", "nameless") + "</ListMetadataFormats>")))
	got, err := serve(t, s, oaipmh.Options{}).ListMetadataFormats(context.Background(), "")
	want := []oaipmh.MetadataFormat{
		{Prefix: "Datacite", Namespace: "http://datacite.org/schema/kernel-4.3"},
		{Prefix: "oai_datacite", Namespace: "not a URI"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestQuirk69_DeletedRecordSpeltOddly(t *testing.T) {
	for in, want := range map[string]oaipmh.DeletedRecord{
		"persistent": oaipmh.Persistent, "Transient": oaipmh.Transient, "no": oaipmh.No, "": oaipmh.No, "yes": oaipmh.No,
	} {
		s := script(xml(oai("<Identify><deletedRecord>" + in + "</deletedRecord></Identify>")))
		if id, err := serve(t, s, oaipmh.Options{}).Identify(context.Background()); err != nil || id.DeletedRecord != want {
			t.Errorf("%q: got %q, %v; want %q", in, id.DeletedRecord, err, want)
		}
	}
}

func TestQuirk73_BothOfTwoComeThrough(t *testing.T) {
	s := script(list("", "a", "a"))
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "a")
}
