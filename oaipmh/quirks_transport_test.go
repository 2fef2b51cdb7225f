package oaipmh_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

func TestQuirk01_RetryAfterSeconds(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Status503, Page: 2, RetryAfter: "120"})
	drain(serve(t, r, oaipmh.Options{Clock: clock}), oaipmh.List{}).wantAll(t, 30)
	if got := longest(clock.Slept()); got != 120*time.Second {
		t.Errorf("slept at most %s, want 2m0s", got)
	}
	if got, want := len(r.Requests()), 4; got != want {
		t.Errorf("%d requests, want %d: the same one again", got, want)
	}
}

func TestQuirk02_503WithoutRetryAfter(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Status503, Page: 2, RetryAfter: "-", Times: -1})
	c := serve(t, r, oaipmh.Options{Clock: clock, Retries: 10})
	e := wantError[*oaipmh.StatusError](t, drain(c, oaipmh.List{}).err)
	if e.Code != 503 {
		t.Errorf("got status %d, want 503", e.Code)
	}
	slept := clock.Slept()
	if len(slept) != 10 {
		t.Fatalf("slept %d times, want 10", len(slept))
	}
	for i, d := range slept {
		if low := min(time.Second<<i, time.Minute) / 2; d < low || d > time.Minute {
			t.Errorf("pause %d is %s, want at least %s and at most a minute", i, d, low)
		}
	}
}

func TestQuirk03_RetryAfterDate(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	at := time.Now().Add(5 * time.Minute).UTC().Format(http.TimeFormat) // the server's clock is the wall clock
	r.Inject(oaitest.Fault{Kind: oaitest.Status503, Page: 2, RetryAfter: at})
	drain(serve(t, r, oaipmh.Options{Clock: clock}), oaipmh.List{}).wantAll(t, 30)
	if got := longest(clock.Slept()); got < 4*time.Minute || got > 6*time.Minute {
		t.Errorf("slept at most %s, want about five minutes", got)
	}
}

func TestQuirk03_RetryAfterTooLong(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Status503, Page: 2, RetryAfter: "259200"})
	s := httptest.NewServer(r)
	defer s.Close()
	o := oaipmh.Options{Clock: clock, Hosts: new(oaipmh.Hosts)}
	d := drain(connect(t, s.URL, o), oaipmh.List{})
	pause := wantError[*oaipmh.PauseError](t, d.err)
	if want := noon.Add(72 * time.Hour); !pause.Until.Equal(want) || len(d.identifiers) != 10 {
		t.Errorf("got %d records and a pause until %s; want 10, %s", len(d.identifiers), pause.Until, want)
	}
	requests := len(r.Requests())
	_, err := connect(t, s.URL, o).Identify(context.Background())
	wantError[*oaipmh.PauseError](t, err)
	if len(r.Requests()) != requests || len(clock.Slept()) != 0 {
		t.Errorf("a paused host was asked %d times, after %v", len(r.Requests())-requests, clock.Slept())
	}
	clock.Advance(73 * time.Hour)
	if _, err := connect(t, s.URL, o).Identify(context.Background()); err != nil {
		t.Errorf("after the pause: %v", err)
	}
}

func TestQuirk04_TooManyRequests(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(100, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Status429, Page: 2, RetryAfter: "3"})
	drain(serve(t, r, oaipmh.Options{Clock: clock}), oaipmh.List{}).wantAll(t, 100)
	if got := clock.Now().Sub(noon); got < 3*time.Second+7*time.Second {
		t.Errorf("the list took %s, want 3 s and then at least a second for each of its further pages", got)
	}
}

func TestQuirk04_ASlowPaceIsForgottenAfterADay(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(100, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Status429, RetryAfter: "-"})
	c := serve(t, r, oaipmh.Options{Clock: clock})
	drain(c, oaipmh.List{}).wantAll(t, 100)
	clock.Advance(24 * time.Hour)
	began := clock.Now()
	drain(c, oaipmh.List{}).wantAll(t, 100)
	if got := clock.Now().Sub(began); got != 0 {
		t.Errorf("a day later the list took %s", got)
	}
}

