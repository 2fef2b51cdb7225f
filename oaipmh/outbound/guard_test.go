package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

func guardOf(t *testing.T, base string) *Guard {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return NewGuard(u)
}

func TestGuard(t *testing.T) {
	const public = "93.184.215.14:443"
	type dialled struct{ address, resolved string }
	for _, c := range []struct {
		name, base string
		before     []dialled
		then       dialled
		allowed    bool
	}{
		{"public to public", "https://repository.example.org/oai", nil, dialled{"other.example.org:443", public}, true},
		{"redirect to loopback", "https://repository.example.org/oai", nil, dialled{"localhost:80", "127.0.0.1:80"}, false},
		{"redirect to loopback, IPv6", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[::1]:80"}, false},
		{"redirect to mapped loopback", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[::ffff:127.0.0.1]:80"}, false},
		{"redirect to the cloud's metadata", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "169.254.169.254:80"}, false},
		{"redirect to link-local with zone", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[fe80::1%eth0]:80"}, false},
		{"redirect to a private network", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "10.1.2.3:80"}, false},
		{"redirect to unique local", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[fd00::1]:80"}, false},
		{"redirect to shared space", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "100.64.0.1:80"}, false},
		{"redirect to protocol assignments", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "192.0.0.8:80"}, false},
		{"redirect to a test network", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "198.19.0.1:80"}, false},
		{"redirect to reserved space", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "250.1.2.3:80"}, false},
		{"redirect to this network", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "0.1.2.3:80"}, false},
		{"public by way of NAT64", "https://repository.example.org/oai", nil, dialled{"x.example.org:443", "[64:ff9b::93.184.215.14]:443"}, true},
		{"redirect to loopback by way of NAT64", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[64:ff9b::127.0.0.1]:80"}, false},
		{"redirect to a network's own NAT64", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[64:ff9b:1::7f00:1]:80"}, false},
		{"redirect to loopback by way of 6to4", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[2002:7f00:1::1]:80"}, false},
		{"redirect to loopback by way of Teredo", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[2001:0:7f00:1::1]:80"}, false},
		{"redirect to compatible loopback", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[::127.0.0.1]:80"}, false},
		{"redirect to site-local", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "[fec0::1]:80"}, false},
		{"public IPv6", "https://repository.example.org/oai", nil, dialled{"x.example.org:443", "[2001:4860:4860::8888]:443"}, true},
		{"redirect to 0.0.0.0", "https://repository.example.org/oai", nil, dialled{"x.example.org:80", "0.0.0.0:80"}, false},
		{"configured by address", "http://192.168.1.5:8080/oai", nil, dialled{"192.168.1.5:8080", "192.168.1.5:8080"}, true},
		{"configured by private name", "http://dspace:8080/oai", nil, dialled{"dspace:8080", "172.18.0.3:8080"}, true},
		{"private leads to private", "http://dspace:8080/oai", []dialled{{"dspace:8080", "172.18.0.3:8080"}}, dialled{"other:80", "172.18.0.4:80"}, true},
		{"rebinding", "http://evil.example.org/oai", []dialled{{"evil.example.org:80", "93.184.215.14:80"}}, dialled{"evil.example.org:80", "127.0.0.1:80"}, false},
		{"rebinding to another port", "http://evil.example.org/oai", nil, dialled{"evil.example.org:6379", "127.0.0.1:6379"}, false},
	} {
		g := guardOf(t, c.base)
		for _, d := range c.before {
			if err := g.Check(d.address, d.resolved); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		err := g.Check(c.then.address, c.then.resolved)
		var forbidden *ForbiddenError
		if (err == nil) != c.allowed || err != nil && !errors.As(err, &forbidden) {
			t.Errorf("%s: got %v, want allowed %v", c.name, err, c.allowed)
		}
	}
}

func TestGuardLooksAtTheResolvedAddress(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	g := guardOf(t, "https://repository.example.org/oai")
	var forbidden *ForbiddenError
	if _, err := g.Dial(context.Background(), time.Second, "tcp", listener.Addr().String()); !errors.As(err, &forbidden) {
		t.Errorf("got %v, want a refusal", err)
	}
	g = guardOf(t, "http://"+listener.Addr().String())
	conn, err := g.Dial(context.Background(), time.Second, "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("the configured address: %v", err)
	}
	conn.Close()
}

func TestGuardKnowsNames(t *testing.T) {
	g := guardOf(t, "https://repository.example.org/oai")
	for _, to := range []string{"http://localhost/", "http://a.localhost./", "http://127.1.2.3/", "http://[::1]:80/", "http://10.0.0.1/",
		"http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0X7F000001/", "http://0177.0.0.1/", "http://1.2.3.4.5./"} {
		u, _ := url.Parse(to)
		if g.CheckURL(u) == nil {
			t.Errorf("a redirect to %s is followed", to)
		}
	}
	for _, to := range []string{"https://other.example.org/", "https://93.184.215.14/", "https://4.example.xn--p1ai/", "https://0xn.example.de0/"} {
		u, _ := url.Parse(to)
		if err := g.CheckURL(u); err != nil {
			t.Errorf("a redirect to %s: %v", to, err)
		}
	}
}

func TestGuardAllowsTheProxy(t *testing.T) {
	g := guardOf(t, "https://repository.example.org/oai")
	g.proxies["proxy.example.edu:3128"] = true
	if err := g.Check("proxy.example.edu:3128", "10.0.0.9:3128"); err != nil {
		t.Errorf("the proxy: %v", err)
	}
	if p, err := g.Proxy(&http.Request{URL: &url.URL{Scheme: "http", Host: "localhost"}}); p != nil || err != nil {
		t.Errorf("got proxy %v, %v for localhost", p, err)
	}
}
