// Package config reads the configuration: a YAML file, which environment
// variables override. The comment on a field of Config is the field's manual:
// the JSON schema and the example file are made from these comments.
package config

// A fingerpost gateway: where it listens, where its data is, and the
// repositories that it serves.
type Config struct {
	// The address under which the world sees this gateway, with a path prefix if
	// a proxy serves it under one. Every published link is built from it, never
	// from the Host of a request. Optional: "http://" and listen, which only
	// this machine can reach.
	PublicURL string `yaml:"public_url" jsonschema:"format=uri,example=https://links.example.edu"`

	// Host and port on which the documents are served, as plain HTTP: put a web
	// server with TLS in front of it. Optional: 127.0.0.1:8080 (in the image
	// 0.0.0.0:8080).
	Listen string `yaml:"listen" jsonschema:"example=127.0.0.1:8080"`

	// Host and port for the dashboard, metrics and profiles. They are for the
	// people who run the gateway: keep this off the public network. Optional:
	// empty, no such listener.
	AdminListen string `yaml:"admin_listen" jsonschema:"example=127.0.0.1:9090"`

	// Further host names for admin_listen, such as that of a web server with a
	// password in front of it. IP addresses, localhost, names without a dot and
	// the name in admin_listen need no entry. Optional.
	AdminHosts []string `yaml:"admin_hosts"`

	// The folder for all data. A relative path starts from the folder in which
	// fingerpost is started. Beside the database it holds rendered Signmap pages
	// (signmaps), which are made again if they are deleted. Optional: data.
	Data string `yaml:"data" jsonschema:"example=/var/lib/fingerpost"`

	// The database: the file of an SQLite database, or the address of a
	// PostgreSQL database (15 or newer), postgres://USER@HOST/DATABASE, which
	// several machines may share. Optional: fingerpost.db in the data folder.
	Database string `yaml:"database" jsonschema:"example=/var/lib/fingerpost/fingerpost.db"`

	// The password of the PostgreSQL user. Prefer database_password_file.
	// Optional.
	DatabasePassword Secret `yaml:"database_password"`

	// A file that holds this password, such as a Docker secret. Optional.
	DatabasePasswordFile string `yaml:"database_password_file"`

	// How many repositories are harvested at the same time. A repository that
	// has asked for a pause does not count while the pause lasts. Optional: 8.
	Workers int `yaml:"workers" jsonschema:"minimum=1,maximum=1000,example=8"`

	// Mail address or web page of the people who run this gateway. It is sent
	// with every request, so that the administrator of a repository knows whom
	// to ask. Optional, but good manners.
	Contact string `yaml:"contact" jsonschema:"example=library-it@example.edu"`

	// A table of many more repositories: a CSV file in UTF-8 with a comma between
	// the columns, whose first line names them. Each further line is a source. The
	// columns are id, oai_url and any other key of a repository, such as schedule
	// or politeness.min_interval; an empty cell leaves the default, and a cell with
	// commas, in quotes, is a list. A line that is wrong is reported and left out.
	// The table is read again when it changes. A relative path starts from the
	// folder of this file. docs/aggregator.md is the manual. Optional: empty, no
	// table.
	Sources string `yaml:"sources" jsonschema:"example=sources.csv"`

	// The repositories, each with its own links, schedule and rules. Optional
	// beside sources.
	Repositories []Repository `yaml:"repositories"`

	// Table is what the file named by Sources says.
	Table *Table `yaml:"-"`
}

