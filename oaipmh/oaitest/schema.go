package oaitest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Namespaces of the schemas that Check knows.
const (
	protocolSpace   = "http://www.openarchives.org/OAI/2.0/"
	provenanceSpace = "http://www.openarchives.org/OAI/2.0/provenance"
)

// An elementRule says what an element must be like: its children by their names, each
// with a space behind it, its attributes, and its text.
type elementRule struct {
	children   string // a pattern; "*" is one element of another namespace
	text       string // a pattern; "" if it has children
	attributes map[string]string
}

// The types of OAI-PMH.xsd. A URI is not looked into.
const (
	anyText    = `(?s).*`
	someText   = `(?s).+`
	dateTime   = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	dateOrTime = `\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?`
	prefixText = `[A-Za-z0-9\-_.!~*'()]+`
	setText    = prefixText + `(:` + prefixText + `)*`
	number     = `\d+`
	verbs      = `Identify|ListMetadataFormats|ListSets|GetRecord|ListIdentifiers|ListRecords`
)

// rules are those of OAI-PMH.xsd, in version 2.0, and of provenance.xsd. The schemas
// are not ours to copy, and no package has them.
var rules = map[xml.Name]elementRule{
	{Space: protocolSpace, Local: "OAI-PMH"}:      {children: `responseDate request ((error )+|(` + verbs + `) )`},
	{Space: protocolSpace, Local: "responseDate"}: {text: dateTime},
	{Space: protocolSpace, Local: "request"}: {text: someText, attributes: map[string]string{
		"verb": verbs, "identifier": someText, "metadataPrefix": prefixText, "from": dateOrTime, "until": dateOrTime, "set": setText, "resumptionToken": anyText,
	}},
	{Space: protocolSpace, Local: "error"}: {text: anyText, attributes: map[string]string{
		"code": `cannotDisseminateFormat|idDoesNotExist|badArgument|badVerb|noMetadataFormats|noRecordsMatch|badResumptionToken|noSetHierarchy`,
	}},

	{Space: protocolSpace, Local: "Identify"}: {
		children: `repositoryName baseURL protocolVersion (adminEmail )+earliestDatestamp deletedRecord granularity (compression )*(description )*`,
	},
	{Space: protocolSpace, Local: "repositoryName"}:    {text: anyText},
	{Space: protocolSpace, Local: "baseURL"}:           {text: someText},
	{Space: protocolSpace, Local: "protocolVersion"}:   {text: `2\.0`},
	{Space: protocolSpace, Local: "adminEmail"}:        {text: `\S+@(\S+\.)+\S+`},
	{Space: protocolSpace, Local: "earliestDatestamp"}: {text: dateOrTime},
	{Space: protocolSpace, Local: "deletedRecord"}:     {text: `no|persistent|transient`},
	{Space: protocolSpace, Local: "granularity"}:       {text: `YYYY-MM-DD(Thh:mm:ssZ)?`},
	{Space: protocolSpace, Local: "compression"}:       {text: anyText},
	{Space: protocolSpace, Local: "description"}:       {children: `\* `},

	{Space: protocolSpace, Local: "ListMetadataFormats"}: {children: `(metadataFormat )+`},
	{Space: protocolSpace, Local: "metadataFormat"}:      {children: `metadataPrefix schema metadataNamespace `},
	{Space: protocolSpace, Local: "metadataPrefix"}:      {text: prefixText},
	{Space: protocolSpace, Local: "schema"}:              {text: anyText},
	{Space: protocolSpace, Local: "metadataNamespace"}:   {text: anyText},

	{Space: protocolSpace, Local: "ListSets"}:       {children: `(set )+(resumptionToken )?`},
	{Space: protocolSpace, Local: "set"}:            {children: `setSpec setName (setDescription )*`},
	{Space: protocolSpace, Local: "setSpec"}:        {text: setText},
	{Space: protocolSpace, Local: "setName"}:        {text: anyText},
	{Space: protocolSpace, Local: "setDescription"}: {children: `\* `},

	{Space: protocolSpace, Local: "GetRecord"}:       {children: `record `},
	{Space: protocolSpace, Local: "ListRecords"}:     {children: `(record )+(resumptionToken )?`},
	{Space: protocolSpace, Local: "ListIdentifiers"}: {children: `(header )+(resumptionToken )?`},
	{Space: protocolSpace, Local: "record"}:          {children: `header (metadata )?(about )*`},
	{Space: protocolSpace, Local: "header"}:          {children: `identifier datestamp (setSpec )*`, attributes: map[string]string{"status": "deleted"}},
	{Space: protocolSpace, Local: "identifier"}:      {text: someText},
	{Space: protocolSpace, Local: "datestamp"}:       {text: dateOrTime},
	{Space: protocolSpace, Local: "metadata"}:        {children: `\S+ `}, // some repositories have it in our namespace
	{Space: protocolSpace, Local: "about"}:           {children: `\* `},
	{Space: protocolSpace, Local: "resumptionToken"}: {text: anyText, attributes: map[string]string{"expirationDate": dateTime, "completeListSize": number, "cursor": number}},

	{Space: provenanceSpace, Local: "provenance"}: {children: `originDescription `},
	{Space: provenanceSpace, Local: "originDescription"}: {
		children:   `baseURL identifier datestamp metadataNamespace (originDescription )?`,
		attributes: map[string]string{"harvestDate": dateTime, "altered": `true|false`},
	},
	{Space: provenanceSpace, Local: "baseURL"}:           {text: someText},
	{Space: provenanceSpace, Local: "identifier"}:        {text: someText},
	{Space: provenanceSpace, Local: "datestamp"}:         {text: dateOrTime},
	{Space: provenanceSpace, Local: "metadataNamespace"}: {text: anyText},
}

