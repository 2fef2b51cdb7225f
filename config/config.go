// Package config reads what an administrator says: one YAML file, the
// environment over it. The comment on a field of Config is that field's
// manual: the JSON schema and the example file are made from these comments.
package config

// A fingerpost gateway: where it listens, what it keeps where, and the
// repositories it stands in front of.
type Config struct {
	// The address under which the world sees this gateway, with a path prefix
	// if a proxy serves it under one. Every published link is built from it,
	// never from a request's Host. Optional: "http://" and listen, which is
	// good for trying it out on one machine.
	PublicURL string `yaml:"public_url" env:"PUBLIC_URL" jsonschema:"format=uri,example=https://links.example.edu"`

	// Host and port on which the documents are served. Put a web server with
	// TLS in front of it. Optional: 127.0.0.1:8080 (the image listens on
	// 0.0.0.0:8080).
	Listen string `yaml:"listen" env:"LISTEN" jsonschema:"example=127.0.0.1:8080"`

	// Host and port for metrics, dashboard and profiles. They are for the
	// people who run the gateway: keep this off the public network. Optional:
	// empty, and then there is no such listener.
	AdminListen string `yaml:"admin_listen" env:"ADMIN_LISTEN" jsonschema:"example=127.0.0.1:9090"`

	// The folder for everything that is kept; a relative one is looked up from
	// where fingerpost is started. Beside the database are rendered Signmap
	// pages (signmaps) and finished answers (answers): they are made from it,
	// again if they are deleted, and need no backup. Optional: data.
	Data string `yaml:"data" env:"DATA" jsonschema:"example=/var/lib/fingerpost"`

	// The database's file. Optional: fingerpost.db in the data folder.
	Database string `yaml:"database" env:"DATABASE" jsonschema:"example=/var/lib/fingerpost/fingerpost.db"`

	// Mail address or web page of whoever runs this gateway. It is sent with
	// every request to a repository, so that its administrator knows whom to
	// ask. Optional, but good manners.
	Contact string `yaml:"contact" env:"CONTACT" jsonschema:"example=library-it@example.edu"`

	// The repositories, each with its own links, schedule and rules.
	Repositories []Repository `yaml:"repositories" envPrefix:"REPOSITORIES_" jsonschema:"required,minItems=1"`
}

// An OAI-PMH repository and what is to be done with its records.
type Repository struct {
	// The repository's name in URLs and commands: 1 to 40 of a-z, 0-9 and "-".
	// It is part of every published link, so it must never change. Optional
	// with a single repository: main.
	ID string `yaml:"id" env:"ID" jsonschema:"pattern=^[a-z0-9-]{1\\,40}$,example=main"`

	// Its name for people. Optional: what the repository calls itself.
	Name string `yaml:"name" env:"NAME" jsonschema:"example=Example Institutional Repository"`

	// Where it answers OAI-PMH requests: the address before "?verb=".
	OAIURL string `yaml:"oai_url" env:"OAI_URL" jsonschema:"required,format=uri,example=https://repo.example.edu/oai"`

	// The metadata formats to harvest, by their prefix. Optional: oai_dc and
	// the best others that the repository offers.
	Formats []string `yaml:"formats" env:"FORMATS" jsonschema:"example=oai_dc"`

	// The sets to harvest, by their setSpec. Optional: everything.
	Sets []string `yaml:"sets" env:"SETS" jsonschema:"example=col_1"`

	// When to ask for news, as five cron fields (minute, hour, day of month,
	// month, day of week; 7 is Sunday too), as @hourly, @daily, @weekly or
	// @monthly, or as "@every 6h" counted from the start; "never" leaves it to
	// the command "harvest". At most every 5 minutes. Optional: daily, at a
	// minute between 3:00 and 5:59 that follows from the id, so that many
	// repositories do not start at once.
	Schedule string `yaml:"schedule" env:"SCHEDULE" jsonschema:"example=30 4 * * *"`

	// The time zone of schedule and sweep, by its IANA name. Where clocks
	// change, a time that does not exist that day is left out and one that
	// comes twice runs twice: prefer times outside 1:00 to 4:00, or UTC.
	// Optional: UTC.
	Timezone string `yaml:"timezone" env:"TIMEZONE" jsonschema:"example=Europe/Berlin"`

	// A template for the landing page where the metadata do not name it:
	// {identifier} is the OAI identifier, {local} its last part, {doi} and
	// {handle} are the object's own, {base} is the scheme and host of oai_url.
	// Optional: the metadata say it.
	LandingPage string `yaml:"landing_page" env:"LANDING_PAGE" jsonschema:"example=https://repo.example.edu/records/{local}"`

	// How records become links, where the built-in rules need help.
	// docs/mapping.md is their manual.
	Mapping Mapping `yaml:"mapping" envPrefix:"MAPPING_"`

	// How the repository is asked.
	Politeness Politeness `yaml:"politeness" envPrefix:"POLITENESS_"`

	// Which documents are linked as describing an object.
	DescribedBy DescribedBy `yaml:"describedby" envPrefix:"DESCRIBEDBY_"`

	// How much may stand in the Link header of a page. Above it all
	// descriptions but four, then all files, then all authors, then all
	// descriptions but one are left to the link set, which is always complete.
	Header Header `yaml:"header" envPrefix:"HEADER_"`

	// The COAR Notify (Linked Data Notifications) inbox to announce on landing
	// pages. Optional: none.
	Inbox string `yaml:"inbox" env:"INBOX" jsonschema:"example=https://repo.example.edu/inbox"`

	// The proxy that puts links onto the repository's own pages.
	Edge Edge `yaml:"edge" envPrefix:"EDGE_"`

	// "items" asks for the head of each file once, slowly, to learn its media
	// type and whether it is there, unless the robots.txt of its host keeps
	// "fingerpost" away. An answer is good for 90 days, silence for a week;
	// "fingerpost explain" prints it. Optional: empty, and nothing is asked.
	Probe string `yaml:"probe" env:"PROBE" jsonschema:"enum=,enum=items"`
}

