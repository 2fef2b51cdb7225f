package edge

import (
	"net/http"
	"strings"
	"time"
)

// loopHeader carries loopToken on every request to the origin. One that comes
// back with it was sent here by the origin's address: to pass it on would never
// end. RFC 8586.
const (
	loopHeader = "Cdn-Loop"
	loopToken  = "fingerpost"
)

// refuse answers a request that is none for the repository. It is false for
// all others.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request) bool {
	status, sentence := p.refusal(r)
	switch status {
	case 0:
		return false
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	}
	p.Tally.count(refused, status, time.Time{})
	say(w, status, sentence)
	return true
}

// refusal is the status with which a request is refused, and why; 0 if it is
// not.
func (p *Proxy) refusal(r *http.Request) (status int, sentence string) {
	switch r.Method {
	case http.MethodConnect, http.MethodTrace, "TRACK":
		return http.StatusMethodNotAllowed, "This method is not answered here."
	}
	if r.URL.Opaque != "" || !strings.HasPrefix(r.URL.Path, "/") {
		return http.StatusBadRequest, "The address in the request is not a path."
	}
	// An absolute address is what a client sends to a proxy that reaches
	// other hosts. RFC 9112, 3.2.2; RFC 9110, 15.5.20.
	if r.URL.IsAbs() && (p.hosts[bareHost(r.URL.Host)] == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https") {
		return http.StatusMisdirectedRequest, "Another host is not reached through this one."
	}
	for _, v := range r.Header[loopHeader] {
		if strings.Contains(v, loopToken) {
			return http.StatusLoopDetected, "This request has been here before: edge.origin must be the address of the repository's own web server, and not lead back to fingerpost."
		}
	}
	return 0, ""
}

// say answers with one sentence for people.
func say(w http.ResponseWriter, status int, sentence string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(sentence + "\n"))
}
