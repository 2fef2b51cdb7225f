package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fingerpost/oaipmh/oaitest"
)

// pageTime is how long a busyHost takes for an answer.
const pageTime = 20 * time.Millisecond

// busyHost is a host with several repositories, which notices when it is sent
// two requests at once.
type busyHost struct {
	http.ServeMux
	url        string
	busy, most atomic.Int32
	quick      atomic.Bool
}

// newBusyHosts starts hosts, between which sources are dealt out.
func newBusyHosts(t *testing.T, n, sources int) []*busyHost {
	t.Helper()
	hosts := make([]*busyHost, n)
	for i := range hosts {
		hosts[i] = new(busyHost)
		// A host is named by its address, without the port.
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			t.Fatal(err)
		}
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: hosts[i]}}
		server.Start()
		t.Cleanup(server.Close)
		hosts[i].url = server.URL
	}
	for i := range sources {
		repository := oaitest.Generated(chaosRecords, oaitest.Options{Site: fmt.Sprintf("https://s%d.example.org", i), PageSize: 3})
		hosts[i%n].Handle(fmt.Sprintf("/s%d/oai", i), repository)
	}
	return hosts
}

func sourceURL(hosts []*busyHost, i int) string {
	return fmt.Sprintf("%s/s%d/oai", hosts[i%len(hosts)].url, i)
}

func (h *busyHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	if !h.answer(answer, r) {
		return
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// answer ends before the client has the answer, and sends its next request. It
// reports whether the client has waited for it.
func (h *busyHost) answer(w http.ResponseWriter, r *http.Request) bool {
	defer h.busy.Add(-1)
	n := h.busy.Add(1)
	for most := h.most.Load(); n > most && !h.most.CompareAndSwap(most, n); most = h.most.Load() {
	}
	if !h.quick.Load() {
		select {
		case <-time.After(pageTime):
		case <-r.Context().Done():
			return false
		}
	}
	h.ServeMux.ServeHTTP(w, r)
	return true
}

// lan is the network between processes and a socket.
type lan struct {
	net.Listener
	socket string
	mu     sync.RWMutex // is locked while the network stalls
	conns  sync.Map
}

func newLAN(t *testing.T, socket string) *lan {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &lan{Listener: listener, socket: socket}
	t.Cleanup(func() { listener.Close(); n.cut() })
	go n.serve()
	return n
}

func (n *lan) serve() {
	for {
		near, err := n.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", n.socket)
		if err != nil {
			near.Close()
			continue
		}
		n.conns.Store(near, far)
		for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
			go func() {
				_, _ = io.Copy(slow{pair[0], n}, pair[1])
				near.Close()
				far.Close()
				n.conns.Delete(near)
			}()
		}
	}
}

// cut closes all connections.
func (n *lan) cut() {
	n.conns.Range(func(near, far any) bool {
		near.(net.Conn).Close()
		far.(net.Conn).Close()
		return true
	})
}

// stall keeps what is sent back until it is healed.
func (n *lan) stall() (heal func()) {
	n.mu.Lock()
	return n.mu.Unlock
}

// slow is the way through a network.
type slow struct {
	net.Conn
	lan *lan
}

func (s slow) Write(b []byte) (int, error) {
	s.lan.mu.RLock()
	defer s.lan.mu.RUnlock()
	return s.Conn.Write(b)
}