// What an administrator knows better than the built-in rules, which
// docs/mapping.md explains. "fingerpost explain" shows the effect on a record,
// "fingerpost remap" applies it to all.
type Mapping struct {
	// Further host names of the repository, such as an old one, and that of
	// its pages if it is not in oai_url: links are found under all of them.
	// Optional.
	Hosts []string `yaml:"hosts" env:"HOSTS" jsonschema:"example=eprints.example.edu"`

	// "landing_page" says that the landing pages' addresses are the
	// repository's persistent identifiers, to be cited where there is no
	// other. Optional: empty, and only a DOI, Handle, ARK, URN and the like is
	// linked as cite-as.
	CiteAs string `yaml:"cite_as" env:"CITE_AS" jsonschema:"enum=,enum=landing_page"`

	// Lets a publisher's DOI be cited where the repository gives no identifier
	// of its own. Optional: false.
	CiteAsPublishedDOI bool `yaml:"cite_as_published_doi" env:"CITE_AS_PUBLISHED_DOI"`

	// The repository's software, if "fingerpost check" recognises it wrongly.
	// Optional: recognised from what the repository answers.
	Platform string `yaml:"platform" env:"PLATFORM" jsonschema:"example=eprints"`

	// DOI and Handle prefixes under which the repository itself registers.
	// Optional: learnt from the records.
	OwnPrefixes []string `yaml:"own_prefixes" env:"OWN_PREFIXES" jsonschema:"example=10.5072"`

	// Rules that come before all built-in ones, in this order; the first that
	// matches a value decides on it. Only in the file, not in the environment.
	// Optional.
	Rules []Rule `yaml:"rules" env:"-"`
}

// A rule: a value of this element that matches is used as this.
type Rule struct {
	// The element, such as dc:identifier; for one metadata format only,
	// oai_datacite/alternateIdentifier; an attribute,
	// alternateIdentifier@alternateIdentifierType. "fingerpost explain" shows
	// the names.
	Field string `yaml:"field" jsonschema:"required,example=dc:relation"`

	// A regular expression that finds its place in the value; ^ and $ bind it
	// to the whole. Optional: every value.
	Match string `yaml:"match" jsonschema:"format=regex,example=^https://repo\\.example\\.edu/files/(.+)$"`

	// What the value is; "drop" hides it from every other rule.
	As string `yaml:"as" jsonschema:"required,enum=landing_page,enum=item,enum=cite_as,enum=license,enum=type,enum=drop"`

	// What to link: a template in which $1 (or ${1}) is the first group of
	// match, {local} and {identifier} are as in landing_page. Optional: what
	// match found.
	Value string `yaml:"value" jsonschema:"example=https://repo.example.edu/download/${1}"`
}

