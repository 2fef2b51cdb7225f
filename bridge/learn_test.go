package bridge

import (
	"fmt"
	"slices"
	"testing"

	"fingerpost/oaipmh"
)

// TestOwnPrefixesThatCameLate: a prefix is the repository's own where nearly all
// identifiers of its scheme have it, however few records have one.
func TestOwnPrefixesThatCameLate(t *testing.T) {
	late := func(prefix string, n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("https://doi.org/%s/x.%d", prefix, i))
		}
		return out
	}
	for name, test := range map[string]struct{ dois, want []string }{
		"one prefix":                  {late("10.5555", 20), []string{"10.5555"}},
		"one prefix, and one other":   {append(late("10.5555", 20), late("10.4321", 1)...), []string{"10.5555"}},
		"as many of others":           {append(late("10.5555", 10), late("10.4321", 10)...), nil},
		"too few to tell":             {late("10.5555", 4), nil},
		"a large publisher's":         {late("10.1016", 20), nil},
		"none":                        {nil, nil},
		"most records, of any scheme": {late("10.5555", 190), []string{"10.5555"}},
	} {
		var sample []oaipmh.Record
		for i := range 200 {
			doi := ""
			if i < len(test.dois) {
				doi = "<dc:identifier>" + test.dois[i] + "</dc:identifier>"
			}
			sample = append(sample, oaipmh.Record{
				Header: oaipmh.Header{Identifier: fmt.Sprintf("oai:repo.example.edu:%d", i)},
				Metadata: fmt.Appendf(nil, `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
					`<dc:identifier>https://repo.example.edu/%d</dc:identifier>%s</oai_dc:dc>`, i, doi),
			})
		}
		if got := Learn("https://repo.example.edu/oai", oaipmh.Identify{}, nil, nil, sample).OwnPrefixes; !slices.Equal(got, test.want) {
			t.Errorf("%s: own prefixes are %q, want %q", name, got, test.want)
		}
	}
}
