package oaipmh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// a counter counts the round trips under way.
type counter struct {
	mu             sync.Mutex
	now, most, all int
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.now++
	c.all++
	c.most = max(c.most, c.now)
	c.mu.Unlock()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		c.done()
		return nil, err
	}
	resp.Body = &countedBody{resp.Body, c.done}
	return resp, nil
}

func (c *counter) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
}

type countedBody struct {
	io.ReadCloser
	done func()
}

func (b *countedBody) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

func TestOneRequestInFlightPerHost(t *testing.T) {
	s := httptest.NewServer(oaitest.Generated(100, oaitest.Options{PageSize: 10}))
	defer s.Close()
	count := &counter{}
	hosts := new(oaipmh.Hosts)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c, err := oaipmh.New(s.URL, oaipmh.Options{Transport: count, Hosts: hosts})
			if err != nil {
				t.Error(err)
				return
			}
			if d := drain(c, oaipmh.List{}); len(d.identifiers) != 100 || d.err != nil {
				t.Errorf("got %d records, %v", len(d.identifiers), d.err)
			}
		})
	}
	all.Wait()
	if count.most != 1 || count.all != 40 {
		t.Errorf("%d requests, up to %d at once; want 40, 1", count.all, count.most)
	}
}

func TestMinInterval(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(100, oaitest.Options{PageSize: 10})
	drain(serve(t, r, oaipmh.Options{Clock: clock, MinInterval: 3 * time.Second, Jitter: time.Second}), oaipmh.List{}).wantAll(t, 100)
	if took := clock.Now().Sub(noon); took < 27*time.Second || took > 36*time.Second {
		t.Errorf("ten requests took %s, want 27 s to 36 s", took)
	}
}

// TestNextPageIsAskedForWhileThisOneIsUsed would never end if it were not.
func TestNextPageIsAskedForWhileThisOneIsUsed(t *testing.T) {
	repository := oaitest.Generated(50, oaitest.Options{PageSize: 10})
	asked := make(chan struct{}, 100)
	s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		repository.ServeHTTP(w, r)
		asked <- struct{}{}
	})
	c := serve(t, s, oaipmh.Options{})
	pages := 0
	for p, err := range c.ListRecords(context.Background(), oaipmh.List{Prefix: "oai_dc"}) {
		if err != nil {
			t.Fatal(err)
		}
		if pages++; pages == 1 {
			<-asked
		}
		if p.Token.Value != "" {
			<-asked
		}
		if ahead := len(asked); ahead > 0 {
			t.Errorf("page %d: %d more requests than one page ahead", pages, ahead)
		}
	}
	if pages != 5 {
		t.Errorf("%d pages, want 5", pages)
	}
}

func TestListStopsCleanly(t *testing.T) {
	repository := oaitest.Generated(50, oaitest.Options{PageSize: 10})
	s := httptest.NewServer(repository)
	defer s.Close()
	count := &counter{}
	c := connect(t, s.URL, oaipmh.Options{Transport: count})
	for range c.ListRecords(context.Background(), oaipmh.List{Prefix: "oai_dc"}) {
		break
	}
	if count.now != 0 {
		t.Errorf("%d requests are under way after the loop", count.now)
	}
	drain(c, oaipmh.List{}).wantAll(t, 50)

	never := make(chan struct{})
	repository.Inject(oaitest.Fault{Kind: oaitest.Slow, Page: 2, Wait: never, Times: -1})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for _, err := range c.ListRecords(ctx, oaipmh.List{Prefix: "oai_dc"}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) || count.now != 0 {
		t.Errorf("the list ended with %v and %d requests under way, want it cancelled and none", last, count.now)
	}
}

func TestCancelledBeforeTheFirstRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := serve(t, oaitest.Generated(1, oaitest.Options{}), oaipmh.Options{})
	n := 0
	for _, err := range c.ListRecords(ctx, oaipmh.List{Prefix: "oai_dc"}) {
		n++
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("yielded %d times, want 1", n)
	}
}

// elsewhere answers every request with a redirect.
type elsewhere struct {
	to    string
	hosts []string
}

func (e *elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	e.hosts = append(e.hosts, r.URL.Host)
	return &http.Response{StatusCode: 302, Header: http.Header{"Location": {e.to}}, Body: http.NoBody, Request: r}, nil
}

