package description

import (
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

// How many bytes a text has at most, and how many values there are of a kind.
const (
	longestText  = 10_000
	longestValue = 2_000
	mostValues   = 5_000
)

// Source is what a description is made of.
type Source struct {
	Object     bridge.Object // what the mapping made of the records
	Identifier string
	Datestamp  string // the newest of the records, a day or more
	Platform   string // as learned; "" if unknown
	Records    []bridge.Record
}

// Read reads everything that the records state. Of several records, the one
// that says most of a kind is believed for that kind.
func Read(source Source) (*Description, error) {
	var s crosswalk.Statements
	s.Begin(crosswalk.All)
	for _, r := range source.Records {
		if err := s.Add(r.Prefix, r.Metadata); err != nil {
			return nil, fmt.Errorf("record %s: %w", source.Identifier, err)
		}
	}
	s.Read()
	d := &Description{Object: source.Object, Identifier: source.Identifier}
	for _, doc := range s.Docs {
		d.prefixes = append(d.prefixes, doc.Prefix)
	}
	d.Changed, _, _ = strings.Cut(source.Datestamp, "T")
	reader{d, s.List}.read(source.Platform)
	return d, nil
}

type reader struct {
	*Description
	list []crosswalk.Statement
}

func (r reader) read(platform string) {
	r.Titles = r.titles()
	r.agents()
	r.Issued.Text, r.Issued.From = bridge.Issued(r.list, platform)
	r.Dates = r.values(longestValue, crosswalk.OtherDate, crosswalk.Date)
	r.Publishers = r.values(longestValue, crosswalk.Publisher)
	r.Languages = r.languages()
	r.Subjects = r.subjects()
	r.Descriptions = r.values(longestText, crosswalk.Description)
	r.Rights = r.values(longestText, crosswalk.Rights, crosswalk.Licence, crosswalk.Access)
	r.Formats = r.values(longestValue, crosswalk.Format)
	r.Sizes = r.values(longestValue, crosswalk.Extent)
	r.Related = r.related()
	r.Version = first(r.values(longestValue, crosswalk.Version))
	r.ISBN = r.identifiers(crosswalk.ISBN, identifier.ISBN)
	r.coverage()
	r.container()
	r.funding()
	r.fileSizes()
	r.types()
}

// richest returns the statements of some kinds in the record that makes most of
// them; of two that make as many, in that of the better format.
func (r reader) richest(kinds ...crosswalk.Kind) []*crosswalk.Statement {
	return r.most(func(st *crosswalk.Statement) bool { return slices.Contains(kinds, st.Kind) })
}

func (r reader) most(fits func(*crosswalk.Statement) bool) []*crosswalk.Statement {
	var best, now []*crosswalk.Statement
	doc := uint8(0)
	for i := range r.list {
		st := &r.list[i]
		if !fits(st) {
			continue
		}
		if len(now) > 0 && st.Doc != doc {
			best, now = longer(best, now), nil
		}
		doc = st.Doc
		now = append(now, st)
	}
	return longer(best, now)
}

func longer(a, b []*crosswalk.Statement) []*crosswalk.Statement {
	if len(b) > len(a) {
		return b
	}
	return a
}

// values returns the values of some kinds, each once.
func (r reader) values(most int, kinds ...crosswalk.Kind) []Value {
	return distinct(r.richest(kinds...), func(st *crosswalk.Statement) []string {
		return []string{text.Plain(st.Value, most)}
	})
}

// distinct returns what of makes of statements, each once.
func distinct(list []*crosswalk.Statement, of func(*crosswalk.Statement) []string) []Value {
	var out []Value
	met := make(map[string]bool, len(list))
	for _, st := range list {
		for _, t := range of(st) {
			if t != "" && !met[t] && len(out) < mostValues {
				met[t] = true
				out = append(out, Value{t, st})
			}
		}
	}
	return out
}

func first(list []Value) Value {
	if len(list) == 0 {
		return Value{}
	}
	return list[0]
}

// titles puts the title first, before those that are said to be others. The
// article that MODS keeps apart is put back.
func (r reader) titles() []Value {
	article := ""
	all := distinct(r.richest(crosswalk.Title), func(st *crosswalk.Statement) []string {
		t := text.Plain(st.Value, longestValue)
		if st.Qualifier == "nonSort" {
			article = t + " "
			return nil
		}
		t, article = article+t, ""
		return []string{t}
	})
	for i, t := range all {
		if t.From.Qualifier == "" {
			return slices.Insert(slices.Delete(all, i, i+1), 0, t)
		}
	}
	return all
}

// subjects are split at semicolons, never at commas.
func (r reader) subjects() []Value {
	return distinct(r.richest(crosswalk.Subject), func(st *crosswalk.Statement) []string {
		t := text.Plain(st.Value, longestValue)
		if !strings.Contains(t, ";") {
			return []string{t}
		}
		parts := strings.Split(t, ";")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return parts
	})
}

func (r reader) coverage() {
	for _, v := range r.values(longestValue, crosswalk.Coverage) {
		switch strings.ToLower(v.From.Qualifier) {
		case "spatial":
			r.Places = append(r.Places, v)
		case "temporal":
			r.Periods = append(r.Periods, v)
		}
	}
}

// related keeps what has a URI of its own, and a relation that is stated.
func (r reader) related() []Value {
	return distinct(r.richest(crosswalk.Related), func(st *crosswalk.Statement) []string {
		if id, ok := identifier.ParseAs(st.Value, st.Scheme); ok && id.URI != "" {
			return []string{id.URI}
		}
		if isWeb(st.Value) {
			return []string{st.Value}
		}
		return nil
	})
}

// isWeb reports whether a value is an address on the web, and nothing else.
func isWeb(value string) bool {
	return (strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")) &&
		len(value) <= longestValue && !text.HasSpace(value) && !text.HasControl(value) && !strings.ContainsAny(value, `<>"{}\^|`+"`")
}

func (r reader) container() {
	c := &r.Container
	one := func(k crosswalk.Kind) Value {
		list := r.values(longestValue, k)
		for _, v := range list {
			if v.From.Qualifier == "" || v.From.Qualifier == "host" {
				return v
			}
		}
		return Value{}
	}
	c.Title, c.Volume, c.Issue = one(crosswalk.Journal), one(crosswalk.Volume), one(crosswalk.Issue)
	c.First, c.Last, c.Number = one(crosswalk.FirstPage), one(crosswalk.LastPage), one(crosswalk.ArticleNumber)
	c.ISSN = distinct(r.richest(crosswalk.ISSN), func(st *crosswalk.Statement) []string { return checked(st, identifier.ISSN) })
	if len(c.ISSN) == 0 {
		c.ISSN = distinct(r.richest(crosswalk.Source), issnIn)
	}
}

// checked returns a number whose check digit is right.
func checked(st *crosswalk.Statement, scheme identifier.Scheme) []string {
	id, ok := identifier.Parse(st.Value)
	if !ok {
		id, ok = identifier.Parse(string(scheme) + ":" + st.Value)
	}
	if !ok || id.Scheme != scheme {
		return nil
	}
	return []string{id.Value}
}

func (r reader) identifiers(k crosswalk.Kind, scheme identifier.Scheme) Value {
	return first(distinct(r.richest(k), func(st *crosswalk.Statement) []string { return checked(st, scheme) }))
}

// issnIn reads an ISSN after that very word: numbers alone may be pages.
func issnIn(st *crosswalk.Statement) []string {
	at := text.IndexFold(st.Value, "issn")
	if at < 0 {
		return nil
	}
	rest := strings.TrimLeft(st.Value[at+len("issn"):], " :.)-(eEpPlL")
	if len(rest) < len("0000-0000") {
		return nil
	}
	return checked(&crosswalk.Statement{Value: rest[:len("0000-0000")]}, identifier.ISSN)
}

func (r reader) funding() {
	list := r.richest(crosswalk.Funder, crosswalk.FunderID, crosswalk.Award, crosswalk.AwardURI, crosswalk.AwardTitle)
	for i, st := range list {
		if i == 0 || list[i-1].Group != st.Group {
			if len(r.Funding) == mostValues {
				return
			}
			r.Funding = append(r.Funding, Funding{})
		}
		r.Funding[len(r.Funding)-1].add(st)
	}
}

func (f *Funding) add(st *crosswalk.Statement) {
	v := Value{text.Plain(st.Value, longestValue), st}
	switch st.Kind {
	case crosswalk.Funder:
		f.Funder = v
	case crosswalk.FunderID:
		f.FunderID = v
	case crosswalk.Award:
		f.Award = v
	case crosswalk.AwardURI:
		f.URI = v
	case crosswalk.AwardTitle:
		f.Title = v
	}
}

// fileSizes are the bytes that a format states for each file.
func (r reader) fileSizes() {
	sizes := map[uint16]*crosswalk.Statement{}
	list := r.richest(crosswalk.File, crosswalk.FileSize)
	for _, st := range list {
		if st.Kind == crosswalk.FileSize && text.IsDigits(st.Value) && st.Value != "" {
			sizes[st.Group] = st
		}
	}
	r.FileSizes = map[string]Value{}
	for _, st := range list {
		if size := sizes[st.Group]; st.Kind == crosswalk.File && size != nil {
			r.FileSizes[bridge.NormalURL(st.Value)] = Value{size.Value, size}
		}
	}
}
