package verify

// A level is a level of FAIR Signposting that a page with a finding does not reach.
type level int

const (
	level1 level = 1 << iota
	level2
	both = level1 | level2
)

// A rule is something that verify looks for, with the code of its finding.
type rule struct {
	code     string
	severity Severity
	ruby     string // number in the FAIR Signposting Harvester; "" if it has none
	means    string
	remedy   string
	breaks   level
}

func ruleOf(code string) rule {
	for _, r := range rules {
		if r.code == code {
			return r
		}
	}
	return rule{code: code, severity: Fail}
}

// Remedies that several rules share.
const (
	sendCiteAs     = `Send one link with rel="cite-as" whose target is the persistent identifier as a URL, such as https://doi.org/10.1234/5678.`
	onlyOneCiteAs  = `Keep the link to the identifier that the page recommends for citation (the DOI, if there is one), and remove the others.`
	sendDescribed  = `Link to the metadata in a common format with rel="describedby" and its media type. The GetRecord answer of OAI-PMH is enough, as text/xml.`
	sendMediaType  = `Add type="…" with the media type of the target, such as type="text/xml".`
	sendType       = `Send rel="type" links to https://schema.org/AboutPage and to the schema.org class of the object, such as https://schema.org/Dataset.`
	onlyOneLicense = `Keep the link to the licence of the object as a whole. Put the licences of single files into the link set, as links of these files.`
	setPageHeader  = "In the web server's configuration, set the header where the page is served, for HEAD and GET."
	percentEncode  = "Percent-encode the character in the target: a comma as %2C, a semicolon as %3B, a space as %20. DOIs resolve either way."
	sendLess       = "Move the links to single files and authors to the link set, and keep cite-as, type, license, one describedby and linkset in the header."
	declareTrue    = "Change the type of the link to the media type that the server sends, or the other way round."
	aboutOrContent = `Keep one of the two: rel="type" to https://schema.org/AboutPage, or rel="item" to the page itself.`
	fixTarget      = "Correct the link, or restore its target."
	letThrough     = "In the rules of the bot check, let through HEAD and GET of landing pages and files by any client, all requests to the address of the OAI-PMH interface, and the User-Agent of the gateway, which begins with fingerpost."
	oneFormat      = "Give each format, and each form of the link set, its own URL, without content negotiation."
)

