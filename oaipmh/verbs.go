package oaipmh

import "strings"

const (
	maxFormats      = 1000
	maxDescriptions = 100
)

func (a *answer) broken(err error) error {
	if err == nil {
		return nil
	}
	return &NotOAIError{URL: a.url, Got: "an OAI-PMH answer whose XML is broken (" + err.Error() + ")"}
}

// identify reads the answer to Identify. OAI-PMH 4.2.
func (a *answer) identify() (Identify, error) {
	id := Identify{ResponseDate: a.responseDate, Granularity: Day, DeletedRecord: No}
	l := &a.lexer
	err := l.each(a.verb, func(name string, t tag) error {
		if name == "description" {
			doc, err := l.document(t, a.scope)
			if doc != "" && len(id.Descriptions) < maxDescriptions {
				id.Descriptions = append(id.Descriptions, doc)
			}
			return err
		}
		text, err := l.text(t)
		switch name {
		case "repositoryName":
			id.RepositoryName = text
		case "baseURL":
			id.BaseURL = text
		case "protocolVersion":
			id.ProtocolVersion = text
		case "adminEmail":
			id.AdminEmails = append(id.AdminEmails, text)
		case "earliestDatestamp":
			id.EarliestDatestamp = text
		case "deletedRecord":
			id.DeletedRecord = parseDeletedRecord(text)
		case "granularity":
			id.Granularity = parseGranularity(text)
		}
		return err
	})
	return id, a.broken(err)
}

// parseDeletedRecord takes what it does not know for the least: No.
func parseDeletedRecord(s string) DeletedRecord {
	switch d := DeletedRecord(strings.ToLower(s)); d {
	case Transient, Persistent:
		return d
	}
	return No
}

// formats reads the answer to ListMetadataFormats. OAI-PMH 4.4.
func (a *answer) formats() ([]MetadataFormat, error) {
	var out []MetadataFormat
	l := &a.lexer
	err := l.each(a.verb, func(_ string, t tag) error {
		var f MetadataFormat
		err := l.each(t, func(name string, t tag) error {
			text, err := l.text(t)
			switch name {
			case "metadataPrefix":
				f.Prefix = text
			case "schema":
				f.Schema = text
			case "metadataNamespace":
				f.Namespace = text
			}
			return err
		})
		if f.Prefix != "" && len(out) < maxFormats {
			out = append(out, f)
		}
		return err
	})
	return out, a.broken(err)
}

// sets reads an answer to ListSets. OAI-PMH 4.6.
func (a *answer) sets() ([]Set, ResumptionToken, error) {
	var out []Set
	var token ResumptionToken
	l := &a.lexer
	err := l.each(a.verb, func(name string, t tag) error {
		if name == "resumptionToken" {
			e, err := l.element(t)
			if err == nil {
				token = readToken(e)
			}
			return err
		}
		if name != "set" {
			return l.skip(t)
		}
		s, err := l.set(t)
		if s.Spec != "" {
			out = append(out, s)
		}
		return err
	})
	return out, token, a.broken(err)
}

func (l *lexer) set(t tag) (s Set, err error) {
	err = l.each(t, func(name string, t tag) error {
		if name != "setSpec" && name != "setName" {
			return l.skip(t)
		}
		text, err := l.text(t)
		if name == "setSpec" {
			s.Spec = text
		} else {
			s.Name = text
		}
		return err
	})
	return s, err
}