// An OAI-PMH repository and how its records are handled.
type Repository struct {
	// The name of the repository in URLs and commands: 1 to 40 of a-z, 0-9 and
	// "-". Every published link contains it, so it must never change. Optional
	// with a single repository: main.
	ID string `yaml:"id" jsonschema:"pattern=^[a-z0-9-]{1\\,40}$,example=main"`

	// The name of the repository for people. Optional: the name that the
	// repository gives itself.
	Name string `yaml:"name" jsonschema:"example=Example Institutional Repository"`

	// The address at which it answers OAI-PMH requests, without "?verb=" and
	// what follows.
	OAIURL string `yaml:"oai_url" jsonschema:"required,format=uri,example=https://repo.example.edu/oai"`

	// The address at which it was harvested before, if the repository moved. All
	// records are read again at the new address. Without this setting another
	// address is refused: its records would overwrite those of another
	// repository. Optional.
	MovedFrom string `yaml:"moved_from" jsonschema:"example=https://old.example.edu/oai"`

	// The metadata formats to harvest, by their metadataPrefix. Optional: oai_dc
	// and the best others that the repository offers.
	Formats []string `yaml:"formats" jsonschema:"example=oai_dc"`

	// The sets to harvest, by their setSpec. Optional: everything.
	Sets []string `yaml:"sets" jsonschema:"example=col_1"`

	// When to harvest what has changed: five cron fields (minute, hour, day of
	// month, month, day of week, where 0 and 7 are Sunday), @hourly, @daily,
	// @weekly, @monthly, or "@every 6h" counted from the start. "never" leaves
	// it to the command "harvest". At most every 5 minutes. Optional: daily, at
	// a minute between 3:00 and 5:59 that depends on the id, so that many
	// repositories do not start at once.
	Schedule string `yaml:"schedule" jsonschema:"example=30 4 * * *"`

	// The time zone of schedule and sweep, by its IANA name. On the days when
	// clocks change, a time that does not exist is skipped and a time that
	// exists twice runs twice: prefer times outside 1:00 to 4:00, or UTC.
	// Optional: UTC.
	Timezone string `yaml:"timezone" jsonschema:"example=Europe/Berlin"`

	// A template for landing pages that the metadata does not name. {identifier}
	// is the OAI identifier, {local} its last part, {doi} and {handle} are the
	// identifiers of the object, {base} is the scheme and host of oai_url.
	// Optional: empty, only landing pages that the metadata names.
	LandingPage string `yaml:"landing_page" jsonschema:"example=https://repo.example.edu/records/{local}"`

	// How records become links, where the built-in rules need help.
	// docs/mapping.md is the manual.
	Mapping Mapping `yaml:"mapping"`

	// How requests are sent to the repository.
	Politeness Politeness `yaml:"politeness"`

	// Which documents are linked as metadata of an object.
	DescribedBy DescribedBy `yaml:"describedby"`

	// The limits of the Link header of a page. Above them these links are left
	// to the link set, which is always complete: descriptions beyond the fourth,
	// then all files, then all authors, then descriptions beyond the first.
	Header Header `yaml:"header"`

	// The COAR Notify inbox (Linked Data Notifications) that landing pages
	// announce. Optional: none.
	Inbox string `yaml:"inbox" jsonschema:"example=https://repo.example.edu/inbox"`

	// The links on the repository's own pages.
	Edge Edge `yaml:"edge"`

	// What to ask the repository's web server beside the metadata: "pages",
	// "items", or both as a list. "pages" reads landing pages, where they may
	// state a file, an identifier, a licence or an author that the metadata
	// lacks: one request a second, unless politeness.min_interval or the
	// Crawl-delay of robots.txt says otherwise, at most 10000 a day, and no page
	// twice within 180 days unless its record changed. "fingerpost check" says
	// what that would bring and how long it would take, "fingerpost status" how
	// far it is. "items" asks once for the head of each file, to learn its media
	// type and whether it exists. An answer is valid for 90 days, a missing
	// answer for a week; "fingerpost explain" prints it. What robots.txt closes
	// to "fingerpost" is left out. Optional: empty, neither.
	Probe Probes `yaml:"probe"`
}

// What an administrator knows better than the built-in rules, which
// docs/mapping.md explains. "fingerpost explain" shows the effect on one record,
// "fingerpost remap" applies it to all.
type Mapping struct {
	// Other host names of the repository, such as a former one, or that of its
	// pages if oai_url has another. Links are found under all of them. Optional.
	Hosts []string `yaml:"hosts" jsonschema:"example=eprints.example.edu"`

	// "landing_page" declares that the addresses of the landing pages are
	// persistent: they are cited where there is no other identifier. Optional:
	// empty, only a DOI, Handle, ARK, URN or similar is linked as cite-as.
	CiteAs string `yaml:"cite_as" jsonschema:"enum=,enum=landing_page"`

	// Cites the publisher's DOI where the repository has no identifier of its
	// own. Optional: false.
	CiteAsPublishedDOI bool `yaml:"cite_as_published_doi"`

	// The software of the repository, if "fingerpost check" recognises it
	// wrongly. Optional: recognised from its answers.
	Platform string `yaml:"platform" jsonschema:"example=eprints"`

	// DOI and Handle prefixes under which the repository itself registers.
	// Optional: learned from the records.
	OwnPrefixes []string `yaml:"own_prefixes" jsonschema:"example=10.5072"`

	// Rules that are tried before the built-in ones, in this order. The first
	// that matches a value decides. Only in the file, not in the environment.
	// Optional.
	Rules []Rule `yaml:"rules"`
}

