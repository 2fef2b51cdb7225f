package verify

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// formOf is a Form whose clients reach one server whatever the address.
func formOf(t *testing.T, pages http.HandlerFunc) *Form {
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return NewForm("1.0", func() *Client {
		return &Client{dial: func(ctx context.Context, network, _ string, _ func(string) error) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}}
	}, time.Now)
}

func ask(f *Form, address string, header map[string]string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// Only a person, or a program on this machine, makes the gateway send requests:
// no other web page does.
func TestFormAsksOnlyForAPerson(t *testing.T) {
	requests := 0
	f := formOf(t, func(http.ResponseWriter, *http.Request) { requests++ })
	tests := []struct {
		name, host, token string
		header            map[string]string
		want              bool
	}{
		{"the form", "127.0.0.1:9090", "", map[string]string{"Sec-Fetch-Site": "same-origin"}, true},
		{"a typed address", "127.0.0.1:9090", "", map[string]string{"Sec-Fetch-Site": "none"}, true},
		{"another web page", "127.0.0.1:9090", "", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"a neighbour's web page", "127.0.0.1:9090", "", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"another web page with the token", "127.0.0.1:9090", f.token, map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"a program on this machine", "[::1]:9090", "", nil, true},
		{"a browser without https", "gateway:9090", "", nil, false},
		{"the form without https", "gateway:9090", f.token, nil, true},
		{"another token", "gateway:9090", "guessed", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requests = 0
			address := "http://" + tt.host + "/verify?url=http%3A%2F%2Frepo.example%2F1&token=" + tt.token
			status, body := ask(f, address, tt.header)
			if status != http.StatusOK || (requests > 0) != tt.want {
				t.Errorf("%d with %d requests, want any: %t", status, requests, tt.want)
			}
			if !strings.Contains(body, `value="http://repo.example/1"`) {
				t.Errorf("the form does not have the URL:\n%s", body)
			}
			if got := strings.Contains(body, "FP-LINKS-NONE"); got != tt.want {
				t.Errorf("there are findings: %t, want %t", got, tt.want)
			}
		})
	}
}

// One page is verified at a time; what is no URL of a page is requested by nobody.
func TestFormRefuses(t *testing.T) {
	f := formOf(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, address := range []string{"mailto:someone@repo.example", "file:///etc/passwd", "//repo.example/", "https://user:secret@repo.example/"} {
		if status, body := ask(f, "http://localhost/verify?url="+url.QueryEscape(address), nil); status != http.StatusBadRequest || !strings.Contains(body, "This is not the URL") {
			t.Errorf("%s: %d", address, status)
		}
	}
	f.busy <- struct{}{}
	if status, body := ask(f, "http://localhost/verify?url=http://repo.example/", nil); status != http.StatusServiceUnavailable || !strings.Contains(body, "Another page is being verified") {
		t.Errorf("while a page is verified: %d", status)
	}
}

// What a server sends is text in the sheet, and nothing in it leads a browser to
// another host by itself.
func TestSheetOfHostilePage(t *testing.T) {
	f := formOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Link", `<javascript:alert(1)>; rel="cite-as", <https://doi.org/"><script>alert(2)</script>>; rel="item"`)
		w.Header().Add("Link", `<https://doi.org/10.5072/1>; rel="describedby"; type="</style><img src=x>"`)
	})
	_, page := ask(f, "http://localhost/verify?url=http://repo.example/%3Cscript%3E", nil)
	report, err := Page(t.Context(), f.client(), "http://repo.example/<script>", Options{NoTargets: true})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := WriteSheet(&file, "1.0", time.Unix(0, 0), []Report{report, report}); err != nil {
		t.Fatal(err)
	}
	hostile := regexp.MustCompile(`<script>|<img|href="javascript|</style>[^\n]`)
	for _, text := range []string{page, file.String()} {
		if found := hostile.FindString(text); found != "" {
			t.Errorf("%q in\n%s", found, text)
		}
		if !strings.Contains(text, "FP-") {
			t.Errorf("no finding in\n%s", text)
		}
	}
	if found := regexp.MustCompile(`<(link|script|img|iframe|form)\b|@import|url\(`).FindString(file.String()); found != "" {
		t.Errorf("the file has %s: it must need nothing else", found)
	}
	if n := strings.Count(file.String(), "<section"); n != 2 {
		t.Errorf("%d reports in the file, want 2", n)
	}
}