// rules are in the order of docs/verify.md.
var rules = []rule{
	// The page itself.
	{"FP-PAGE-UNREACHABLE", Fail, "001", "The page does not answer, or its redirects form a loop.", "Check the URL in a browser, and whether the server blocks programs.", both},
	{"FP-PAGE-STATUS", Fail, "003", "The page answers with an error.", "Check the URL in a browser. If the page exists, make the server answer programs as it answers browsers.", both},
	{"FP-PAGE-BOT-CHECK", Fail, "", "A bot check answers instead of the page: programs cannot reach the links.", letThrough, both},
	{"FP-PAGE-203", Warn, "002", "The status is 203: a proxy has changed the page.", "Configure the proxy in front of the repository to pass pages on unchanged.", 0},
	{"FP-PAGE-GONE", Warn, "", "The page says that its object was removed.", "No action needed if that is true.", both},
	{"FP-PAGE-GONE-CITE-AS", Warn, "", "The page of a removed object does not name its identifier.", `Keep the link with rel="cite-as" on the page that stands for the removed object.`, 0},
	{"FP-PAGE-REFRESH", Warn, "", "The page sends browsers to another page by a refresh, which programs do not follow.", "Answer with a redirect (status 301 or 302), or add the links of the other page here.", 0},
	{"FP-PAGE-ENCODING", Warn, "", "The page is compressed in a way that the request did not accept: clients cannot read its HTML.", "Compress only as Accept-Encoding allows (RFC 9110, 12.5.3).", 0},
	{"FP-PAGE-CUT", Warn, "", "The page is too large to be read completely.", "Check that the URL is that of a landing page. Links in HTML belong at its beginning.", 0},
	{"FP-HEAD-FAILED", Fail, "", "The answer to HEAD differs from the answer to GET. Many clients send only HEAD.", "Make the server answer HEAD like GET, without the body (RFC 9110, 9.3.2).", 0},
	{"FP-HEAD-LINKS", Fail, "", "The Link headers of HEAD and GET differ.", setPageHeader, 0},
	{"FP-LINKS-NONE", Fail, "004", "The page has no Signposting links, neither in its header nor in its HTML.", "Add Link headers to the page; `fingerpost snippet` prints the configuration of a web server that does it.", both},
	{"FP-PAGE-IS-FILE", Info, "", "This is a file or metadata, not a landing page.", "Verify its landing page.", both},
	{"FP-STOPPED", Warn, "", "The time ran out before everything was examined.", "Run it again when the server is faster, or with --no-targets.", 0},

	// The Link header.
	{"FP-HEADER-FORM", Fail, "", "A Link header is malformed.", `Write each link as <target>; rel="relation"; type="media/type", separated by commas (RFC 8288, 3).`, 0},
	{"FP-HEADER-TARGET", Fail, "", "A target in the Link header has a character that is not allowed in a URI: some clients then lose all links of the page.", percentEncode, 0},
	{"FP-HEADER-TYPE", Fail, "", "A type in the Link header is not a bare media type: some clients then lose all links of the page.", "Write the media type alone, without charset and other parameters.", 0},
	{"FP-HEADER-LINK", Warn, "", "A link in the Link header has an invalid value.", "Write the target as an http or https URL, even if it is an identifier, such as https://doi.org/10.1234/5678, and the profile as a URI.", 0},
	{"FP-HEADER-ANCHOR", Fail, "", "A link in the Link header has an anchor that almost equals the URL of the page, so clients do not count the link as a link of the page.", "Remove the anchor: the link then belongs to the page.", 0},
	{"FP-HEADER-RELATIVE", Warn, "", "A target in the Link header is not absolute: several clients do not resolve it.", "Write targets as absolute URLs.", 0},
	{"FP-HEADER-SEPARATOR", Warn, "", "A target in the Link header has a comma or a semicolon, where several clients cut it off.", percentEncode, 0},
	{"FP-HEADER-QUOTED", Warn, "", "A quoted value in the Link header has a comma or a semicolon, where several clients cut the link off.", "Remove the title, and percent-encode the character in URIs.", 0},
	{"FP-HEADER-SPACE-SEMICOLON", Warn, "", "There is white space before a semicolon in the Link header: the FAIR Signposting Harvester (Ruby) then ignores the header.", `Write <target>; rel="relation" without white space before the semicolon.`, 0},
	{"FP-HEADER-SPACE-COMMA", Warn, "", "There is white space before a comma in the Link header: the Node client then reads only the first link.", "Send each link as its own header, or put the comma directly after the previous link.", 0},
	{"FP-HEADER-JOINED", Info, "", "Several links share one Link header: a few simple clients read only the first.", "Send each link as its own Link header, if the server can.", 0},
	{"FP-HEADER-APACHE", Warn, "", "A header is longer than the 8192 bytes that Apache accepts by default: behind mod_proxy the page becomes an error 502.", sendLess, 0},
	{"FP-HEADER-NGINX-4K", Info, "", "The header is longer than 4096 bytes, the buffer size of nginx as a proxy on most machines.", sendLess, 0},
	{"FP-HEADER-NGINX-8K", Warn, "", "The header is longer than 8192 bytes: nginx as a proxy with default settings answers with error 502.", sendLess, 0},
	{"FP-HEADER-NODE", Fail, "", "The header is longer than 16384 bytes: clients in Node.js fail.", sendLess, 0},
	{"FP-HEADER-PYTHON-LINE", Fail, "", "A header is longer than 65536 bytes: clients in Python fail.", sendLess, 0},
	{"FP-HEADER-PYTHON-COUNT", Fail, "", "There are more than 100 headers: clients in Python fail.", sendLess, 0},

	// HTML.
	{"FP-HTML-FORM", Warn, "", "A link element in the page's head cannot be read.", "Correct the href of the element.", 0},
	{"FP-HTML-LINK", Warn, "", "A link element in the page's head has an invalid value.", "Write the target as an absolute, percent-encoded http or https URL, and the type as a bare media type in lower case.", 0},
	{"FP-HTML-IN-BODY", Warn, "", "A link element is outside the page's head, where clients do not look.", "Move the element into the head, before any text. Close open elements of the head.", 0},
	{"FP-HTML-REL-LIST", Warn, "", "A link element has several relations in one rel: some clients then see none of them.", "Write one link element for each relation.", 0},
	{"FP-HTML-UTF-16", Warn, "", "The page is in UTF-16: clients that search the bytes for link elements find none.", "Send the page in UTF-8 (HTML, 4.2.5.4).", 0},

	// What all links say together.
	{"FP-AGREE-HEADER-HTML", Warn, "", "The links in header and HTML differ. Some clients read only one of them.", "Generate both from the same links. To save space, the header may leave out only links to files, authors and further metadata.", 0},
	{"FP-AGREE-PARTIAL", Warn, "", "The header has some links of one kind, but not all. A client must assume that these are all.", "Send all links of a kind in the header, or none.", 0},
	{"FP-AGREE-LINKSET", Fail, "", "A link of the page is not in the link set, which should be complete.", "Generate page and link set from the same links.", level2},
	{"FP-AGREE-PAGE", Warn, "", "A link of the link set is not on the page, although it does not depend on the number of files.", "Generate page and link set from the same links.", 0},
	{"FP-CITE-AS-CONFLICT", Fail, "007", "Header, HTML and link set name different persistent identifiers.", onlyOneCiteAs, both},
	{"FP-CITE-AS-IS-PAGE", Info, "", "The page names itself as its persistent identifier.", "If the object has a DOI, a Handle or another identifier that outlives the page, link to that one.", 0},
	{"FP-DESCRIBEDBY-PROFILE", Warn, "", "The media type of the metadata does not identify its format, and the link has no profile.", `Add profile="…" with the URI of the format; for XML its namespace, such as http://www.openarchives.org/OAI/2.0/oai_dc/.`, 0},
	{"FP-DESCRIBEDBY-SAME-URL", Warn, "", "Several formats of the metadata have the same URL: many clients get only one of them.", oneFormat, 0},
	{"FP-TYPE-HTTP", Info, "", "A schema.org class is written with http. The specifications use https.", "Write https://schema.org/.", 0},
	{"FP-LICENSE-MISSING", Info, "", "The page does not name a licence.", `If a licence is known, link to it with rel="license", such as https://creativecommons.org/licenses/by/4.0/.`, 0},

	// FAIR Signposting, Level 1: the links on the landing page.
	{"FP-L1-CITE-AS-MISSING", Fail, "004", "The page has no persistent identifier.", sendCiteAs, level1},
	{"FP-L1-CITE-AS-MANY", Fail, "004", "The page has several persistent identifiers. Exactly one is required.", onlyOneCiteAs, level1},
	{"FP-L1-DESCRIBEDBY-MISSING", Fail, "004", "The page does not link to metadata.", sendDescribed, level1},
	{"FP-L1-DESCRIBEDBY-TYPE", Fail, "005", "A link to metadata does not say its media type.", sendMediaType, level1},
	{"FP-L1-TYPE-MISSING", Fail, "015", "The page does not name the type of its object.", sendType, level1},
	{"FP-L1-TYPE-MANY", Warn, "", "The page has more than the two types of a landing page and its object.", "Keep AboutPage and the class that fits best.", 0},
	{"FP-L1-TYPE-ABOUTPAGE", Warn, "", "The page does not say that it is a landing page.", `Add a link with rel="type" to https://schema.org/AboutPage, unless the page is the content itself.`, 0},
	{"FP-L1-TYPE-OBJECT", Warn, "", "The page says that it is a landing page, but not of which type of object.", `Add a link with rel="type" to the schema.org class of the object, such as https://schema.org/Dataset.`, 0},
	{"FP-L1-TYPE-CONTENT", Warn, "", "The page claims to be a landing page and the content itself.", aboutOrContent, 0},
	{"FP-L1-LICENSE-MANY", Fail, "", "The page has several licences. At most one is allowed.", onlyOneLicense, level1},
	{"FP-L1-ITEM-TYPE", Warn, "011", "A link to a file does not say its media type.", sendMediaType, 0},

	// FAIR Signposting, Level 2: the link set.
	{"FP-L2-LINKSET-MISSING", Warn, "", "The page does not link to a link set.", `Send a link with rel="linkset" and type="application/linkset+json".`, level2},
	{"FP-L2-LINKSET-TYPE", Fail, "", "The link to the link set has no type.", `Add type="application/linkset+json" or type="application/linkset".`, level2},
	{"FP-L2-CITE-AS-MISSING", Fail, "004", "The link set has no persistent identifier for the page.", sendCiteAs, level2},
	{"FP-L2-CITE-AS-MANY", Fail, "004", "The link set has several persistent identifiers for the page.", onlyOneCiteAs, level2},
	{"FP-L2-DESCRIBEDBY-MISSING", Fail, "004", "The link set has no metadata for the page.", sendDescribed, level2},
	{"FP-L2-DESCRIBEDBY-TYPE", Fail, "005", "A link to metadata in the link set does not say its media type.", sendMediaType, level2},
	{"FP-L2-TYPE-MISSING", Fail, "015", "The link set does not name the type of the object.", sendType, level2},
	{"FP-L2-TYPE-MANY", Warn, "", "The link set has more than the two types of a landing page and its object.", "Keep AboutPage and the class that fits best.", 0},
	{"FP-L2-TYPE-ABOUTPAGE", Warn, "", "The link set does not say that the page is a landing page.", `Add a link with rel="type" to https://schema.org/AboutPage, unless the page is the content itself.`, 0},
	{"FP-L2-TYPE-OBJECT", Warn, "", "The link set says that the page is a landing page, but not of which type of object.", `Add a link with rel="type" to the schema.org class of the object, such as https://schema.org/Dataset.`, 0},
	{"FP-L2-TYPE-CONTENT", Warn, "", "The link set claims that the page is a landing page and the content itself.", aboutOrContent, 0},
	{"FP-L2-LICENSE-MANY", Fail, "", "The link set has several licences for the page. At most one is allowed.", onlyOneLicense, level2},
	{"FP-L2-ITEM-MISSING", Warn, "", "The link set has no files. Level 2 requires at least one.", `Link to each file with rel="item". An object without files cannot reach Level 2.`, level2},
	{"FP-L2-ITEM-TYPE", Warn, "011", "A link to a file in the link set does not say its media type.", sendMediaType, 0},
	{"FP-L2-COLLECTION-MISSING", Fail, "", "The link set does not lead back from a file to the page.", `Add a context for the file to the link set, with rel="collection" to the landing page.`, level2},
	{"FP-L2-COLLECTION-WRONG", Fail, "", "The link set leads from a file to a different page.", `Set rel="collection" of the file to exactly the URL of the landing page.`, level2},
	{"FP-L2-RESOURCE-MANY", Fail, "", "The link set has several links for a file where at most one is allowed.", "Keep one of collection, cite-as, type and license for each file.", level2},
	{"FP-L2-RESOURCE-SAME", Info, "", "The link set repeats links of the object as links of a file.", "Keep only those links of a file that differ from those of the object: its own identifier, type, authors, metadata or licence.", 0},

	// The link set as a document.
	{"FP-LINKSET-UNREACHABLE", Fail, "", "The link set cannot be fetched or read.", fixTarget, level2},
	{"FP-LINKSET-MEDIA-TYPE", Fail, "", "The link set is served with a different media type than its link states.", "Make the server send application/linkset+json or application/linkset as Content-Type.", level2},
	{"FP-LINKSET-PARAMETER", Fail, "", "The media type of the link set has a parameter: the Node client then does not read it.", "Send the media type without charset. Link sets are UTF-8 or ASCII by definition (RFC 9264, 4).", 0},
	{"FP-LINKSET-FORM", Fail, "", "The link set does not conform to RFC 9264.", "Write the link set as RFC 9264 requires: absolute URIs, an anchor for each link; in JSON an object with the member linkset alone, and arrays of targets.", level2},
	{"FP-LINKSET-LINK", Fail, "", "A link in the link set has an invalid value.", "Write targets as absolute, percent-encoded http or https URLs, and types as bare media types in lower case.", 0},
	{"FP-LINKSET-ANCHOR", Fail, "", "The link set has no links for the final URL of the page. F-UJI and others then find nothing in it.", "Use exactly the URL of the landing page after all redirects as the anchor.", level2},
	{"FP-LINKSET-FORMS-DIFFER", Fail, "", "The JSON form and the text form of the link set differ.", "Generate both forms from the same links, with type and profile.", 0},
	{"FP-LINKSET-ONE-FORM", Info, "", "The link set exists in one form only.", "Offer application/linkset+json and application/linkset: clients differ in which of them they support.", 0},
	{"FP-LINKSET-SAME-URL", Warn, "", "Both forms of the link set have the same URL: clients that do not negotiate get only one of them.", oneFormat, 0},
	{"FP-LINKSET-SEMICOLON", Warn, "", "The text link set has no white space before a semicolon: the FAIR Signposting Harvester (Ruby) crashes.", `Write <target> ; rel="relation" ; anchor="…" in the text form.`, 0},

	// What the links lead to.
	{"FP-DESCRIBEDBY-DEAD", Fail, "008", "The metadata cannot be fetched.", fixTarget, 0},
	{"FP-DESCRIBEDBY-MEDIA-TYPE", Fail, "009", "The metadata is served with a different media type than its link states.", declareTrue, 0},
	{"FP-DESCRIBEDBY-NO-MEDIA-TYPE", Warn, "010", "The metadata is served without a media type.", "Make the server send Content-Type.", 0},
	{"FP-ITEM-DEAD", Fail, "014", "The file cannot be fetched.", fixTarget, 0},
	{"FP-ITEM-MEDIA-TYPE", Fail, "012", "The file is served with a different media type than its link states.", declareTrue, 0},
	{"FP-ITEM-NO-MEDIA-TYPE", Warn, "013", "The file is served without a media type.", "Make the server send Content-Type.", 0},
	{"FP-TARGET-REFUSED", Warn, "", "The server restricts access to this, or is busy.", "No action needed if access is restricted on purpose. The header may still be public.", 0},
	{"FP-TARGET-HEAD", Warn, "", "HEAD is answered with an error. Many clients look for links by HEAD.", "Make the server answer HEAD like GET, without the body.", 0},
	{"FP-TARGETS-BOUND", Info, "", "There are more targets than are examined.", "No action needed.", 0},
	{"FP-CITE-AS-DEAD", Warn, "", "The persistent identifier does not resolve.", "Register the identifier, or correct the link.", 0},
	{"FP-CITE-AS-ELSEWHERE", Warn, "", "The persistent identifier leads to a different page.", "Register the URL of this page with the identifier, or link to the identifier that leads here.", 0},
	{"FP-ITEM-COLLECTION-MISSING", Warn, "", "The file does not lead back to its landing page.", `Send a Link header with rel="collection" and type="text/html" with the file.`, 0},
	{"FP-ITEM-COLLECTION-WRONG", Warn, "", "The file leads to another landing page, or to several.", `Set rel="collection" to exactly the URL of the landing page.`, 0},
	{"FP-ITEM-TYPE-MANY", Warn, "", "The file has several types. At most one is allowed.", "Keep the class that fits best.", 0},
	{"FP-ITEM-TYPE-SAME", Info, "", "The file repeats the type of its object.", "Give a file a type only where it differs from that of the object.", 0},
	{"FP-ITEM-LINKSET-TYPE", Warn, "", "The link from the file to a link set has no type.", `Add type="application/linkset+json" or type="application/linkset".`, 0},
	{"FP-ITEM-LINKSET-MISSING", Info, "", "The file does not link to the link set.", `Send a Link header with rel="linkset" with the file too.`, 0},

	// COAR Notify.
	{"FP-COAR-METADATA", Info, "", "A COAR Notify agent finds the metadata.", "No action needed.", 0},
	{"FP-COAR-METADATA-NONE", Warn, "", "A COAR Notify agent finds no metadata.", sendDescribed, 0},
	{"FP-COAR-ABOUTPAGE", Info, "", "A careful COAR Notify agent does not trust the metadata link, since nothing beside it says that this is a landing page.", `Send rel="type" to https://schema.org/AboutPage in the same place as describedby.`, 0},
	{"FP-COAR-INBOX", Info, "", "The page names an inbox for notifications.", "No action needed.", 0},
	{"FP-COAR-INBOX-MISSING", Warn, "", "The page does not name an inbox for COAR Notify notifications.", `If the repository has an LDN inbox, link to it with rel="http://www.w3.org/ns/ldp#inbox".`, 0},
	{"FP-COAR-INBOX-MANY", Warn, "", "The page has several inboxes. One is expected.", "Keep the inbox that the repository reads.", 0},
	{"FP-COAR-ITEM-INBOX", Warn, "", "The page has an inbox, but its file has none or another one.", `Send the Link header with rel="http://www.w3.org/ns/ldp#inbox" with the files too.`, 0},
	{"FP-COAR-DESCRIBES-MISSING", Warn, "", "The metadata does not lead back to the landing page.", `Send a Link header with rel="describes" and type="text/html" with the metadata.`, 0},
	{"FP-COAR-DESCRIBES-WRONG", Warn, "", "The metadata leads to another landing page, or to several.", `Set rel="describes" to exactly the URL of the landing page.`, 0},

	// robots.txt and Signmap.
	{"FP-ROBOTS-MISSING", Warn, "", "The host has no robots.txt, so crawlers cannot find a Signmap.", "Publish a robots.txt with a Sitemap line.", 0},
	{"FP-ROBOTS-MEDIA-TYPE", Warn, "", "robots.txt is not served as plain text: it may be the site's page for unknown addresses.", "Make the server send robots.txt itself, as text/plain (RFC 9309, 2.3).", 0},
	{"FP-ROBOTS-FORM", Warn, "", "A part of robots.txt cannot be understood.", "Correct the lines: each group of rules begins with User-agent.", 0},
	{"FP-ROBOTS-DISALLOWED", Warn, "", "robots.txt keeps crawlers away from the page.", "Allow the page in robots.txt. A host whose robots.txt is answered with a server error is not crawled at all (RFC 9309, 2.3.1.4).", 0},
	{"FP-ROBOTS-LINKED", Warn, "", "robots.txt keeps crawlers away from something that the page links to.", "Allow it in robots.txt, such as with the line Allow: /cgi/oai2 where the OAI-PMH interface of EPrints is linked as metadata.", 0},
	{"FP-ROBOTS-SITEMAP", Warn, "", "robots.txt names no usable sitemap.", "Add a line such as Sitemap: https://repository.example.org/signmap.xml, with an absolute URL.", 0},
	{"FP-SIGNMAP-FOUND", Info, "", "robots.txt leads to a Signmap that lists the page.", "No action needed.", 0},
	{"FP-SIGNMAP-UNREADABLE", Warn, "", "A sitemap in robots.txt cannot be read.", "Publish the sitemap as well-formed XML in UTF-8, of at most 50 MB.", 0},
	{"FP-SIGNMAP-BOUND", Info, "", "The sitemaps are too large to be searched completely. The page was not found in the part that was searched.", "No action needed.", 0},
	{"FP-SIGNMAP-PAGE-MISSING", Warn, "", "No sitemap in robots.txt lists the page.", "List exactly the URL of the landing page in a Signmap.", 0},
	{"FP-SIGNMAP-PLAIN", Warn, "", "The sitemap lists the page without links.", "Publish a Signmap: a sitemap with rs:ln elements in each url.", 0},
	{"FP-SIGNMAP-FORM", Fail, "", "The Signmap is malformed.", `Write rs:ln elements inside url, after loc, lastmod, changefreq and priority, with rel and an absolute href, in the namespace http://www.openarchives.org/rs/terms/.`, 0},
	{"FP-SIGNMAP-AGREE", Warn, "", "The Signmap has a link that neither the page nor the link set has.", "Generate the Signmap and the links of the page from the same data.", 0},
}