func TestQuirk05_TransientServerErrors(t *testing.T) {
	for _, code := range []int{500, 502, 504} {
		s := script(list(token("t"), "a"), status(code), status(code), list("", "b"))
		drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).want(t, "a", "b")
		for _, r := range s.requests[1:] {
			if got := r.Form.Get("resumptionToken"); got != "t" {
				t.Errorf("after %d: asked with token %q, want the same one", code, got)
			}
		}
	}
}

func TestQuirk07_ConnectionCut(t *testing.T) {
	for _, kind := range []oaitest.Kind{oaitest.Drop, oaitest.NoAnswer} {
		r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
		r.Inject(oaitest.Fault{Kind: kind, Page: 2, Times: 2})
		c := serve(t, r, oaipmh.Options{})
		drain(c, oaipmh.List{}).wantAll(t, 30)
		if requests, retries := c.Requests(), c.Retries(); retries == 0 || requests != 3+retries {
			t.Errorf("%s: three pages took %d requests, %d of them retries", kind, requests, retries)
		}
	}
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Drop, Page: 2, Times: -1})
	wantError[*oaipmh.TruncatedError](t, drain(serve(t, r, oaipmh.Options{}), oaipmh.List{}).err)
}

func TestQuirk08_TimeoutsAndConnectionErrors(t *testing.T) {
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	never := make(chan struct{})
	r.Inject(oaitest.Fault{Kind: oaitest.Slow, Page: 2, Wait: never})
	drain(serve(t, r, oaipmh.Options{Timeout: 250 * time.Millisecond}), oaipmh.List{}).wantAll(t, 30)

	r.Inject(oaitest.Fault{Kind: oaitest.Slow, Page: 2, Wait: never, Times: -1})
	d := drain(serve(t, r, oaipmh.Options{Timeout: 50 * time.Millisecond, Retries: 1}), oaipmh.List{})
	e := wantError[*oaipmh.UnreachableError](t, d.err)
	if !strings.Contains(e.Error(), "within 50ms") {
		t.Errorf("the error does not say how long was waited: %s", e)
	}

	s := httptest.NewServer(r)
	s.Close()
	clock := oaitest.NewClock(noon)
	_, err := connect(t, s.URL, oaipmh.Options{Clock: clock}).Identify(context.Background())
	wantError[*oaipmh.UnreachableError](t, err)
	if len(clock.Slept()) == 0 {
		t.Error("a refused connection was not tried again")
	}
}

func TestQuirk09_EmptyBody(t *testing.T) {
	clock := oaitest.NewClock(noon)
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.EmptyBody, Page: 2, Times: 2})
	drain(serve(t, r, oaipmh.Options{Clock: clock}), oaipmh.List{}).wantAll(t, 30)
	if len(clock.Slept()) != 2 {
		t.Errorf("slept %v, want two pauses", clock.Slept())
	}
}

func TestQuirk10_BotCheck(t *testing.T) {
	for _, c := range []struct {
		code          int
		header, value string
		want          string
	}{
		{403, "Cf-Mitigated", "challenge", "Cloudflare"},
		{503, "Cf-Mitigated", "challenge", "Cloudflare"},
		{202, "X-Amzn-Waf-Action", "challenge", "AWS WAF"},
		{405, "X-Amzn-Waf-Action", "captcha", "AWS WAF"},
		{403, "X-DataDome", "protected", "DataDome"},
		{403, "X-Iinfo", "8-1-2", "Imperva"},
		{403, "X-Sucuri-ID", "1", "Sucuri"},
		{403, "Server", "AkamaiGHost", "Akamai"},
		{200, "Set-Cookie", "techaro.lol-anubis-auth=; Path=/", "Anubis"},
		{403, "X-Nothing", "1", ""},
	} {
		s := script(status(c.code, c.header, c.value))
		_, err := serve(t, s, oaipmh.Options{}).Identify(context.Background())
		e := wantError[*oaipmh.StatusError](t, err)
		if e.Shield != c.want || !strings.Contains(e.Error(), c.want) || (c.want != "") != strings.Contains(e.Error(), `let through the User-Agent "fingerpost"`) {
			t.Errorf("%d with %s: shield %q (%s), want %q", c.code, c.header, e.Shield, e, c.want)
		}
		if len(s.requests) != 1 {
			t.Errorf("%d with %s: %d requests, want 1", c.code, c.header, len(s.requests))
		}
	}
}

