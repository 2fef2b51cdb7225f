package linkset

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The clients in use split headers each in its own way. These readers split
// as they do, no more; a test that they read all links keeps the layout of
// ours readable for them.
//
// What a reader returns maps a target to its relation type.
type client func(values []string) map[string]string

var clients = map[string]client{
	"stain": readGrammar, "mellon": readNoSpaceBeforeComma, "fsp-ruby": readTightSemicolon,
	"f-uji": readCommaThenSemicolon, "gleaner": readOnePerField,
}

// readGrammar follows the grammar, and refuses all for one bad target or
// media type: stain/signposting.
func readGrammar(values []string) map[string]string {
	list := strings.Join(values, ", ")
	value := regexp.MustCompile(`^\s*<([^<>]*)>((?:\s*;\s*[a-z]+="[^"]*")*)\s*(?:,|$)`)
	uri := regexp.MustCompile(`^https?://[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]+$`)
	media := regexp.MustCompile(`type="[^"]*;`)
	links := make(map[string]string)
	for list != "" {
		m := value.FindStringSubmatch(list)
		if m == nil || !uri.MatchString(m[1]) || media.MatchString(m[2]) {
			return nil
		}
		links[m[1]] = between(m[2], `rel="`, `"`)
		list = list[len(m[0]):]
	}
	return links
}

// readNoSpaceBeforeComma stops where white space stands before a comma, and
// fails on an angle bracket in a target: the Node client.
func readNoSpaceBeforeComma(values []string) map[string]string {
	list := strings.Join(values, ", ")
	value := regexp.MustCompile(`^\s*<([^>]*)>((?:\s*;\s*[a-z]+="[^"]*")*)(?:,|$|\s)`)
	links := make(map[string]string)
	for {
		m := value.FindStringSubmatch(list)
		if m == nil {
			return links
		}
		if strings.Contains(m[1], "<") {
			return nil
		}
		links[m[1]] = between(m[2], `rel="`, `"`)
		list = list[len(m[0]):]
	}
}

// readTightSemicolon splits at each comma, and wants ";" right after ">" and
// no square bracket: the Ruby harvester.
func readTightSemicolon(values []string) map[string]string {
	links := make(map[string]string)
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		target := between(part, "<", ">;")
		if target != "" && !strings.ContainsAny(part, "[]") {
			links[target] = between(part, `rel="`, `"`)
		}
	}
	return links
}

// readCommaThenSemicolon splits at each comma, then at each semicolon: F-UJI.
func readCommaThenSemicolon(values []string) map[string]string {
	links := make(map[string]string)
	for part := range strings.SplitSeq(strings.Join(values, ", "), ",") {
		fields := strings.Split(part, ";")
		for _, field := range fields[1:] {
			if name, value, _ := strings.Cut(strings.TrimSpace(field), "="); name == "rel" {
				links[strings.Trim(fields[0], " <>")] = strings.Trim(value, ` "`)
			}
		}
	}
	return links
}

// readOnePerField reads the first link of each header field: gleaner.
func readOnePerField(values []string) map[string]string {
	links := make(map[string]string)
	for _, value := range values {
		if target := between(value, "<", ">"); target != "" {
			links[target] = between(value, `rel="`, `"`)
		}
	}
	return links
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, ok := strings.Cut(s, after)
	if !ok {
		return ""
	}
	return s
}

// object is a page with 14 links.
func object() LinkSet {
	const page = "https://repo.example/page/7"
	return LinkSet{
		{page, "cite-as", "https://doi.org/10.5555/7", "", ""},
		{page, "type", "https://schema.org/ScholarlyArticle", "", ""},
		{page, "type", "https://schema.org/AboutPage", "", ""},
		{page, "author", "https://orcid.org/0000-0002-1825-0097", "", ""},
		{page, "author", "https://isni.org/isni/0000000121032683", "", ""},
		{page, "license", "https://creativecommons.org/licenses/by/4.0/", "", ""},
		{page, "describedby", "https://repo.example/oai?verb=GetRecord&id=7", "text/xml", "http://www.openarchives.org/OAI/2.0/oai_dc/"},
		{page, "describedby", "https://repo.example/datacite/7", "application/vnd.datacite.datacite+xml", ""},
		{page, "item", "https://repo.example/file/1", "application/pdf", ""},
		{page, "item", "https://repo.example/file/2", "text/csv", ""},
		{page, "item", "https://repo.example/file/3", "application/zip", "https://w3id.org/ro/crate"},
		{page, "http://www.w3.org/ns/ldp#inbox", "https://repo.example/inbox", "", ""},
		{page, "linkset", "https://links.example/7/linkset.json", "application/linkset+json", ""},
		{page, "linkset", "https://links.example/7/linkset.txt", "application/linkset", ""},
	}
}

