package server

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"fingerpost/bridge"
)

// TestAddressesAsTheManualHasThem looks up each address in the table of
// docs/edge.md. Package edge asks web servers for the same.
func TestAddressesAsTheManualHasThem(t *testing.T) {
	manual, err := os.ReadFile("../docs/edge.md")
	if err != nil {
		t.Fatal(err)
	}
	const base = "https://repo.example.org"
	g, kept, rows := newGateway(t, nil), map[string]bool{}, 0
	for line := range strings.Lines(string(manual)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 7 || !strings.HasPrefix(cells[1], "`") {
			continue
		}
		rows++
		published, asked := base+strings.Trim(cells[1], "`"), base+strings.Trim(cells[2], "`")
		if !kept[published] && !strings.HasPrefix(published, oaiURL) {
			kept[published] = true
			g.save(t, fmt.Sprint("page", rows), bridge.Object{LandingPage: bridge.LandingPage{URL: published}}, false)
		}
		want := g.inHeader(t, published)
		if len(want) == 0 {
			t.Errorf("%s: want links", published)
		}
		if got := g.inHeader(t, asked); len(got) > 0 != (cells[3] == "yes") {
			t.Errorf("%s for %s: want %s, got %v", asked, published, cells[3], got)
		}
	}
	if rows < 10 {
		t.Errorf("the manual has %d addresses", rows)
	}
}
