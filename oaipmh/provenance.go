package oaipmh

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"strings"
	"time"

	"fingerpost/bridge/text"
)

// Origin says from where a record was harvested, by one of the repositories that it
// came through. Guidelines on provenance, OAI-PMH 2.0.
type Origin struct {
	BaseURL    string
	Identifier string
	Datestamp  string // of its header there
	Namespace  string // of its format there
	Harvested  time.Time
	Altered    bool
}

// Append adds the originDescription of an origin, with that of the origin before it
// inside, as Append made it; nil if there is none.
func (o Origin) Append(b, before []byte) []byte {
	b = append(append(b, `<originDescription harvestDate="`...), Second.Format(o.Harvested)...)
	if o.Altered {
		b = append(b, `" altered="true">`...)
	} else {
		b = append(b, `" altered="false">`...)
	}
	for _, e := range [...]struct{ name, value string }{
		{"baseURL", o.BaseURL}, {"identifier", o.Identifier}, {"datestamp", o.Datestamp}, {"metadataNamespace", o.Namespace},
	} {
		b = append(append(append(b, '<'), e.name...), '>')
		b = text.AppendXML(b, e.value)
		b = append(append(append(b, "</"...), e.name...), '>')
	}
	return append(append(b, before...), "</originDescription>"...)
}

// OriginOf returns the base URL of the repository that a record with this provenance
// and identifier comes from, and its datestamp there, as far as those that it came
// through are mirrors: they kept its identifier and its metadata. Both are "" if the
// one that was harvested has renamed or altered it, as an aggregator does that has
// pages of its own.
func OriginOf(provenance []byte, identifier string) (baseURL, datestamp string) {
	if len(provenance) == 0 {
		return "", ""
	}
	name := "<identifier>" + string(text.AppendXML(nil, identifier)) + "</identifier>"
	for part := range strings.SplitSeq(string(provenance), "<originDescription ") {
		if part == "" {
			continue
		}
		_, base, _ := strings.Cut(part, "<baseURL>")
		base, rest, _ := strings.Cut(base, "</baseURL>")
		if !strings.HasPrefix(rest, name) || strings.Contains(part, `altered="true">`) {
			break
		}
		_, stamp, _ := strings.Cut(rest, "<datestamp>")
		stamp, _, _ = strings.Cut(stamp, "</datestamp>")
		baseURL, datestamp = plainText([]byte(base)), stamp
	}
	return baseURL, datestamp
}

const (
	maxAbout   = 64 << 10
	maxOrigins = 16 // through which a record came
)

// provenance reads an about container. It returns its origins, each in the one that it
// was harvested by, as Origin.Append makes them; nil if it has none that is whole.
func provenance(about []byte) (out []byte) {
	if len(about) > maxAbout {
		return nil
	}
	origins := readOrigins(about)
	for i := len(origins) - 1; i >= 0; i-- {
		o := origins[i]
		if o.BaseURL == "" || o.Identifier == "" || o.Harvested.IsZero() {
			return nil
		}
		o.Datestamp = cmp.Or(NormalDatestamp(o.Datestamp), Second.Format(o.Harvested))
		out = o.Append(nil, out)
	}
	return out
}

// readOrigins returns the origins in an about container, the latest first.
func readOrigins(about []byte) (origins []Origin) {
	d := xml.NewDecoder(bytes.NewReader(about))
	d.Strict = false
	var value strings.Builder
	depth := 0
	for {
		token, err := d.Token()
		if err != nil {
			return origins
		}
		switch t := token.(type) {
		case xml.StartElement:
			value.Reset()
			if t.Name.Local == "originDescription" {
				if depth++; depth > maxOrigins || depth != len(origins)+1 {
					return origins
				}
				origins = append(origins, originIn(t.Attr))
			}
		case xml.CharData:
			value.Write(t)
		case xml.EndElement:
			if t.Name.Local == "originDescription" {
				depth--
			} else if depth > 0 {
				origins[depth-1].set(t.Name.Local, strings.TrimSpace(value.String()))
			}
		}
	}
}

func originIn(attributes []xml.Attr) (o Origin) {
	for _, a := range attributes {
		switch a.Name.Local {
		case "harvestDate":
			o.Harvested, _ = ParseDatestamp(a.Value)
		case "altered":
			o.Altered = a.Value == "true" || a.Value == "1"
		}
	}
	return o
}

func (o *Origin) set(name, value string) {
	switch name {
	case "baseURL":
		o.BaseURL = value
	case "identifier":
		o.Identifier = value
	case "datestamp":
		o.Datestamp = value
	case "metadataNamespace":
		o.Namespace = value
	}
}

// NormalDatestamp writes a datestamp as OAI-PMH 3.3 has it: a day, or a second in UTC.
// It is "" if s is no datestamp.
func NormalDatestamp(s string) string {
	t, err := ParseDatestamp(s)
	switch {
	case err != nil:
		return ""
	case len(strings.TrimSpace(s)) == len(time.DateOnly):
		return Day.Format(t)
	}
	return Second.Format(t)
}
