package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write puts text into a file of a folder of its own and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func load(t *testing.T, text string, env ...string) Config {
	t.Helper()
	c, err := Load(write(t, "fingerpost.yaml", text), env)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

// small is the shortest file there is; what is added to it begins on line 3.
const small = "repositories:\n  - oai_url: https://repo.example.edu/oai\n"

func TestDefaults(t *testing.T) {
	got := load(t, small)
	r := newRepository()
	r.ID, r.OAIURL, r.Schedule = "main", "https://repo.example.edu/oai", daily("main")
	want := Config{
		PublicURL:    "http://127.0.0.1:8080",
		Listen:       "127.0.0.1:8080",
		Data:         "data",
		Database:     "data/fingerpost.db",
		Workers:      8,
		Repositories: []Repository{r},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Zero is a value where a field has another default.
func TestZeroIsSaid(t *testing.T) {
	c := load(t, small+`
    politeness: {retries: 0}
    describedby: {getrecord: false}
`)
	r := c.Repositories[0]
	if r.Politeness.Retries != 0 || r.DescribedBy != (DescribedBy{Offered: true, Copies: true}) {
		t.Errorf("retries %d, describedby %+v; want 0, and all but getrecord", r.Politeness.Retries, r.DescribedBy)
	}
}

// An aggregator says things once: YAML's own anchors serve.
func TestAnchors(t *testing.T) {
	c := load(t, `
repositories:
  - id: a
    oai_url: https://a.example.edu/oai
    politeness: &gentle {min_interval: 2s, timeout: 3m}
  - id: b
    oai_url: https://b.example.edu/oai
    politeness: *gentle
`)
	if diff := cmp.Diff(c.Repositories[0].Politeness, c.Repositories[1].Politeness); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	file := write(t, "fingerpost.yaml", small+"    sets: [a]\n")
	c, err := Load(file, []string{
		"FINGERPOST_PUBLIC_URL=https://links.example.edu/fp/",
		"FINGERPOST_LISTEN=0.0.0.0:80",
		"FINGERPOST_LISTEN=:8888", // a later one wins, as a flag does
		"FINGERPOST_CONTACT=",     // empty says nothing
		"FINGERPOST_SOMETHING_ELSE=1",
		"FINGERPOST_REPOSITORIES_0_SETS=b,c",
		"FINGERPOST_REPOSITORIES_0_POLITENESS_MAX_PAGE_BYTES=1 GB",
		"FINGERPOST_REPOSITORIES_0_POLITENESS_HEADERS=X-Key:abc,X-Door:east:2",
		"FINGERPOST_REPOSITORIES_0_EDGE_HTML=false",
		"FINGERPOST_REPOSITORIES_1_ID=second",
		"FINGERPOST_REPOSITORIES_1_OAI_URL=https://second.example.edu/oai",
		"FINGERPOST_REPOSITORIES_0_ID=first",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := newRepository()
	want.ID, want.OAIURL, want.Schedule = "first", "https://repo.example.edu/oai", daily("first")
	want.Sets = []string{"b", "c"}
	want.Politeness.MaxPageBytes = 1e9
	want.Politeness.Headers = map[string]Secret{"X-Key": "abc", "X-Door": "east:2"}
	second := newRepository()
	second.ID, second.OAIURL, second.Schedule = "second", "https://second.example.edu/oai", daily("second")
	if diff := cmp.Diff([]Repository{want, second}, c.Repositories); diff != "" {
		t.Errorf("repositories -want +got:\n%s", diff)
	}
	if c.PublicURL != "https://links.example.edu/fp" || c.Listen != ":8888" || c.Contact != "" {
		t.Errorf("public_url %q, listen %q, contact %q", c.PublicURL, c.Listen, c.Contact)
	}
}

func TestForURL(t *testing.T) {
	const url = "https://repo.example.edu/oai"
	tests := []struct {
		name string
		url  string
		env  []string
		want [4]string // oai_url, database, listen, public_url
	}{
		{"one word", url, nil,
			[4]string{url, "data/fingerpost.db", "127.0.0.1:8080", "http://127.0.0.1:8080"}},
		{"flags", url, []string{"FINGERPOST_DATA=elsewhere", "FINGERPOST_LISTEN=127.0.0.1:9999"},
			[4]string{url, "elsewhere/fingerpost.db", "127.0.0.1:9999", "http://127.0.0.1:9999"}},
		{"one variable, in the image", "", []string{"FINGERPOST_OAI_URL=" + url, "FINGERPOST_LISTEN=0.0.0.0:8080", "FINGERPOST_DATA=/data"},
			[4]string{url, "/data/fingerpost.db", "0.0.0.0:8080", "http://localhost:8080"}},
		{"flags win over the environment", url, []string{"FINGERPOST_OAI_URL=https://other.example.edu/oai", "FINGERPOST_REPOSITORIES_0_OAI_URL=https://third.example.edu/oai", "FINGERPOST_LISTEN=0.0.0.0:8080", "FINGERPOST_DATA=/data", "FINGERPOST_DATA=d", "FINGERPOST_LISTEN=127.0.0.1:1"},
			[4]string{url, "d/fingerpost.db", "127.0.0.1:1", "http://127.0.0.1:1"}},
		{"numbered", "", []string{"FINGERPOST_REPOSITORIES_0_OAI_URL=" + url},
			[4]string{url, "data/fingerpost.db", "127.0.0.1:8080", "http://127.0.0.1:8080"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ForURL(tt.url, tt.env)
			if err != nil {
				t.Fatal(err)
			}
			got := [4]string{c.Repositories[0].OAIURL, c.Database, c.Listen, c.PublicURL}
			if got != tt.want || len(c.Repositories) != 1 || c.Repositories[0].ID != "main" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	file := write(t, "password", "open sesame\r\n")
	c := load(t, small+`
    politeness:
      username: ali
      headers: {X-Key: abracadabra}
`, "FINGERPOST_REPOSITORIES_0_POLITENESS_PASSWORD_FILE="+file)
	s := c.Repositories[0].Politeness
	if got, want := s.Password.Reveal(), "open sesame"; got != want {
		t.Errorf("password %q, want %q", got, want)
	}
	shown, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sesame", "abracadabra"} {
		if strings.Contains(string(shown), secret) {
			t.Errorf("%q is shown in\n%s", secret, shown)
		}
	}
	for _, text := range []string{fmt.Sprintf("%v", s), fmt.Sprintf("%#v", s)} {
		if strings.Contains(text, "sesame") || !strings.Contains(text, masked) {
			t.Errorf("printed: %s", text)
		}
	}
}

// The effective configuration is a configuration, and a fixed point.
func TestYAMLLoads(t *testing.T) {
	first := load(t, small)
	text, err := first.YAML()
	if err != nil {
		t.Fatal(err)
	}
	second, err := load(t, string(text)).YAML()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(second)); diff != "" {
		t.Errorf("-first +second:\n%s", diff)
	}
}

// Each broken file or environment gets this message, word for word. FILE
// stands for the file's path.
var badInput = []struct{ name, yaml, env, want string }{
	{"unknown key", "repositories:\n  - id: a\n    shedule: x\n", "", `FILE:
[3:5] there is no key "shedule" here
   1 | repositories:
   2 |   - id: a
>  3 |     shedule: x
           ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"not YAML", "repositories: [\n", "", `FILE:
[1:15] this is not YAML (sequence end token ']' not found): check the quotes and the indentation, which is made of spaces, not of tabs
>  1 | repositories: [
                     ^`},
	{"a duration without a unit", small + "    politeness: {timeout: 30}\n", "", `FILE:
[3:27] "30" is not a duration: write a number and a unit, such as "30s", "15m", "2h" or "1d"
   1 | repositories:
   2 |   - oai_url: https://repo.example.edu/oai
>  3 |     politeness: {timeout: 30}
                                 ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"a list for a size", small + "    header: {bytes: [1]}\n", "", `FILE:
[3:21] a single value belongs here, not a list or keys with values
   1 | repositories:
   2 |   - oai_url: https://repo.example.edu/oai
>  3 |     header: {bytes: [1]}
                           ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"a key twice", "listen: :1\nlisten: :2\n", "", `FILE:
[2:1] the key "listen" is here twice: remove one of them
   1 | listen: :1
>  2 | listen: :2
       ^`},
	{"a text for a list", small + "    formats: oai_dc\n", "", `FILE:
[3:14] a list belongs here: put each entry on a line of its own, with "- " before it
   1 | repositories:
   2 |   - oai_url: https://repo.example.edu/oai
>  3 |     formats: oai_dc
                    ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"a text for true or false", small + "    edge: {html: maybe}\n", "", `FILE:
[3:18] true or false belongs here
   1 | repositories:
   2 |   - oai_url: https://repo.example.edu/oai
>  3 |     edge: {html: maybe}
                        ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"a list for a text", "listen: [a]\n", "", `FILE:
[1:9] a single text belongs here, not a list or keys with values
>  1 | listen: [a]
               ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"two documents", small + "---\nlisten: :1\n", "", `FILE: holds more than one YAML document: remove the line "---" and what follows`},
	{"empty", "", "", `FILE:1: repositories is empty: give the address of an OAI-PMH interface under oai_url, or without a file as FINGERPOST_OAI_URL`},

	{"all at once", "listen: 8080\ncontact: me\n" + small + "    schedule: '* * * * *'\n    probe: all\n", "",
		`FILE:2: contact "me" is neither a mail address nor a web page: write one, such as library-it@example.edu
FILE:1: listen "8080" is not host and port: write both, such as 127.0.0.1:8080, or :8080 for every interface
FILE:5: repositories[0].schedule "* * * * *" comes 1m after 00:00: the shortest interval is 5 minutes, such as "*/5 * * * *"
FILE:6: repositories[0].probe is "all": write "pages" or "items", or leave it out`},
	{"probe as a list", small + "    probe: [items, pages, items]\n", "", `FILE:3: repositories[0].probe names "items" twice: remove one`},
	{"probe as something else", small + "    probe: {items: true}\n", "", `FILE:
[3:12] a single value belongs here, not a list or keys with values
   1 | repositories:
   2 |   - oai_url: https://repo.example.edu/oai
>  3 |     probe: {items: true}
                  ^
hint: "fingerpost config example" prints every key with its meaning`},
	{"public_url", "public_url: links.example.edu\n" + small, "", `FILE:1: public_url "links.example.edu" is not a web address: write it with http:// or https://, such as https://repo.example.edu/oai`},
	{"public_url with a query", "public_url: https://links.example.edu/?a=b\n" + small, "", `FILE:1: public_url "https://links.example.edu/?a=b" has a query: leave out "?" and what follows`},
	{"database", "database: mysql://db/fp\n" + small, "", `FILE:1: database is neither a file nor the address of a PostgreSQL database: write postgres://USER@HOST/DATABASE`},
	{"database without a name", "database: postgres://db\n" + small, "", `FILE:1: database is neither a file nor the address of a PostgreSQL database: write postgres://USER@HOST/DATABASE`},
	{"database with a password", "database: postgres://u:p@db/fp\n" + small, "", `FILE:1: database has a password: move it to database_password_file`},
	{"database with a password in its query", "database: postgres://u@db/fp?password=p\n" + small, "", `FILE:1: database has a password: move it to database_password_file`},
	{"one port for two", "listen: :80\nadmin_listen: :80\n" + small, "", `FILE:2: admin_listen ":80" is taken by listen: choose another port`},

	{"no oai_url", "repositories:\n  - id: a\n", "", `FILE:2: repositories[0].oai_url is missing: give the address that answers ?verb=Identify`},
	{"ftp", "repositories:\n  - oai_url: ftp://repo.example.edu/oai\n", "", `FILE:2: repositories[0].oai_url "ftp://repo.example.edu/oai" is not a web address: write it with http:// or https://, such as https://repo.example.edu/oai`},
	{"a whole request", "repositories:\n  - oai_url: https://repo.example.edu/oai?verb=Identify\n", "", `FILE:2: repositories[0].oai_url "https://repo.example.edu/oai?verb=Identify" already has a request: leave out verb and what belongs to it`},
	{"a password in the address", "repositories:\n  - oai_url: https://ali:sesame@repo.example.edu/oai\n", "", `FILE:2: repositories[0].oai_url has a user name or password: give them under politeness as username and password_file`},
	{"a key in the address", "repositories:\n  - oai_url: https://repo.example.edu/oai?verb=Identify&api_key=sesame\n", "", `FILE:2: repositories[0].oai_url has a secret in its query, and addresses are published: move api_key to politeness.query, which is sent and never shown`},
	{"a hostile address", "repositories:\n  - oai_url: \"https://repo.example.edu/<script>\"\n", "", `FILE:2: repositories[0].oai_url "https://repo.example.edu/<script>" has characters that an address cannot have: percent-encode them, and write a host name in its xn-- form`},
	{"id", "repositories:\n  - id: Main!\n    oai_url: https://repo.example.edu/oai\n", "", `FILE:2: repositories[0].id "Main!" is not 1 to 40 of a-z, 0-9 and "-": choose such a name`},
	{"reserved id", "repositories:\n  - id: linkset\n    oai_url: https://repo.example.edu/oai\n", "", `FILE:2: repositories[0].id "linkset" is a name that the gateway itself needs: choose another`},
	{"two without id", "repositories:\n  - id: a\n    oai_url: https://a.example.edu/oai\n  - oai_url: https://b.example.edu/oai\n", "", `FILE:4: repositories[1].id is missing: give each repository a short name for its URLs, such as main`},
	{"the same id", "repositories:\n  - id: a\n    oai_url: https://a.example.edu/oai\n  - id: a\n    oai_url: https://b.example.edu/oai\n", "", `FILE:4: repositories[1].id "a" is also the id of repositories[0]: give each its own`},
	{"formats", small + "    formats: [oai_dc, 'a b', oai_dc]\n", "", `FILE:3: repositories[0].formats[1] is "a b": write a metadataPrefix, such as oai_dc, without white space
FILE:3: repositories[0].formats names "oai_dc" twice: remove one`},
	{"timezone", small + "    timezone: Berlin\n", "", `FILE:3: repositories[0].timezone "Berlin" is not a time zone: write an IANA name such as Europe/Berlin, or UTC`},
	{"sweep", small + "    politeness: {sweep: '0 0 30 2 *'}\n", "", `FILE:3: repositories[0].politeness.sweep "0 0 30 2 *" never comes: there is no such day in any year`},
	{"landing_page for all", small + "    landing_page: https://repo.example.edu/\n", "", `FILE:3: repositories[0].landing_page "https://repo.example.edu/" is the same for every record: put {local} where the record's number belongs`},
	{"landing_page", small + "    landing_page: 'https://repo.example.edu/{id}'\n", "", `FILE:3: repositories[0].landing_page has {id}: the places to fill are {local}, {identifier}, {doi}, {handle}, {base}`},
	{"hosts", small + "    mapping: {hosts: ['https://a.example.edu']}\n", "", `FILE:3: repositories[0].mapping.hosts[0] "https://a.example.edu" is not a host name: leave out scheme, port and path`},
	{"cite_as", small + "    mapping: {cite_as: always}\n", "", `FILE:3: repositories[0].mapping.cite_as is "always": write "landing_page", or leave it out`},
	{"own_prefixes", small + "    mapping: {own_prefixes: [10.5072/abc]}\n", "", `FILE:3: repositories[0].mapping.own_prefixes[0] "10.5072/abc" is not a DOI or Handle prefix: write only what stands before the slash, such as 10.5072 or 2027.42`},
	{"rules", small + "    mapping:\n      rules:\n        - {match: '(', as: file}\n", "", "FILE:5: repositories[0].mapping.rules[0].field is missing: name the element, such as dc:relation, as \"fingerpost explain\" prints it\n" +
		`FILE:5: repositories[0].mapping.rules[0].as is "file": write one of "landing_page", "page_is_content", "item", "cite_as", "license", "type", "author", "describedby", "drop"` + "\n" +
		"FILE:5: repositories[0].mapping.rules[0].match \"(\" is not a regular expression (error parsing regexp: missing closing ): `(`): put \\ before characters that stand for themselves"},
	{"a rule's value", small + "    mapping:\n      rules:\n        - {field: dc:relation, match: '(a)', as: item, value: '$1$2'}\n", "", `FILE:5: repositories[0].mapping.rules[0].value names the group $2, which match does not have: put ( ) around a part of match, and write ${1} before letters`},
	{"bounds", small + "    politeness: {timeout: 0s, retries: 99, max_page_bytes: 1kB}\n    header: {bytes: 1MB, lines: 0}\n", "", `FILE:3: repositories[0].politeness.timeout is 0s: choose from 1s to 1h
FILE:3: repositories[0].politeness.max_page_bytes is 1kB: choose from 64kB to 2GB
FILE:3: repositories[0].politeness.retries is 99: write a number from 0 to 20
FILE:4: repositories[0].header.bytes is 1MB: choose from 512B to 64KiB
FILE:4: repositories[0].header.lines is 0: write a number from 5 to 1000`},
	{"headers", small + "    politeness: {headers: {'a b': c, X: \"a\\nb\", user-agent: me}, user_agent: \"a\\nb\"}\n", "", `FILE:3: repositories[0].politeness.user_agent has a control character: write it on one line
FILE:3: repositories[0].politeness.headers has a control character in X: write its value on one line
FILE:3: repositories[0].politeness.headers has "a b", which is not a header's name: write letters, digits and hyphens
FILE:3: repositories[0].politeness.headers has user-agent: use the key user_agent`},
	{"a password for nobody", small + "    politeness: {password: x}\n", "", `FILE:3: repositories[0].politeness.username is missing beside the password: give both`},
	{"two passwords", small + "    politeness: {username: a, password: x, password_file: y}\n", "", `FILE:3: repositories[0].politeness.password_file is set beside password: keep one of the two`},
	{"no password", small + "    politeness: {username: a, password_file: nowhere}\n", "", `FILE:3: repositories[0].politeness.password_file cannot be read (open nowhere: no such file or directory): name a file that fingerpost's user may read`},
	{"masked secrets", small + "    politeness: {username: a, password: '***', headers: {X-Key: '***'}}\n", "", `FILE:3: repositories[0].politeness.password is ***, which "fingerpost config show" prints instead of a secret: write the secret itself
FILE:3: repositories[0].politeness.headers is ***, which "fingerpost config show" prints instead of a secret: write the secret itself`},
	{"no certificate", small + "    politeness: {ca_file: load_test.go}\n", "", `FILE:3: repositories[0].politeness.ca_file load_test.go has no certificate: it must have at least one block BEGIN CERTIFICATE`},
	{"half a proxy", small + "    edge: {listen: ':81'}\n", "", `FILE:3: repositories[0].edge.origin is missing: give the address of the repository's own web server`},
	{"a proxy that is nowhere", small + "    edge: {origin: 'http://127.0.0.1:82', maps: /srv/maps}\n", "", `FILE:3: repositories[0].edge.listen is missing: give host and port for the proxy, or remove origin and html`},
	{"the other half", small + "    edge: {html: true}\n", "", `FILE:3: repositories[0].edge.listen is missing: give host and port for the proxy, or remove origin and html`},
	{"a relation that landing pages do not have", small + "    edge: {omit: [cite-as, collection]}\n", "", `FILE:3: repositories[0].edge.omit[1] is "collection": write one of "author", "cite-as", "describedby", "item", "license", "linkset", "type"`},
	{"a proxy for a folder", small + "    edge: {listen: ':81', origin: 'http://127.0.0.1:82/repo'}\n", "", `FILE:3: repositories[0].edge.origin "http://127.0.0.1:82/repo" has a path: give scheme, host and port only`},
	{"inbox", small + "    inbox: inbox\n", "", `FILE:3: repositories[0].inbox "inbox" is not a web address: write it with http:// or https://, such as https://repo.example.edu/oai`},

	{"the environment's value", small, "FINGERPOST_LISTEN=here", `FINGERPOST_LISTEN: listen "here" is not host and port: write both, such as 127.0.0.1:8080, or :8080 for every interface`},
	{"the environment's number", small, "FINGERPOST_REPOSITORIES_0_POLITENESS_RETRIES=many", `FINGERPOST_REPOSITORIES_0_POLITENESS_RETRIES: "many" is not a whole number: write one, such as 5`},
	{"the environment's switch", small, "FINGERPOST_REPOSITORIES_0_EDGE_HTML=on", `FINGERPOST_REPOSITORIES_0_EDGE_HTML: "on" is neither true nor false: write one of them`},
	{"the environment's size", small, "FINGERPOST_REPOSITORIES_0_HEADER_BYTES=big", `FINGERPOST_REPOSITORIES_0_HEADER_BYTES: "big" is not a size: write a whole number and a unit, such as "64MB" or "4KiB"`},
	{"the environment's key", small, "FINGERPOST_REPOSITORIES_0_OAIURL=x", `FINGERPOST_REPOSITORIES_0_OAIURL: no such setting: correct its name, or unset it; "fingerpost config example" has every setting`},
	{"a rule in the environment", small, "FINGERPOST_REPOSITORIES_0_MAPPING_RULES=x", `FINGERPOST_REPOSITORIES_0_MAPPING_RULES: no such setting: correct its name, or unset it; "fingerpost config example" has every setting`},
	{"a gap", small, "FINGERPOST_REPOSITORIES_2_ID=x", `FINGERPOST_REPOSITORIES_2_…: there is no repository 1 before it: number them from 0 without a gap`},
	{"two masters", small, "FINGERPOST_OAI_URL=https://repo.example.edu/oai", `FINGERPOST_OAI_URL is set, but FILE lists the repositories: unset it, or use FINGERPOST_REPOSITORIES_0_OAI_URL`},
}

func TestBadInput(t *testing.T) {
	for _, tt := range badInput {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, "fingerpost.yaml", tt.yaml)
			c, err := Load(file, []string{tt.env})
			if err == nil {
				t.Fatalf("loaded: %+v", c)
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(err.Error(), file, "FILE")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !reflect.DeepEqual(c, Config{}) {
				t.Errorf("a broken configuration was returned: %+v", c)
			}
		})
	}
}

func TestNoFile(t *testing.T) {
	_, err := Load("nowhere.yaml", nil)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--config") {
		t.Errorf("got %v", err)
	}
	_, err = ForURL("", nil)
	if err == nil || !strings.Contains(err.Error(), "FINGERPOST_OAI_URL") {
		t.Errorf("got %v", err)
	}
	_, err = ForURL("gopher://x", nil)
	if p := (*Problem)(nil); !errors.As(err, &p) || p.Key != "repositories[0].oai_url" || p.Place != "" {
		t.Errorf("got %#v", err)
	}
}

// A variable that is misspelt is told of; what Kubernetes sets beside a service
// called fingerpost is not.
func TestIgnored(t *testing.T) {
	for _, tt := range []struct{ variable, want string }{
		{"FINGERPOST_PUBLIC_URL=https://links.example.edu", ""},
		{"FINGERPOST_OAI_URL=https://repo.example.edu/oai", ""},
		{"FINGERPOST_REPOSITORIES_1_OAIURL=an error elsewhere", ""},
		{"HOME=/", ""},
		{"FINGERPOST_NOTHING=", ""},
		{"FINGERPOST_PUBLICURL=x", `FINGERPOST_PUBLICURL sets nothing: correct its name, or unset it; "fingerpost config example" has every setting`},
		{"FINGERPOST_OAIURL=x", `FINGERPOST_OAIURL sets nothing: correct its name, or unset it; "fingerpost config example" has every setting`},
		{"FINGERPOST_SCHEDULE=x", "FINGERPOST_SCHEDULE sets nothing: write FINGERPOST_REPOSITORIES_0_SCHEDULE if that is meant, or unset it"},
		{"FINGERPOST_LOG_LEVEL=debug", `FINGERPOST_LOG_LEVEL sets nothing: correct its name, or unset it; "fingerpost config example" has every setting`},
		{"FINGERPOST_PORT=8080", `FINGERPOST_PORT sets nothing: correct its name, or unset it; "fingerpost config example" has every setting`},
		{"FINGERPOST_PORT=tcp://10.96.0.7:8080", ""},
		{"FINGERPOST_SERVICE_HOST=10.96.0.7", ""},
		{"FINGERPOST_SERVICE_PORT=8080", ""},
		{"FINGERPOST_SERVICE_PORT_HTTP=8080", ""},
		{"FINGERPOST_PORT_8080_TCP=tcp://10.96.0.7:8080", ""},
		{"FINGERPOST_PORT_8080_TCP_PROTO=tcp", ""},
		{"FINGERPOST_PORT_8080_TCP_PORT=8080", ""},
		{"FINGERPOST_PORT_8080_TCP_ADDR=10.96.0.7", ""},
		{"FINGERPOST_REPOSITORIES_SERVICE_HOST=10.96.0.7", ""},
	} {
		got := strings.Join(Ignored([]string{tt.variable}), "\n")
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.variable, got, tt.want)
		}
		if _, err := ForURL("https://repo.example.edu/oai", []string{tt.variable}); strings.Contains(tt.variable, "10.96") && err != nil {
			t.Errorf("%s keeps it from starting: %v", tt.variable, err)
		}
	}
}
