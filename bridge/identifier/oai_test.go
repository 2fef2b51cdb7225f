package identifier

import (
	"testing"

	"fingerpost/bridge/uri"
)

func TestSplitOAI(t *testing.T) {
	for identifier, want := range map[string]OAI{
		"oai:repo.example.edu:12":                           {Host: "repo.example.edu", Local: "12", Key: "12"},
		"oai:www.Repo.example.edu:Sand/12":                  {Host: "repo.example.edu", Local: "Sand/12", Key: "sand/12"},
		"oai:repo.example.edu/ark:/99999/s":                 {Host: "repo.example.edu", Local: "/99999/s", Key: "/99999/s"},
		"oai:aggregator.example.org:oai:repo.example.edu:7": {Host: "repo.example.edu", Local: "7", Key: "7"},
		"oai:no-local-part":                                 {Local: "oai:no-local-part", Key: "oai:no-local-part"},
		"https://repo.example.edu/records/12/":              {Host: "repo.example.edu", Local: "records/12", Key: "records/12"},
		"https://repo.example.edu":                          {Host: "repo.example.edu", Local: "https://repo.example.edu", Key: "https://repo.example.edu"},
		"https://doi.org/10.5555/sand":                      {Local: "10.5555/sand", Key: "10.5555/sand"},
		"ftp://repo.example.edu/12":                         {Local: "12", Key: "12"},
		"  hal-00830421v2 ":                                 {Local: "hal-00830421v2", Key: "hal-00830421"},
		"sand-v2":                                           {Local: "sand-v2", Key: "sand-v2"},
	} {
		got := SplitOAI(identifier, "")
		if got.Whole != identifier || got.Host != want.Host || got.Local != want.Local || got.Key != want.Key {
			t.Errorf("SplitOAI(%q) = %+v, want %+v", identifier, got, want)
		}
	}
	if got := SplitOAI("oai:pubmedcentral.nih.gov:12", "pmc").Key; got != "pmc12" {
		t.Errorf("with a prefix the key of 12 is %s, want pmc12", got)
	}
}

func TestIn(t *testing.T) {
	for _, test := range []struct {
		identifier, url string
		want            Match
	}{
		{"oai:repo.example.edu:12", "https://repo.example.edu/12", EndMatch},
		{"oai:repo.example.edu:12", "https://repo.example.edu/12/", EndMatch},
		{"oai:repo.example.edu:12", "https://repo.example.edu/view?id=12", EndMatch},
		{"oai:repo.example.edu:12", "https://repo.example.edu/12/1/a.pdf", FullMatch},
		{"oai:repo.example.edu:12", "https://repo.example.edu/120/", NoMatch},
		{"oai:repo.example.edu:12", "https://repo.example.edu/a12", NoMatch},
		{"oai:repo.example.edu:", "https://repo.example.edu/", NoMatch},
		{"oai:repo.example.edu:0012", "https://repo.example.edu/12", EndMatch},
		{"oai:repo.example.edu:20.500.99999/12", "https://repo.example.edu/handle/20.500.99999%2F12", EndMatch},
		{"oai:repo.example.edu:Sand", "https://repo.example.edu/SAND", EndMatch},
		{"oai:repo.example.edu:sand12", "https://repo.example.edu/beach/62-sand12", FullMatch},
		{"oai:repo.example.edu:hal-00830421v2", "https://repo.example.edu/hal-00830421v3", FullMatch},
		{"oai:repo.example.edu:islandora_12", "https://repo.example.edu/islandora:12", FullMatch},
		{"oai:repo.example.edu:sand-12", "https://repo.example.edu/sand/vol1/12", EndMatch},
		{"oai:repo.example.edu:sand-12", "https://repo.example.edu/sand/", PartMatch},
		{"oai:repo.example.edu:herb/227", "https://cdm.example.org/digital/collection/herb/id/227", EndMatch},
		{"oai:repo.example.edu:herb/227", "https://cdm.example.org/digital/collection/herb/id/228", NoMatch},
		{"oai:repo.example.edu:article/12", "https://repo.example.edu/article/view/12", EndMatch},
		{"oai:repo.example.edu:article/x12", "https://repo.example.edu/article/view/x12", PartMatch},
		{"oai:repo.example.edu:4rt/12", "https://repo.example.edu/4rt/view/12", PartMatch},
		{"oai:repo.example.edu:series/237409", "https://repo.example.edu/237409", CloseMatch},
		{"oai:repo.example.edu:series/237409", "https://repo.example.edu/nusl-237409", CloseMatch},
		{"oai:repo.example.edu:series/23", "https://repo.example.edu/23", PartMatch},
	} {
		a, _ := uri.Parse(test.url)
		id := SplitOAI(test.identifier, "")
		if got := id.In(a); got != test.want {
			t.Errorf("of %s in %s: match %d, want %d", test.identifier, test.url, got, test.want)
		}
	}
}
