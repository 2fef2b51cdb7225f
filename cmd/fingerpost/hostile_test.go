package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"fingerpost/oaipmh/oaitest"
)

const (
	hostileMemory = 256 << 20 // that of a small container
	goodRecords   = 1000
)

// hostileList writes a list that wants to cost its harvester dearly, until the
// harvester has had enough.
type hostileList func(w http.ResponseWriter, r *http.Request)

// hostileLists are what a repository may answer to ListRecords.
func hostileLists(t *testing.T) map[string]hostileList {
	record := func(id, metadata string) string {
		return `<record><header><identifier>oai:hostile:` + id + `</identifier><datestamp>2024-01-01</datestamp></header><metadata>` + metadata + `</metadata></record>`
	}
	described := func(text string) string {
		return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description>` + text + `</dc:description></oai_dc:dc>`
	}
	list := func(declarations, inside string) string {
		return `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"` + declarations + `><responseDate>2024-01-01T00:00:00Z</responseDate><request/><ListRecords>` + inside
	}
	const end = `</ListRecords></OAI-PMH>`
	page := func(text string) hostileList {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text+end) }
	}
	forever := func(first, more string) hostileList {
		return func(w http.ResponseWriter, r *http.Request) {
			_, err := io.WriteString(w, first)
			for err == nil {
				_, err = io.WriteString(w, more)
			}
		}
	}
	var declared, used strings.Builder
	for i := range 100 {
		fmt.Fprintf(&declared, ` xmlns:p%d="%s"`, i, strings.Repeat("u", 500))
		fmt.Fprintf(&used, `p%d:x `, i)
	}
	var spaces bytes.Buffer // of which gzip makes a thousandth
	z := gzip.NewWriter(&spaces)
	_, err := z.Write(bytes.Repeat([]byte(" "), 16<<20))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return map[string]hostileList{
		"endless-page": forever(list("", ""), strings.Repeat(record("1", described("again")), 500)),
		"expands":      page(list(declared.String(), strings.Repeat(record("1", `<p1:d>`+used.String()+`</p1:d>`), 20_000))),
		"giant":        page(list("", record("1", described(strings.Repeat(`</dc:description><dc:description>`, 12_000_000/33))))),
		"long-text":    page(list("", record("1", described(strings.Repeat("long ", 2<<20))))),
		"gzip-bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			for err := error(nil); err == nil; {
				_, err = w.Write(spaces.Bytes())
			}
		},
		"tokens": func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.FormValue("resumptionToken"))
			fmt.Fprint(w, list("", strings.Repeat(record("1", described("again")), 200)), `<resumptionToken>`, n+1, `</resumptionToken>`, end)
		},
		"drip": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, list("", ""))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	}
}

// hostileRepository answers as any other does, but for its list.
func hostileRepository(list hostileList) http.Handler {
	other := oaitest.Generated(1, oaitest.Options{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("verb") == "ListRecords" {
			w.Header().Set("Content-Type", "text/xml")
			list(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}

// Hostile repositories cost a good one nothing: it is harvested whole, beside
// all of them at once, by a gateway that stays within the memory of a small
// container.
func TestHostileRepositoriesCostAGoodOneNothing(t *testing.T) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || peakOf(status) == 0 {
		t.Skip("the memory of a process is read from /proc, which Linux has")
	}
	sources := map[string]http.Handler{"good": oaitest.Generated(goodRecords, oaitest.Options{PageSize: 100})}
	for name, list := range hostileLists(t) {
		sources[name] = hostileRepository(list)
	}
	met, peak := harvestUntilMet(t, sources)
	for name := range sources {
		run, ok := met[name]
		switch {
		case !ok:
			t.Errorf("%s: the log says nothing about it", name)
		case name == "good" && (run.State != "complete" || run.Records != goodRecords):
			t.Errorf("the good repository ended as %+v", run)
		case name != "good" && run.State == "complete" && run.Quarantined == 0:
			t.Errorf("%s ended as if nothing was wrong: %+v", name, run)
		}
	}
	t.Logf("the gateway took %d MiB", peak>>20)
	if peak > hostileMemory {
		t.Errorf("the gateway took %d MiB, want %d at most", peak>>20, hostileMemory>>20)
	}
}

// loggedRun is what the log says of a run. One that is in trouble goes on with
// smaller lists, in the end for hours.
type loggedRun struct {
	Msg, Repository, State, Reason, Error string
	Records, Quarantined                  int
}

// harvestUntilMet serves repositories until a run of each has ended or was in
// trouble, in a process of its own. It returns these runs and the memory that
// the process took at most.
func harvestUntilMet(t *testing.T, sources map[string]http.Handler) (map[string]loggedRun, int) {
	t.Helper()
	folder := t.TempDir()
	config := fmt.Sprintf("listen: 127.0.0.1:0\ndata: %s\nworkers: %d\nrepositories:\n", folder, len(sources))
	hosts := 1
	for name, h := range sources {
		hosts++
		server := onHostOfItsOwn(t, h, hosts)
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		timeout := "1m"
		if name == "drip" {
			timeout = "1s"
		}
		config += fmt.Sprintf("  - {id: %s, oai_url: %s/oai, formats: [oai_dc], politeness: {timeout: %s, retries: 0}}\n", name, server.URL, timeout)
	}
	file := filepath.Join(folder, "fingerpost.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "fingerpost") // as users have it: the race detector takes many times as much
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	limit := fmt.Sprintf("GOMEMLIMIT=%d", hostileMemory-outsideGo) // which the program takes from its container
	p := exec.Command(program, "serve", "-c", file, "--log-format", "json")
	p.Env = append(os.Environ(), limit)
	log, err := p.StderrPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Process.Signal(syscall.SIGTERM); _, _ = io.Copy(io.Discard, log); _ = p.Wait() }()
	met := map[string]loggedRun{}
	for lines := bufio.NewScanner(log); len(met) < len(sources) && lines.Scan(); {
		var run loggedRun
		if json.Unmarshal(lines.Bytes(), &run) == nil && (run.Msg == "harvest: run ended" || run.Msg == "harvest: trouble" && run.Repository != "good") {
			met[run.Repository] = run
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return met, peakOf(status)
}

var peakLine = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// peakOf is the largest resident memory that a process ever had, in bytes; 0 if
// its status does not say. See proc_pid_status(5).
func peakOf(status []byte) int {
	found := peakLine.FindSubmatch(status)
	if found == nil {
		return 0
	}
	kilobytes, _ := strconv.Atoi(string(found[1]))
	return kilobytes << 10
}

// onHostOfItsOwn serves on another of the addresses that are this machine: sources
// of one host have their turns one after the other.
func onHostOfItsOwn(t *testing.T, h http.Handler, n int) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", n))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	return server
}
