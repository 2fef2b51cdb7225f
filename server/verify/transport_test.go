package verify

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fingerpost/bridge/linkset"
)

// secured is a server with TLS, of which config is, that tells the protocol
// that it was asked in.
func secured(t *testing.T, config *tls.Config) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", fmt.Sprintf("<https://repo.example/%s>; rel=\"cite-as\"", r.Proto))
	}))
	s.TLS = config
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of its clients
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// says is the address of a server that says text to everybody, whatever is asked.
func says(t *testing.T, text string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// leadingTo is a client for which every host is the server at address.
func leadingTo(address string, config *tls.Config) *Client {
	return &Client{Clock: &fakeClock{}, TLS: config, dial: func(ctx context.Context, network, _ string, _ func(string) error) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}}
}

// Why no answer comes is said in words that an administrator understands.
func TestUnreachableInWords(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	good := secured(t, nil)
	roots := good.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	tests := []struct {
		name, url, address string
		config             *tls.Config
		want               string
	}{
		{"a certificate that nobody vouches for", "https://www.example.com/", good.Listener.Addr().String(), nil, "the server's certificate does not verify"},
		{"another host's certificate", "https://repo.example/", good.Listener.Addr().String(), &tls.Config{RootCAs: roots}, "the server's certificate does not verify"},
		{"TLS 1.0 alone", "https://repo.example/", secured(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10}).Listener.Addr().String(), nil, "the server refuses the TLS connection"},
		{"a certificate is asked for", "https://www.example.com/", secured(t, &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}).Listener.Addr().String(), &tls.Config{RootCAs: roots}, "the server refuses the TLS connection"},
		{"http on the port of https", "https://repo.example/", plain.Listener.Addr().String(), nil, "the server does not speak TLS on this port"},
		{"something else on the port of https", "https://repo.example/", says(t, "SSH-2.0\r\n"), nil, "the server does not speak TLS on this port"},
		{"something else on the port of http", "http://repo.example/", says(t, "SSH-2.0\r\n"), nil, "malformed HTTP response"},
		{"nothing is said", "http://repo.example/", says(t, ""), nil, "the server ended the connection without an answer"},
		{"half is said", "http://repo.example/", says(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), nil, "the answer is cut off"},
		{"compressed, and not", "http://repo.example/", says(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 21\r\n\r\nthis was never zipped"), nil, "gzip: invalid header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report, err := Page(context.Background(), leadingTo(tt.address, tt.config), tt.url, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if f := has(t, report, "FP-PAGE-UNREACHABLE"); !strings.Contains(f.Message, tt.want) {
				t.Errorf("got %q, want %q", f.Message, tt.want)
			}
		})
	}
}

// HTTP/2 is spoken where the server does.
func TestHTTP2(t *testing.T) {
	s := secured(t, nil)
	p, err := LandingPage(context.Background(), leadingTo(s.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true}), "https://repo.example/")
	if err != nil {
		t.Fatal(err)
	}
	for _, links := range []linkset.LinkSet{p.Head, p.Header} {
		if len(links) != 1 || links[0].Href != "https://repo.example/HTTP/2.0" {
			t.Errorf("got %v, want a link by HTTP/2", links)
		}
	}
}
