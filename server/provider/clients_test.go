package provider_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

// Harvesters that others wrote read a whole mirror, page by page, and get what was
// harvested, byte for byte in the metadata.
func TestOtherHarvesters(t *testing.T) {
	m := newMirror(t)
	var want []string
	for _, r := range m.fill(t, "main", 601) {
		want = append(want, line(r))
	}
	slices.Sort(want)
	server := httptest.NewUnstartedServer(m)
	m.BaseURL = "http://" + server.Listener.Addr().String() + "/main/oai"
	server.Start()
	defer server.Close()
	for _, h := range harvesters {
		t.Run(h.name, func(t *testing.T) {
			command := h.command(t)
			var stderr bytes.Buffer
			command.Args, command.Stderr = append(command.Args, m.BaseURL), &stderr
			out, err := command.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			slices.Sort(got)
			for i, line := range got {
				if i >= len(want) || line != want[i] {
					t.Fatalf("record %d is\n%s", i, line)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d records, want %d", len(got), len(want))
			}
		})
	}
}

// line is what a harvester prints of a record.
func line(r store.Record) string {
	status := ""
	if r.Deleted {
		status = "deleted"
	}
	return fmt.Sprintf("%s\t%s\t%s", r.Identifier, status, r.Metadata)
}

var harvesters = []struct {
	name    string
	command func(t *testing.T) *exec.Cmd
}{
	{"HTTP::OAI", func(t *testing.T) *exec.Cmd { return perl(t, "HTTP::OAI", "libhttp-oai-perl", "http-oai.pl") }},
	{"Catmandu", func(t *testing.T) *exec.Cmd {
		return perl(t, "Catmandu::Importer::OAI", "libcatmandu-oai-perl", "catmandu.pl")
	}},
	{"oai-pmh of npm", func(t *testing.T) *exec.Cmd {
		folder := os.Getenv("FINGERPOST_TOOLS")
		if folder == "" {
			t.Skip("FINGERPOST_TOOLS names no folder with the package oai-pmh of npm: .ci/run prepares it")
		}
		return exec.Command("node", filepath.Join(folder, "harvester", "list.js"))
	}},
}

// perl runs a script that needs a module, which a package of Debian has.
func perl(t *testing.T, module, pkg, script string) *exec.Cmd {
	t.Helper()
	if err := exec.Command("perl", "-M"+module, "-e1").Run(); err != nil {
		missing := "the Perl module " + module + " is not installed: apt-get install " + pkg
		if os.Getenv("FINGERPOST_CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return exec.Command("perl", filepath.Join("testdata", script))
}
