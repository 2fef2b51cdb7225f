package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// TestManualOfDocuments: each document in the examples of docs/documents.md, and
// in README.md, is what is made of the record before it. "…" stands for any lines, and in JSON
// for all the rest.
func TestManualOfDocuments(t *testing.T) {
	for file, least := range map[string]int{"../../docs/documents.md": 6, "../../README.md": 5} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, example := range regexp.MustCompile("(?m)^##+ ").Split(string(text), -1) {
			if record := recordIn(example); record != "" {
				shown += compareShown(t, example, record)
			}
		}
		if shown < least {
			t.Errorf("%s shows %d documents", file, shown)
		}
	}
}

// exampleID is the identifier of the record in every example, exampleURL the
// address of the gateway.
const (
	exampleID  = "oai:repo.example.edu:12"
	exampleURL = "https://links.example.edu"
)

// recordIn is the first block of XML in an example; "" if it has none, or is about
// something else.
func recordIn(example string) string {
	_, rest, found := strings.Cut(example, "\n```xml\n")
	if !found || !strings.Contains(example, "`"+exampleID+"`") {
		return ""
	}
	record, _, _ := strings.Cut(rest, "```\n")
	return record
}

// shownDocument is the name of a document on a line of its own, and a block.
var shownDocument = regexp.MustCompile("(?s)\n`([a-z.]+)`:\n\n```(\\w+)\n(.*?)```\n")

func compareShown(t *testing.T, example, record string) (shown int) {
	t.Helper()
	p, _ := publishServed(t, oaitest.New(oaitest.Options{}, recordOf(exampleID, record)), func(origin string) []string {
		return []string{"FINGERPOST_PUBLIC_URL=" + exampleURL, "FINGERPOST_REPOSITORIES_0_ID=main", "FINGERPOST_REPOSITORIES_0_OAI_URL=" + origin + "/oai",
			"FINGERPOST_REPOSITORIES_0_MAPPING_HOSTS=repo.example.edu", "FINGERPOST_REPOSITORIES_0_MAPPING_OWN_PREFIXES=10.98765"}
	})
	for _, m := range shownDocument.FindAllStringSubmatch(example, -1) {
		shown++
		name, language, want := m[1], m[2], m[3]
		address := exampleURL + "/main/" + store.KeyOf(exampleID)
		if !strings.HasPrefix(name, "linkset") {
			address += "/metadata"
		}
		body, _ := p.document(t, address+"/"+name, http.StatusOK)
		if language == "json" {
			sameJSON(t, name, body, want)
			continue
		}
		got := trailing.ReplaceAllString(string(body), "\n")
		if !regexp.MustCompile(lines(want) + "$").MatchString(got) {
			t.Errorf("%s is\n%swant\n%s", name, got, want)
		}
	}
	return shown
}

var space = regexp.MustCompile(`\s+`)

// trailing is white space that nobody sees in a document.
var trailing = regexp.MustCompile(`[ \r]*\n`)

// sameJSON compares what the members are: the manual writes them in fewer lines.
func sameJSON(t *testing.T, name string, body []byte, shown string) {
	t.Helper()
	if begin, _, cut := strings.Cut(shown, "…"); cut {
		if !strings.HasPrefix(space.ReplaceAllString(string(body), ""), space.ReplaceAllString(begin, "")) {
			t.Errorf("%s is\n%swant\n%s", name, body, shown)
		}
		return
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(body, &got), json.Unmarshal([]byte(shown), &want)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s is\n%s(-want +got):\n%s", name, body, diff)
	}
}
