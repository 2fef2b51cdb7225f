package provider

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// identify answers Identify. OAI-PMH 4.2.
func (q *query) identify(b []byte) ([]byte, *refusal, error) {
	first, err := q.first()
	if err != nil {
		return b, nil, err
	}
	earliest := q.Now()
	if first != nil {
		earliest = time.UnixMicro(first.Modified) // before its datestamp: some harvesters ask up to now
	}
	b = text.AppendElement(b, "repositoryName", q.mirror.Name)
	b = text.AppendElement(b, "baseURL", q.mirror.BaseURL)
	b = text.AppendElement(b, "protocolVersion", "2.0")
	b = text.AppendElement(b, "adminEmail", q.adminEmail())
	b = text.AppendElement(b, "earliestDatestamp", oaipmh.Second.Format(earliest))
	b = text.AppendElement(b, "deletedRecord", string(oaipmh.Persistent))
	b = text.AppendElement(b, "granularity", string(oaipmh.Second))
	b = append(b, "<compression>gzip</compression>\n"...)
	return q.appendDescriptions(b, first), nil, nil
}

// mostAsked is of how many sources the first record is looked for. Where there
// are more, the earliest datestamp is a limit that none is below. OAI-PMH 4.2.
const mostAsked = 100

// first returns the record that was modified first, without metadata; nil if
// there is none.
func (q *query) first() (first *store.Listed, err error) {
	if len(q.mirror.Sources) > mostAsked {
		return &store.Listed{}, nil
	}
	for i := range q.mirror.Sources {
		list, err := q.Store.ListRecords(q.ctx, q.mirror.Sources[i].ID, store.List{Headers: true, Records: 1})
		if err != nil {
			return nil, err
		}
		if len(list.Records) > 0 && (first == nil || list.Records[0].Modified < first.Modified) {
			first = &list.Records[0]
		}
	}
	return first, nil
}

// mailForm is emailType of OAI-PMH.xsd.
var mailForm = regexp.MustCompile(`^\S+@(\S+\.)+\S+$`)

// adminEmail is the contact, if that is a mail address. Every host that has mail
// has a postmaster: RFC 5321, 4.5.1.
func (q *query) adminEmail() string {
	if mail := strings.TrimPrefix(q.Contact, "mailto:"); mailForm.MatchString(mail) {
		return mail
	}
	u, err := url.Parse(q.mirror.BaseURL)
	if err != nil || !strings.Contains(u.Hostname(), ".") {
		return "postmaster@localhost.invalid"
	}
	return "postmaster@" + u.Hostname()
}

// appendDescriptions adds what a source says of itself, which goes for its mirror
// too: policies, rights, the software that made the records, and the form of its
// identifiers if the first record has it.
func (q *query) appendDescriptions(b []byte, first *store.Listed) []byte {
	if q.mirror.Union {
		return b
	}
	for _, d := range q.mirror.Sources[0].Descriptions {
		start, end, inside, ok := q.embed.embed("description", []byte(d))
		if !ok || !isTrue(d, first) {
			continue
		}
		b = append(append(append(b, start...), inside...), end...)
	}
	return b
}

var repositoryIdentifier = regexp.MustCompile(`<(?:[\w-]+:)?repositoryIdentifier\s*>\s*([^<\s]+)\s*</`)

// isTrue reports whether a description does not say that identifiers have a form
// which that of the first record does not have.
func isTrue(description string, first *store.Listed) bool {
	found := repositoryIdentifier.FindStringSubmatch(description)
	return found == nil || first != nil && strings.HasPrefix(first.Identifier, "oai:"+found[1]+":")
}