// TestClientsReadHeaders has the layouts in use and how many of 14 links each
// client reads. Ours is read wholly.
func TestClientsReadHeaders(t *testing.T) {
	s := object()
	layout := func(param, link string) []string {
		var all []string
		for _, l := range s {
			all = append(all, form{param: param}.appendString(l))
		}
		return []string{strings.Join(all, link)}
	}
	tests := []struct {
		name   string
		values []string
		want   map[string]int
	}{
		{"Header", s.Header(), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 14, "f-uji": 14, "gleaner": 14}},
		{"Joined, for proxies", []string{s.Joined()}, map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 14, "f-uji": 14, "gleaner": 1}},
		{"joined with a space", layout("; ", ", "), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 14, "f-uji": 14, "gleaner": 1}},
		{"a space before ;", layout(" ; ", ", "), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 0, "f-uji": 14, "gleaner": 1}},
		{"spaces before ; and ,", layout(" ; ", " , "), map[string]int{"stain": 14, "mellon": 1, "fsp-ruby": 0, "f-uji": 14, "gleaner": 1}},
	}
	all := make(map[string]string)
	for _, l := range s {
		all[l.Href] = l.Rel
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range slices.Sorted(maps.Keys(clients)) {
				got := clients[name](test.values)
				if len(got) != test.want[name] {
					t.Errorf("%s: want %d links, got %d", name, test.want[name], len(got))
				}
				if diff := cmp.Diff(all, got); diff != "" && test.want[name] == len(all) {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			parsed, err := ParseHeader(test.values, s[0].Anchor)
			if diff := cmp.Diff(s, parsed); diff != "" || err != nil {
				t.Errorf("ParseHeader (-want +got): %v\n%s", err, diff)
			}
		})
	}
}

func (f form) appendString(l Link) string { return string(f.append(nil, l)) }

// TestClientsReadTargets shows why Target encodes what a URI may contain.
func TestClientsReadTargets(t *testing.T) {
	tests := []struct {
		raw  string
		lost []string // the clients that do not read it as it is, or not the links beside it
	}{
		{"https://doi.org/10.5555/a,b", []string{"f-uji", "fsp-ruby"}},
		{"https://doi.org/10.5555/a;b", []string{"f-uji"}},
		{"https://repo.example/a[1]", []string{"fsp-ruby", "stain"}},
		{"https://repo.example/a b", []string{"stain"}},
		{"https://repo.example/büro", []string{"stain"}},
		{"https://doi.org/10.5555/(SICI)1<1::AID>3.0.CO;2-E", []string{"f-uji", "gleaner", "mellon", "stain"}},
	}
	for _, test := range tests {
		t.Run(test.raw, func(t *testing.T) {
			if got := lostBy(test.raw); !slices.Equal(got, test.lost) {
				t.Errorf("as it is: want it lost by %q, got %q", test.lost, got)
			}
			target, err := Target(test.raw)
			if got := lostBy(target); len(got) > 0 || err != nil {
				t.Errorf("%s: want it read by all, got it lost by %q: %v", target, got, err)
			}
		})
	}
}

// lostBy names the clients that do not read a link to target, or not the
// links beside it.
func lostBy(target string) []string {
	values := []string{
		`<https://repo.example/1>; rel="item"`, "<" + target + `>; rel="item"`, `<https://repo.example/2>; rel="item"`,
	}
	want := map[string]string{"https://repo.example/1": "item", target: "item", "https://repo.example/2": "item"}
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(clients)) {
		if !maps.Equal(clients[name](values), want) {
			lost = append(lost, name)
		}
	}
	return lost
}

// TestClientsReadText has the layouts of application/linkset and how many of
// 14 links each client reads.
func TestClientsReadText(t *testing.T) {
	s := object()
	readers := map[string]client{
		"stain": readGrammar, "mellon": readGrammar, "fsp-ruby": readSpacedSemicolon, "f-uji": readWithAnchor,
	}
	layout := func(param, link string) string {
		var all []string
		for _, l := range s {
			all = append(all, form{param: param, anchor: true}.appendString(l))
		}
		return strings.Join(all, link)
	}
	tests := []struct {
		name, text string
		want       map[string]int
	}{
		{"Text", string(s.Text()), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 14, "f-uji": 14}},
		{"no line breaks", layout(" ; ", " , "), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 14, "f-uji": 14}},
		{"no space before ;", layout("; ", ",\n"), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 0, "f-uji": 14}},
		{"no space at all", layout(";", ","), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 0, "f-uji": 14}},
		{"no anchor", strings.Join(s.Header(), ",\n"), map[string]int{"stain": 14, "mellon": 14, "fsp-ruby": 0, "f-uji": 0}},
	}
	for _, test := range tests {
		for name, read := range readers {
			if got := read([]string{strings.ReplaceAll(test.text, "\n", " ")}); len(got) != test.want[name] {
				t.Errorf("%s, %s: want %d links, got %d", test.name, name, test.want[name], len(got))
			}
		}
	}
}

// readSpacedSemicolon splits at each comma, wants " ;" after each value, and
// fails on all where one is missing: the Ruby harvester.
func readSpacedSemicolon(values []string) map[string]string {
	links := make(map[string]string)
	for part := range strings.SplitSeq(values[0], ",") {
		fields := strings.Split(part, " ;")
		if len(fields) < 2 || strings.Contains(fields[0], ";") {
			return nil
		}
		links[between(fields[0], "<", ">")] = between(part, `rel="`, `"`)
	}
	return links
}

// readWithAnchor wants an anchor on the first link: F-UJI.
func readWithAnchor(values []string) map[string]string {
	first, _, _ := strings.Cut(values[0], ",")
	if between(first, `anchor="`, `"`) == "" {
		return nil
	}
	return readCommaThenSemicolon(values)
}