func TestQuirk10_BotCheckAsAPage(t *testing.T) {
	s := script(xml(`<html><head><title>Making sure you're not a bot!</title><link rel="stylesheet" href="/.within.website/x.css"></head></html>`))
	_, err := serve(t, s, oaipmh.Options{}).Identify(context.Background())
	if e := wantError[*oaipmh.StatusError](t, err); e.Shield != "Anubis" || e.Code != 200 || len(s.requests) != 1 {
		t.Errorf("%s after %d requests, want Anubis after 1", e, len(s.requests))
	}
}

// refused is a transport that gets no connection.
type refused struct{ err error }

func (r refused) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }

func TestTooManyOpenFilesHasItsOwnRemedy(t *testing.T) {
	o := oaipmh.Options{Retries: -1, Transport: refused{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}}}
	_, err := connect(t, "https://repository.example.org/oai", o).Identify(context.Background())
	if e := wantError[*oaipmh.UnreachableError](t, err); !strings.Contains(e.Error(), "ulimit -n") {
		t.Errorf("%s does not say how to raise the limit", e)
	}
}

func TestQuirk11_UserAgentAndFrom(t *testing.T) {
	s := script(list("", "a"))
	o := oaipmh.Options{UserAgent: "fingerpost/1 (+https://gateway.example.edu)", From: "oai@example.edu"}
	drain(serve(t, s, o), oaipmh.List{}).want(t, "a")
	h := s.requests[0].Header
	if h.Get("User-Agent") != o.UserAgent || h.Get("From") != o.From {
		t.Errorf("sent User-Agent %q and From %q", h.Get("User-Agent"), h.Get("From"))
	}
	drain(serve(t, s, oaipmh.Options{}), oaipmh.List{})
	if got := s.requests[1].Header.Get("User-Agent"); !strings.HasPrefix(got, "fingerpost") {
		t.Errorf("the default User-Agent is %q", got)
	}
}

func TestQuirk12_RedirectToHTTPS(t *testing.T) {
	repository := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	secure := httptest.NewTLSServer(repository)
	defer secure.Close()
	asked := 0
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, secure.URL+"/new/oai?"+r.URL.RawQuery, http.StatusMovedPermanently)
	}))
	defer plain.Close()
	pool := x509.NewCertPool()
	pool.AddCert(secure.Certificate())
	c := connect(t, plain.URL+"/oai", oaipmh.Options{RootCAs: pool})
	drain(c, oaipmh.List{}).wantAll(t, 30)
	if want := secure.URL + "/new/oai"; c.BaseURL() != want || asked != 1 {
		t.Errorf("moved to %s after %d requests, want %s after 1", c.BaseURL(), asked, want)
	}
}

func TestQuirk12_RedirectThatForgetsTheQuery(t *testing.T) {
	repository := oaitest.Generated(10, oaitest.Options{})
	mux := http.NewServeMux()
	mux.Handle("/new", repository)
	mux.HandleFunc("/oai", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/new", http.StatusFound)
	})
	c := serve(t, mux, oaipmh.Options{})
	drain(c, oaipmh.List{}).wantAll(t, 10)
	if strings.HasSuffix(c.BaseURL(), "/new") {
		t.Error("a temporary redirect moved the base URL")
	}
}