// How a repository is asked. One request at a time goes to a host, whatever
// is set here, and a Retry-After is obeyed.
type Politeness struct {
	// The least time between two requests. Optional: 0s, as soon as the
	// previous answer has come.
	MinInterval Duration `yaml:"min_interval" env:"MIN_INTERVAL"`

	// How long one answer may take. Optional: 2m.
	Timeout Duration `yaml:"timeout" env:"TIMEOUT"`

	// How often a request that failed is sent again, with growing pauses.
	// Optional: 5.
	Retries int `yaml:"retries" env:"RETRIES" jsonschema:"minimum=0,maximum=20"`

	// The longest Retry-After that is waited for; beyond it the repository is
	// left alone until then, by "fingerpost harvest" too, and "fingerpost serve"
	// goes on with the run when the time is over. Optional: 15m.
	MaxRetryAfter Duration `yaml:"max_retry_after" env:"MAX_RETRY_AFTER"`

	// The largest answer that is read, after decompression. A run may need eight
	// times as much memory. Optional: 32MB.
	MaxPageBytes Size `yaml:"max_page_bytes" env:"MAX_PAGE_BYTES"`

	// The User-Agent. Optional: fingerpost with its version, public_url and
	// contact.
	UserAgent string `yaml:"user_agent" env:"USER_AGENT"`

	// Further request headers, such as a key that a firewall wants to see. In
	// the environment: "Name:value,Name:value". Optional.
	Headers map[string]Secret `yaml:"headers" env:"HEADERS"`

	// User name for HTTP basic authentication. Optional.
	Username string `yaml:"username" env:"USERNAME"`

	// Its password. Better kept in password_file. Optional.
	Password Secret `yaml:"password" env:"PASSWORD"`

	// A file that holds the password, such as a Docker secret. Optional.
	PasswordFile string `yaml:"password_file" env:"PASSWORD_FILE"`

	// A PEM file of certificates to trust besides the system's, for a
	// repository whose server sends an incomplete or private chain. Optional.
	CAFile string `yaml:"ca_file" env:"CA_FILE"`

	// Sends requests by POST, for servers that refuse long GETs. Optional:
	// false.
	Post bool `yaml:"post" env:"POST"`

	// Keeps cookies during a run, for servers that bind a list to a session.
	// Optional: false.
	Cookies bool `yaml:"cookies" env:"COOKIES"`

	// Sends resumption tokens as they were received, not percent-encoded, for
	// servers that do not decode them. Optional: false.
	VerbatimToken bool `yaml:"verbatim_token" env:"VERBATIM_TOKEN"`

	// "day" asks in whole days although the repository promises seconds.
	// Optional: empty, what the repository says.
	Granularity string `yaml:"granularity" env:"GRANULARITY" jsonschema:"enum=,enum=day"`

	// Asks for everything each time, for repositories whose date selection
	// does not work. Optional: false.
	FullOnly bool `yaml:"full_only" env:"FULL_ONLY"`

	// Does not take a list for broken off that has fewer records than the
	// repository announced (completeListSize), for repositories that announce
	// too many; and does not doubt one of which nothing shows that it is whole,
	// for repositories that never close their lists. Optional: false.
	IgnoreListSize bool `yaml:"ignore_list_size" env:"IGNORE_LIST_SIZE"`

	// How far a run reaches back behind the one before it, for repositories
	// that show a record later than they date it. Optional: 0s, which is one
	// day where dates are days and one hour where they are seconds.
	Overlap Duration `yaml:"overlap" env:"OVERLAP"`

	// When to list all identifiers to find records that vanished without a
	// word; written as schedule is. Optional: monthly, whatever the repository
	// says about deleted records.
	Sweep string `yaml:"sweep" env:"SWEEP" jsonschema:"example=0 4 1 * *"`
}

// Which documents are linked as describing an object.
type DescribedBy struct {
	// The repository's own GetRecord answers, one per format. Optional: true.
	GetRecord bool `yaml:"getrecord" env:"GETRECORD"`

	// Among them those in formats that are not harvested, but that the
	// repository offers for every record. Once a month it is asked about a few
	// records; "fingerpost check" prints what it says. Optional: true.
	Offered bool `yaml:"offered" env:"OFFERED"`

	// The gateway's copies of the metadata, without the OAI-PMH envelope and
	// with their own media type. Optional: true.
	Copies bool `yaml:"copies" env:"COPIES"`
}

// How much may stand in a Link header.
type Header struct {
	// All Link lines of a page together. Web servers and clients refuse
	// headers of more than about 8 kB in all. Optional: 4KiB.
	Bytes Size `yaml:"bytes" env:"BYTES"`

	// The number of links. Optional: 40.
	Lines int `yaml:"lines" env:"LINES" jsonschema:"minimum=5,maximum=1000"`
}

// A proxy in front of the repository that adds links to its pages.
type Edge struct {
	// Host and port on which the repository's pages are served with links.
	// Optional: empty, and then there is no proxy.
	Listen string `yaml:"listen" env:"LISTEN" jsonschema:"example=127.0.0.1:8081"`

	// The repository's own web server, the only place the proxy asks.
	Origin string `yaml:"origin" env:"ORIGIN" jsonschema:"example=http://127.0.0.1:8000"`

	// Writes the links into the head of landing pages too, which then come
	// uncompressed. Optional: false.
	HTML bool `yaml:"html" env:"HTML"`

	// A folder into which the links of all pages are written after each run,
	// for web servers that read them from files (what "fingerpost snippet
	// --mode map" needs). Optional: empty, and then only "fingerpost export
	// map" writes them.
	Maps string `yaml:"maps" env:"MAPS" jsonschema:"example=/var/lib/fingerpost/edge"`
}

// newRepository holds the defaults that do not depend on anything else.
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

// UnmarshalYAML puts the defaults under what the file says.
func (r *Repository) UnmarshalYAML(decode func(any) error) error {
	type plain Repository
	p := plain(newRepository())
	if err := decode(&p); err != nil {
		return err
	}
	*r = Repository(p)
	return nil
}

// Harvests returns when the repository is to be harvested.
func (r Repository) Harvests() (Schedule, error) {
	return parseSchedule(r.Schedule, r.Timezone)
}

// Sweeps returns when all identifiers are to be listed.
func (r Repository) Sweeps() (Schedule, error) {
	spec := r.Politeness.Sweep
	if spec == "" {
		spec = monthly(r.ID)
	}
	return parseSchedule(spec, r.Timezone)
}