func TestRedirectsStayOutside(t *testing.T) {
	for _, to := range []string{"http://127.0.0.1/", "http://localhost:6379/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "file:///etc/passwd", "gopher://x/"} {
		e := &elsewhere{to: to}
		c := connect(t, "https://repository.example.org/oai", oaipmh.Options{Transport: e})
		_, err := c.Identify(context.Background())
		wantError[*oaipmh.UnreachableError](t, err)
		if len(e.hosts) != 1 {
			t.Errorf("redirected to %s: requests went to %v", to, e.hosts)
		}
	}
}

func TestNewRefusesWhatIsNoURL(t *testing.T) {
	for _, s := range []string{"", "repository.example.org/oai", "ftp://x/oai", "http://", "http://[::1/oai", "/oai", "https:///oai", "javascript:alert(1)", "http://a b/"} {
		if c, err := oaipmh.New(s, oaipmh.Options{}); err == nil || !strings.Contains(err.Error(), "https://repository.example.edu/oai") {
			t.Errorf("%q: got %v, %v; want an error with an example", s, c, err)
		}
	}
}

func TestGetRecordURL(t *testing.T) {
	for _, c := range []struct{ base, identifier, want string }{
		{"https://r.example.org/oai", "oai:r:1", "https://r.example.org/oai?verb=GetRecord&identifier=oai%3Ar%3A1&metadataPrefix=oai_dc"},
		{"https://r.example.org/index.php?page=oai", "a&b c+d/ü", "https://r.example.org/index.php?page=oai&verb=GetRecord&identifier=a%26b%20c%2Bd%2F%C3%BC&metadataPrefix=oai_dc"},
		{"https://r.example.org/oai?verb=Identify&set=x#top", `"<x>`, "https://r.example.org/oai?verb=GetRecord&identifier=%22%3Cx%3E&metadataPrefix=oai_dc"},
	} {
		if got := oaipmh.GetRecordURL(c.base, c.identifier, "oai_dc"); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestReadGetRecordURL(t *testing.T) {
	const no = ""
	for _, c := range []struct{ uri, base, identifier string }{
		{"https://r.example.org/oai?verb=GetRecord&identifier=oai%3Ar%3A1&metadataPrefix=oai_dc", "https://r.example.org/oai", "oai:r:1"},
		{"https://r.example.org/oai?metadataPrefix=oai_dc&identifier=oai:r:1&verb=GetRecord#top", "https://r.example.org/oai", "oai:r:1"},
		{"https://r.example.org/index.php?page=oai&verb=GetRecord&a=b&identifier=a+b%20c&metadataPrefix=oai_dc", "https://r.example.org/index.php?page=oai&a=b", "a b c"},
		{"https://r.example.org/oai?verb=GetRecord&identifier=1", no, no},
		{"https://r.example.org/oai?verb=GetRecord&metadataPrefix=oai_dc", no, no},
		{"https://r.example.org/oai?verb=GetRecord&identifier=1&identifier=2&metadataPrefix=oai_dc", no, no},
		{"https://r.example.org/oai?verb=GetRecord&identifier=&metadataPrefix=oai_dc", no, no},
		{"https://r.example.org/oai?verb=GetRecord&identifier=%zz&metadataPrefix=oai_dc", no, no},
		{"https://r.example.org/oai?verb=GetRecords&identifier=1&metadataPrefix=oai_dc", no, no},
		{"https://r.example.org/oai?verb=ListRecords&identifier=verb=GetRecord&metadataPrefix=oai_dc", no, no},
		{"https://r.example.org/oai", no, no},
		{no, no, no},
	} {
		base, identifier, prefix, ok := oaipmh.ReadGetRecordURL(c.uri)
		if !ok {
			base, identifier, prefix = no, no, no
		}
		if base != c.base || identifier != c.identifier || ok != (c.base != no) || ok && prefix != "oai_dc" {
			t.Errorf("%s: got %q, %q, %q, %v", c.uri, base, identifier, prefix, ok)
		}
	}
}

// What is written is read again, whatever is in it.
func FuzzGetRecordURL(f *testing.F) {
	f.Add("https://r.example.org/index.php?page=oai&verb=x#top", "a&b c+d/ü", "oai_dc")
	f.Fuzz(func(t *testing.T, base, identifier, prefix string) {
		written := oaipmh.GetRecordURL(base, identifier, prefix)
		readBase, readIdentifier, readPrefix, ok := oaipmh.ReadGetRecordURL(written)
		if ok != (identifier != "" && prefix != "") || ok && (readIdentifier != identifier || readPrefix != prefix) {
			t.Fatalf("%s: got %q, %q, %v", written, readIdentifier, readPrefix, ok)
		}
		if again := oaipmh.GetRecordURL(readBase, identifier, prefix); ok && again != written {
			t.Fatalf("%s: of the base URL %q it is %s", written, readBase, again)
		}
	})
}

func TestIdentifyURL(t *testing.T) {
	for base, want := range map[string]string{
		"https://r.example.org/oai":                "https://r.example.org/oai?verb=Identify",
		"https://r.example.org/index.php?page=oai": "https://r.example.org/index.php?page=oai&verb=Identify",
		"https://r.example.org/oai?set=x":          "https://r.example.org/oai?verb=Identify", // which takes no set
	} {
		if got := oaipmh.IdentifyURL(base); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestErrorsAreOneSentence(t *testing.T) {
	const url = "https://repository.example.org/oai?verb=Identify"
	for _, err := range []error{
		&oaipmh.Error{Code: oaipmh.BadArgument, Message: "line one\nline two", URL: url},
		&oaipmh.Error{Code: "Odd\x00Code", URL: url},
		&oaipmh.StatusError{Code: 403, URL: url, Shield: "Cloudflare"},
		&oaipmh.StatusError{Code: 404, URL: url},
		&oaipmh.StatusError{Code: 500, URL: url},
		&oaipmh.NotOAIError{URL: url, Got: "an HTML page"},
		&oaipmh.TruncatedError{URL: url, Bytes: 7},
		&oaipmh.TooLargeError{URL: url, What: "bytes", Limit: 7},
		&oaipmh.PauseError{Host: "repository.example.org", Until: noon},
		&oaipmh.LoopError{URL: url, Token: strings.Repeat("t\n", 500)},
		&oaipmh.LoopError{URL: url, Empty: 20},
		&oaipmh.BadRecord{Identifier: "a", Err: errors.New("why")},
	} {
		text := fmt.Errorf("harvest: %w", err).Error()
		if strings.ContainsAny(text, "\n\x00") || len(text) > 600 || strings.HasSuffix(text, ".") {
			t.Errorf("%T: %q", err, text)
		}
	}
}

func TestIdentify(t *testing.T) {
	s := script(xml(`<OAI-PMH xmlns="o" xmlns:e="eprints"><responseDate>2026-03-01T12:00:00Z</responseDate><request/><Identify>
<repositoryName> A &amp; <![CDATA[B]]> </repositoryName><baseURL>http://x/</baseURL><protocolVersion>2.0</protocolVersion>
<adminEmail>a@x</adminEmail><adminEmail>b@x</adminEmail><earliestDatestamp>2000-01-01</earliestDatestamp>
<deletedRecord>Transient</deletedRecord><granularity>YYYY-MM-DD</granularity>
<description><e:eprints><e:content/></e:eprints></description><description><plain/></description><description/></Identify></OAI-PMH>`))
	id, err := serve(t, s, oaipmh.Options{}).Identify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%q", id)
	want := fmt.Sprintf("%q", oaipmh.Identify{
		RepositoryName: "A & B", BaseURL: "http://x/", ProtocolVersion: "2.0", AdminEmails: []string{"a@x", "b@x"},
		EarliestDatestamp: "2000-01-01", DeletedRecord: oaipmh.Transient, Granularity: oaipmh.Day,
		Descriptions: []string{`<e:eprints xmlns:e="eprints"><e:content/></e:eprints>`, `<plain xmlns="o"/>`}, ResponseDate: noon,
	})
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestListMetadataFormats(t *testing.T) {
	c := serve(t, oaitest.Generated(3, oaitest.Options{}), oaipmh.Options{})
	formats, err := c.ListMetadataFormats(context.Background(), "oai:repository.example.org:2")
	if err != nil || len(formats) != 2 || formats[1].Namespace != "http://www.openarchives.org/OAI/2.0/oai_dc/" {
		t.Errorf("got %v, %v", formats, err)
	}
	_, err = c.ListMetadataFormats(context.Background(), "oai:repository.example.org:9")
	if e := wantError[*oaipmh.Error](t, err); e.Code != oaipmh.IDDoesNotExist {
		t.Errorf("got %s", e.Code)
	}
}

func BenchmarkListRecords(b *testing.B) {
	r := oaitest.Generated(10_000, oaitest.Options{})
	c := serve(b, r, oaipmh.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if d := drain(c, oaipmh.List{}); len(d.identifiers) != 10_000 || d.err != nil {
			b.Fatal(len(d.identifiers), d.err)
		}
	}
}