func TestQuirk12_RedirectsEnd(t *testing.T) {
	s := script(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/oai", http.StatusFound) })
	_, err := serve(t, s, oaipmh.Options{}).Identify(context.Background())
	wantError[*oaipmh.UnreachableError](t, err)
	if len(s.requests) != 6 {
		t.Errorf("%d requests, want one and five redirects", len(s.requests))
	}
	s = script(status(302, "Location", "ftp://127.0.0.1/oai"))
	_, err = serve(t, s, oaipmh.Options{}).Identify(context.Background())
	wantError[*oaipmh.UnreachableError](t, err)
}

func TestQuirk13_OtherBaseURLInIdentify(t *testing.T) {
	r := oaitest.Generated(10, oaitest.Options{BaseURL: "http://old.example.org/cgi/oai2"})
	c := serve(t, r, oaipmh.Options{})
	before := c.BaseURL()
	id, err := c.Identify(context.Background())
	if err != nil || id.BaseURL != "http://old.example.org/cgi/oai2" {
		t.Fatalf("got %q, %v", id.BaseURL, err)
	}
	drain(c, oaipmh.List{}).wantAll(t, 10)
	if c.BaseURL() != before {
		t.Errorf("the base URL became %s", c.BaseURL())
	}
}

func TestQuirk14_Certificates(t *testing.T) {
	s := httptest.NewTLSServer(oaitest.Generated(10, oaitest.Options{}))
	defer s.Close()
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	clock := oaitest.NewClock(noon)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate()) // for 127.0.0.1 and example.com
	other := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for _, c := range []struct {
		url  string
		cas  *x509.CertPool
		want string
	}{
		{s.URL, nil, "name it as ca_file"},
		{s.URL, x509.NewCertPool(), "in ca_file either"},
		{other, pool, "issued for another host name"},
	} {
		_, err := connect(t, c.url, oaipmh.Options{Clock: clock, RootCAs: c.cas}).Identify(context.Background())
		e := wantError[*oaipmh.UnreachableError](t, err)
		if !strings.Contains(e.Error(), c.want) || len(clock.Slept()) != 0 {
			t.Errorf("after %v: %s; want %s, and no second try", clock.Slept(), e, c.want)
		}
	}
	if _, err := connect(t, s.URL, oaipmh.Options{RootCAs: pool}).Identify(context.Background()); err != nil {
		t.Errorf("with its certificate among RootCAs: %v", err)
	}
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.Bytes()
}

func TestQuirk15_Gzip(t *testing.T) {
	body := oai("<ListRecords>" + record("a") + "</ListRecords>")
	unlabelled := script(xml(string(gzipped(body))))
	drain(serve(t, unlabelled, oaipmh.Options{}), oaipmh.List{}).want(t, "a")

	for _, kind := range []oaitest.Kind{oaitest.GzipLiar, oaitest.BadGzip} {
		clock := oaitest.NewClock(noon)
		r := oaitest.Generated(30, oaitest.Options{PageSize: 10, Gzip: true})
		r.Inject(oaitest.Fault{Kind: kind, Page: 2, Times: -1})
		drain(serve(t, r, oaipmh.Options{Clock: clock}), oaipmh.List{}).wantAll(t, 30)
		if len(clock.Slept()) > 1 || longest(clock.Slept()) != 0 {
			t.Errorf("%s: slept %v; want no pause before asking without compression", kind, clock.Slept())
		}
	}
}

func TestQuirk15_CompressionThatWasNotAskedFor(t *testing.T) {
	plain := oai("<ListRecords>" + record("a") + "</ListRecords>")
	var deflated bytes.Buffer
	z, _ := flate.NewWriter(&deflated, flate.BestSpeed)
	_, _ = z.Write([]byte(plain))
	_ = z.Close()
	for coding, body := range map[string]string{"deflate": deflated.String(), "gzip": string(gzipped(string(gzipped(plain))))} {
		clock := oaitest.NewClock(noon)
		server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") == "identity" {
				xml(plain)(w, r)
				return
			}
			w.Header().Set("Content-Encoding", coding)
			xml(body)(w, r)
		})
		drain(serve(t, server, oaipmh.Options{Clock: clock}), oaipmh.List{}).want(t, "a")
		if len(clock.Slept()) > 1 || longest(clock.Slept()) != 0 {
			t.Errorf("%s: slept %v; want no pause before asking without compression", coding, clock.Slept())
		}
	}
}

func TestQuirk15_InflatedSizeIsBounded(t *testing.T) {
	bomb := script(xml(string(gzipped(oai(strings.Repeat(" ", 1<<20))))))
	_, err := serve(t, bomb, oaipmh.Options{MaxBytes: 1 << 16}).Identify(context.Background())
	e := wantError[*oaipmh.TooLargeError](t, err)
	if e.Limit != 1<<16 || len(bomb.requests) != 1 {
		t.Errorf("limit %d after %d requests, want %d after 1", e.Limit, len(bomb.requests), 1<<16)
	}
}

