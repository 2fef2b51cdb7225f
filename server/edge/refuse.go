package edge

import (
	"net/http"
	"strings"
	"time"
)

// loopHeader has loopToken in every request to the origin. If it is in a request
// that arrives, the origin's address leads back here. RFC 8586.
const (
	loopHeader = "Cdn-Loop"
	loopToken  = "fingerpost"
)

// refuse answers a request that is not for the repository. It returns false for
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

// refusal returns the status with which a request is refused, and the reason; 0
// if it is passed on.
func (p *Proxy) refusal(r *http.Request) (status int, sentence string) {
	switch r.Method {
	case http.MethodConnect, http.MethodTrace, "TRACK":
		return http.StatusMethodNotAllowed, "This method is not supported here."
	}
	if r.URL.Opaque != "" || !strings.HasPrefix(r.URL.Path, "/") {
		return http.StatusBadRequest, "The address in the request is not a path."
	}
	// Clients send an absolute address to a proxy that reaches other hosts.
	// RFC 9112, 3.2.2; RFC 9110, 15.5.20.
	if r.URL.IsAbs() && (p.hosts[bareHost(r.URL.Host)] == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https") {
		return http.StatusMisdirectedRequest, "This host does not pass requests on to others."
	}
	for _, v := range r.Header[loopHeader] {
		if strings.Contains(v, loopToken) {
			return http.StatusLoopDetected, "This request was here before: edge.origin must be the address of the repository's own web server. It leads back to fingerpost."
		}
	}
	return 0, ""
}

// say answers with a sentence for people.
func say(w http.ResponseWriter, status int, sentence string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(sentence + "\n"))
}