// A rule: what a matching value of this element is.
type Rule struct {
	// The element, such as dc:identifier. With a metadata format, only there:
	// oai_datacite/alternateIdentifier. An attribute:
	// alternateIdentifier@alternateIdentifierType. Names can be copied from
	// "fingerpost explain".
	Field string `yaml:"field" jsonschema:"required,example=dc:relation"`

	// A regular expression that matches a part of the value; ^ and $ tie it to
	// the whole. Optional: every value.
	Match string `yaml:"match" jsonschema:"format=regex,example=^https://repo\\.example\\.edu/files/(.+)$"`

	// What the value is. "page_is_content" says that there is no page about the
	// object: what its identifier leads to is the content itself. "drop" hides
	// the value from all other rules.
	As string `yaml:"as" jsonschema:"required,enum=landing_page,enum=page_is_content,enum=item,enum=cite_as,enum=license,enum=type,enum=author,enum=describedby,enum=drop"`

	// What to link: a template in which $1 (or ${1}) is the first group of
	// match, and {local} and {identifier} are as in landing_page. Optional: the
	// part that match found.
	Value string `yaml:"value" jsonschema:"example=https://repo.example.edu/download/${1}"`

	// The file that an author or a describedby is of: a template like value that
	// makes its address. Optional: empty, it is the object's.
	Item string `yaml:"item" jsonschema:"example=$2"`

	// The media type of an item or a describedby. Optional: as the ending of its
	// name says.
	MediaType string `yaml:"media_type" jsonschema:"example=application/ld+json"`

	// What an item or a describedby is beyond its media type, as a URI. Optional.
	Profile string `yaml:"profile" jsonschema:"format=uri,example=https://w3id.org/ro/crate"`

	// Where the rule stands, such as "fingerpost.yaml:12", for messages.
	Place string `yaml:"-"`
}

// How requests are sent. A host gets one request at a time and a Retry-After is
// obeyed, whatever is set here.
type Politeness struct {
	// The least time between two requests. Optional: 0s, the next request
	// follows the answer.
	MinInterval Duration `yaml:"min_interval"`

	// How long one answer may take. Optional: 2m.
	Timeout Duration `yaml:"timeout"`

	// How often a failed request is sent again, with growing pauses. Optional:
	// 5.
	Retries int `yaml:"retries" jsonschema:"minimum=0,maximum=20"`

	// The longest Retry-After for which a run waits. After a longer one the run
	// ends, and no harvest asks the repository before that time; "fingerpost
	// serve" then continues the run. Optional: 15m.
	MaxRetryAfter Duration `yaml:"max_retry_after"`

	// The largest answer that is read, after decompression. A run may need eight
	// times as much memory. Optional: 32MB.
	MaxPageBytes Size `yaml:"max_page_bytes"`

	// The User-Agent. Optional: fingerpost with its version, public_url and
	// contact.
	UserAgent string `yaml:"user_agent"`

	// Further request headers, such as a key for a firewall. In the environment:
	// "Name:value,Name:value". Optional.
	Headers map[string]Secret `yaml:"headers"`

	// Further arguments of each request, such as a key that belongs in the
	// query. They are not published. In the environment: "name:value,name:value". Optional.
	Query map[string]Secret `yaml:"query"`

	// The user name for HTTP basic authentication. Optional.
	Username string `yaml:"username"`

	// The password for it. Prefer password_file. Optional.
	Password Secret `yaml:"password"`

	// A file that holds the password, such as a Docker secret. Optional.
	PasswordFile string `yaml:"password_file"`

	// A PEM file of certificates to trust in addition to those of the system, if
	// the server sends an incomplete or private chain. Optional.
	CAFile string `yaml:"ca_file"`

	// Sends requests by POST, for servers that refuse long GET requests.
	// Optional: false.
	Post bool `yaml:"post"`

	// Keeps cookies during a run, for servers that tie a list to a session.
	// Optional: false.
	Cookies bool `yaml:"cookies"`

	// Sends resumption tokens as received, without percent-encoding, for servers
	// that do not decode them. Optional: false.
	VerbatimToken bool `yaml:"verbatim_token"`

	// "day" asks for whole days although the repository promises seconds.
	// Optional: empty, as the repository says.
	Granularity string `yaml:"granularity" jsonschema:"enum=,enum=day"`

	// Harvests everything each time, for repositories whose selection by date
	// does not work. Optional: false.
	FullOnly bool `yaml:"full_only"`

	// Accepts a list that is shorter than announced (completeListSize), or that
	// never ends with an empty resumptionToken. Optional: false.
	IgnoreListSize bool `yaml:"ignore_list_size"`

	// How far before the previous run's start each run asks again, for
	// repositories that publish a record later than they date it. Optional: 0s,
	// which means one day where dates are days and one hour where they are
	// seconds.
	Overlap Duration `yaml:"overlap"`

	// When to list all identifiers, to find records that vanished without a
	// notice; written like schedule. Optional: monthly, whatever the repository
	// says about deleted records.
	Sweep string `yaml:"sweep" jsonschema:"example=0 4 1 * *"`
}