func TestQuirk16_BaseURLWithQuery(t *testing.T) {
	s := script(list(token("t"), "a"), list("", "b"))
	server := httptest.NewServer(s)
	defer server.Close()
	c := connect(t, server.URL+"/index.php?page=oai&set=theses&verb=Identify", oaipmh.Options{})
	drain(c, oaipmh.List{}).want(t, "a", "b")
	_, _ = c.Identify(context.Background())
	for i, want := range []string{
		"/index.php?page=oai&set=theses&verb=ListRecords&metadataPrefix=oai_dc",
		"/index.php?page=oai&verb=ListRecords&resumptionToken=t",
		"/index.php?page=oai&verb=Identify",
	} {
		if got := s.requests[i].RequestURI; got != want {
			t.Errorf("request %d is %s, want %s", i, got, want)
		}
	}
}

func TestQuirk17_ProtocolErrorWithHTTPError(t *testing.T) {
	for _, code := range []int{400, 404, 422, 500} {
		s := script(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			protocolError("noRecordsMatch", "nothing")(w, r)
		})
		e := wantError[*oaipmh.Error](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).err)
		if e.Code != oaipmh.NoRecordsMatch || len(s.requests) != 1 {
			t.Errorf("%d: got %s after %d requests, want noRecordsMatch after 1", code, e.Code, len(s.requests))
		}
	}
}

func TestQuirk18_POST(t *testing.T) {
	s := script(list(token("a+b&amp;c"), "a"), list("", "b"))
	drain(serve(t, s, oaipmh.Options{POST: true}), oaipmh.List{Set: "x:y"}).want(t, "a", "b")
	for i, want := range []string{"x:y", ""} {
		r := s.requests[i]
		if r.Method != http.MethodPost || r.URL.RawQuery != "" || r.PostForm.Get("set") != want {
			t.Errorf("request %d: %s %s with %v", i, r.Method, r.URL, r.PostForm)
		}
	}
	if got := s.requests[1].PostForm.Get("resumptionToken"); got != "a+b&c" {
		t.Errorf("the token arrived as %q", got)
	}
}

func TestQuirk19_ListTooLong(t *testing.T) {
	s := script(status(413))
	e := wantError[*oaipmh.StatusError](t, drain(serve(t, s, oaipmh.Options{}), oaipmh.List{}).err)
	if e.Code != 413 || len(s.requests) != 1 || !strings.Contains(e.Error(), "smaller periods") {
		t.Errorf("got %v after %d requests, want 413 after 1", e, len(s.requests))
	}
}

func TestQuirk20_Cookies(t *testing.T) {
	answer := func(tail, id string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "JSESSIONID", Value: "1"})
			list(tail, id)(w, r)
		}
	}
	for _, keep := range []bool{true, false} {
		s := script(answer(token("t"), "a"), answer("", "b"))
		drain(serve(t, s, oaipmh.Options{Cookies: keep}), oaipmh.List{}).want(t, "a", "b")
		if _, err := s.requests[1].Cookie("JSESSIONID"); (err == nil) != keep {
			t.Errorf("Cookies %v: second request has %v", keep, s.requests[1].Header["Cookie"])
		}
	}
}

func TestQuirk21_Secrets(t *testing.T) {
	elsewhere := script(list("", "a"))
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	s := script(status(503), func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"?"+r.URL.RawQuery, http.StatusFound)
	}, status(404))
	server := httptest.NewServer(s)
	defer server.Close()
	withUser := strings.Replace(server.URL, "http://", "http://harvester:hunter2@", 1)
	o := oaipmh.Options{Header: http.Header{"x-api-key": {"s3cret"}}, Query: url.Values{"key": {"s3&cret"}}}
	c := connect(t, withUser, o)
	drain(c, oaipmh.List{}).want(t, "a")
	h := s.requests[0]
	if user, password, _ := h.BasicAuth(); user != "harvester" || password != "hunter2" || h.Header.Get("X-Api-Key") != "s3cret" || h.FormValue("key") != "s3&cret" {
		t.Errorf("sent %s, %v", h.URL, h.Header)
	}
	if got := elsewhere.requests[0].URL.RawQuery; strings.Contains(got, "cret") {
		t.Errorf("another host was sent %s", got)
	}
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if got := elsewhere.requests[0].Header.Get(name); got != "" {
			t.Errorf("another host was sent %s: %s", name, got)
		}
	}
	_, err := c.Identify(context.Background())
	if text := err.Error() + c.BaseURL(); strings.Contains(text, "hunter2") || strings.Contains(text, "cret") {
		t.Errorf("a secret shows in %s", text)
	}
}