// required are attributes that must be there.
var required = map[string][]string{"error": {"code"}, "originDescription": {"harvestDate", "altered"}}

// Check says where an answer breaks the rules of OAI-PMH.xsd or provenance.xsd, or
// is not well-formed with all its namespaces declared. It does not look into
// metadata.
func Check(answer []byte) error {
	if !bytes.HasPrefix(answer, []byte(`<?xml version="1.0" encoding="UTF-8"?>`)) { // OAI-PMH 3.2
		return fmt.Errorf("no XML declaration: %.80q", answer)
	}
	d := xml.NewDecoder(bytes.NewReader(answer))
	roots := 0
	for {
		token, err := d.Token()
		if err == io.EOF && roots == 1 {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			if roots++; start.Name != (xml.Name{Space: protocolSpace, Local: "OAI-PMH"}) {
				return fmt.Errorf("the root is %v", start.Name)
			}
			if err := checkElement(d, start, false); err != nil {
				return err
			}
		}
	}
}

// checkElement reads an element to its end. It looks for no rules in metadata.
func checkElement(d *xml.Decoder, e xml.StartElement, inMetadata bool) error {
	if err := declared(e); err != nil {
		return err
	}
	rule, known := rules[e.Name]
	known = known && !inMetadata
	if known {
		if err := rule.checkAttributes(e); err != nil {
			return err
		}
	}
	var children, text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Space == e.Name.Space {
				children.WriteString(t.Name.Local + " ")
			} else {
				children.WriteString("* ")
			}
			if err := checkElement(d, t, inMetadata || known && e.Name.Local == "metadata"); err != nil {
				return err
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if known {
				return rule.check(e.Name.Local, children.String(), text.String())
			}
			return nil
		}
	}
}

func (r elementRule) check(name, children, text string) error {
	if r.text == "" && strings.TrimSpace(text) != "" {
		return fmt.Errorf("%s has the text %q", name, text)
	}
	if r.text != "" && !matches(r.text, text) {
		return fmt.Errorf("%s has the text %q", name, text)
	}
	if !matches(r.children, children) {
		return fmt.Errorf("%s has the children %.500q", name, children)
	}
	return nil
}

func (r elementRule) checkAttributes(e xml.StartElement) error {
	has := map[string]bool{}
	for _, a := range e.Attr {
		if a.Name.Space != "" || a.Name.Local == "xmlns" {
			continue
		}
		has[a.Name.Local] = true
		if pattern, ok := r.attributes[a.Name.Local]; !ok || !matches(pattern, a.Value) {
			return fmt.Errorf("%s has the attribute %s=%q", e.Name.Local, a.Name.Local, a.Value)
		}
	}
	for _, name := range required[e.Name.Local] {
		if !has[name] {
			return fmt.Errorf("%s has no attribute %s", e.Name.Local, name)
		}
	}
	return nil
}

func matches(pattern, text string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(text)
}

// declared tells whether the decoder knew the namespaces of an element and its
// attributes: where it does not, it leaves the prefix in their place.
func declared(e xml.StartElement) error {
	names := []xml.Name{e.Name}
	for _, a := range e.Attr {
		if a.Name.Space != "xmlns" {
			names = append(names, a.Name)
		}
	}
	for _, n := range names {
		if n.Space != "" && !strings.ContainsAny(n.Space, ":/") {
			return fmt.Errorf("%s:%s: the namespace is not declared", n.Space, n.Local)
		}
	}
	return nil
}