// Which documents are linked as metadata of an object.
type DescribedBy struct {
	// The repository's own GetRecord answers, one for each format. Optional:
	// true.
	GetRecord bool `yaml:"getrecord"`

	// GetRecord answers in formats that are not harvested but that the
	// repository offers for every record. It is asked about a few records once a
	// month; "fingerpost check" prints what it says. Optional: true.
	Offered bool `yaml:"offered"`

	// The gateway's copies of the metadata, without the OAI-PMH envelope and
	// with their own media type. Optional: true.
	Copies bool `yaml:"copies"`
}

// The limits of a Link header.
type Header struct {
	// All links of a page together. Web servers and clients refuse headers of
	// more than about 8 kB in all. Optional: 4KiB.
	Bytes Size `yaml:"bytes"`

	// The number of links. Optional: 40.
	Lines int `yaml:"lines" jsonschema:"minimum=5,maximum=1000"`
}

// The links on the repository's own pages: what the proxy and web servers with a
// snippet add.
type Edge struct {
	// Host and port of a proxy that serves the repository's pages with links, as
	// plain HTTP. TLS ends in the web server in front of it, which has the
	// certificate of the repository's name and passes requests on. On this
	// machine its X-Forwarded headers are believed. Optional: empty, no proxy.
	Listen string `yaml:"listen" jsonschema:"example=127.0.0.1:8081"`

	// The repository's own web server. The proxy sends requests nowhere else. It
	// adds the Sitemap line to its /robots.txt. If the entry page of the
	// repository is another, such as /home, add the line to /home/robots.txt.
	Origin string `yaml:"origin" jsonschema:"example=http://127.0.0.1:8000"`

	// Also writes the links into the head of landing pages, and JSON-LD where the
	// page has none about its object. These pages are sent uncompressed.
	// Optional: false.
	HTML bool `yaml:"html"`

	// A folder for maps, the files with the links of all pages that web servers
	// read ("fingerpost snippet --mode map"). "serve" writes them when it starts
	// and after each run that changed something. Optional: empty, they are
	// written where "fingerpost export map" has written them once.
	Maps string `yaml:"maps" jsonschema:"example=/var/lib/fingerpost/edge"`

	// Relations of links that the repository's landing pages already have.
	// Ours with these relations are left out there by the proxy, snippets and
	// maps, in header and HTML. Link sets and Signmap keep them. "fingerpost
	// check" prints what to write here. Optional: none.
	Omit []string `yaml:"omit" jsonschema:"example=cite-as"`
}

// newRepository has the defaults that do not depend on anything else.
func newRepository() Repository {
	return Repository{
		Timezone: "UTC",
		Politeness: Politeness{
			Timeout:       2 * minute,
			Retries:       5,
			MaxRetryAfter: 15 * minute,
			MaxPageBytes:  32e6,
		},
		DescribedBy: DescribedBy{GetRecord: true, Offered: true, Copies: true},
		Header:      Header{Bytes: 4096, Lines: 40},
	}
}

// UnmarshalYAML fills in the defaults for what the file leaves out.
func (r *Repository) UnmarshalYAML(decode func(any) error) error {
	type plain Repository
	p := plain(newRepository())
	if err := decode(&p); err != nil {
		return err
	}
	*r = Repository(p)
	return nil
}

// Harvests returns when the repository is harvested.
func (r Repository) Harvests() (Schedule, error) {
	return parseSchedule(r.Schedule, r.Timezone)
}

// Sweeps returns when all identifiers are listed.
func (r Repository) Sweeps() (Schedule, error) {
	spec := r.Politeness.Sweep
	if spec == "" {
		spec = monthly(r.ID)
	}
	return parseSchedule(spec, r.Timezone)
}
