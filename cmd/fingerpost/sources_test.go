package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/pgtest"
	"fingerpost/bridge/store/postgres"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
)

const sourcesMemory = 128 << 20

// manySources is how many sources a test has.
func manySources() int {
	if n, err := strconv.Atoi(os.Getenv("FINGERPOST_NIGHT")); err == nil {
		return n
	}
	if os.Getenv("FINGERPOST_CI") != "" {
		return 10000
	}
	return 1000
}

// Tens of thousands of sources, all of them harvested, take the memory of a small
// container, and the gateway answers at once.
func TestTensOfThousandsOfSources(t *testing.T) {
	if status, err := os.ReadFile("/proc/self/status"); err != nil || peakOf(status) == 0 {
		t.Skip("the memory of a process is read from /proc, which Linux has")
	}
	program := filepath.Join(t.TempDir(), "fingerpost")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, engine := range []string{"SQLite", "PostgreSQL"} {
		t.Run(engine, func(t *testing.T) {
			folder := t.TempDir()
			database, db := filepath.Join(folder, "fingerpost.db"), (*store.DB)(nil)
			var err error
			if engine == "SQLite" {
				db, err = sqlite.Open(t.Context(), database)
			} else {
				if !pgtest.Installed() && os.Getenv("FINGERPOST_CI") == "" {
					t.Skip("PostgreSQL is not installed")
				}
				server, started := pgtest.Start()
				if started != nil {
					t.Fatal(started)
				}
				defer server.Close()
				database = server.Database(t)
				db, err = postgres.Open(t.Context(), database, "")
			}
			if err != nil {
				t.Fatal(err)
			}
			fillSources(t, db, manySources())
			serveSources(t, program, folder, database)
		})
	}
}

// fillSources saves what harvests of so many sources leave.
func fillSources(t *testing.T, db *store.DB, n int) {
	t.Helper()
	began := time.Now()
	formats := make([]oaipmh.MetadataFormat, 8)
	for i := range formats {
		formats[i] = oaipmh.MetadataFormat{Prefix: fmt.Sprint("format", i), Schema: "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", Namespace: fmt.Sprint("http://example.org/ns/", i)}
	}
	for i := range n {
		id, host := fmt.Sprintf("source-%05d", i), fmt.Sprintf("https://repository-%d.example.edu", i)
		b := store.Batch{Objects: []store.Object{{Identifier: "oai:" + id, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: host + "/1"}}}}}
		b.Records = []store.Record{{Identifier: "oai:" + id, Prefix: "format0", Hash: [16]byte{byte(i), byte(i >> 8)}, Metadata: []byte("<record/>")}}
		run := store.Run{Repository: id, Prefix: "oai_dc", State: store.Complete, Records: 1, Started: began, Finished: began}
		r := store.Repository{ID: id, OAIURL: host + "/oai", Formats: formats, MappedBy: "1", Prefixes: []string{"format0"}, Identify: oaipmh.Identify{
			RepositoryName: fmt.Sprint("Repository number ", i), Descriptions: []string{strings.Repeat("<description/>", 100)},
		}}
		if err := db.Save(t.Context(), id, b); err != nil {
			t.Fatal(err)
		}
		if err := db.SaveRun(t.Context(), &run); err != nil {
			t.Fatal(err)
		}
		if err := db.SaveRepository(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sources were saved in %v", n, time.Since(began).Round(time.Second))
}

// serveSources publishes them, without harvests, and looks at them from outside.
func serveSources(t *testing.T, program, folder, database string) {
	t.Helper()
	table := func(n int) string {
		var b strings.Builder
		b.WriteString("id,oai_url,schedule\n")
		for i := range n {
			fmt.Fprintf(&b, "source-%05d,https://repository-%d.example.edu/oai,%d %d * * *\n", i, i, i%60, i%24)
		}
		return b.String()
	}
	config := fmt.Sprintf("public_url: https://links.example.org\nlisten: 127.0.0.1:0\ndata: %s\ndatabase: %s\nsources: sources.csv\n", folder, database)
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("sources.csv", table(manySources()))
	p := exec.Command(program, "serve", "-c", write("fingerpost.yaml", config), "--web-only", "--log-format", "json")
	log, err := p.StderrPipe()
	began := time.Now()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Process.Signal(syscall.SIGTERM); _, _ = io.Copy(io.Discard, log); _ = p.Wait() }()
	var line struct{ Msg, Address string }
	for lines := bufio.NewScanner(log); line.Msg != "serve: listening" && lines.Scan(); {
		_ = json.Unmarshal(lines.Bytes(), &line)
	}
	t.Logf("it listens after %v", time.Since(began).Round(time.Millisecond))
	go func() { _, _ = io.Copy(io.Discard, log) }()
	last := fmt.Sprintf("source-%05d", manySources()-1)
	for _, path := range []string{"/", "/robots.txt", "/.well-known/api-catalog", "/signmaps-1.xml", "/" + last + "/", "/" + last + "/signmap.xml", "/?name=number+999", "/oai?verb=ListMetadataFormats"} {
		began := time.Now()
		answer, err := http.Get("http://" + line.Address + path)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		t.Logf("%-30s %d, %d bytes, %v", path, answer.StatusCode, n, time.Since(began).Round(time.Millisecond))
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	write("sources.csv", table(manySources()-1))
	for deadline := time.Now().Add(patience); ; <-time.After(100 * time.Millisecond) {
		answer, err := http.Get("http://" + line.Address + "/" + last + "/")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusNotFound {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a source that was removed is published")
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("it took %d MiB", peakOf(status)>>20)
	if peak := peakOf(status); peak > sourcesMemory {
		t.Errorf("it took %d MiB, want %d at most", peak>>20, sourcesMemory>>20)
	}
}
