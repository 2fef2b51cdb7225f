package bridge

import (
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/vocabulary"
)

// Rights is a statement about rights that led to no licence, although it may
// name one.
type Rights struct {
	Field  string // the element, as a Rule's Field
	Value  string
	Reason string
}

// Unlicensed maps the records of an OAI identifier and returns what they say of
// rights, if the object has no licence. What only says who may open it, or
// whose the rights are, is left out.
func (m *Mapper) Unlicensed(identifier string, records []Record) ([]Rights, error) {
	o, err := m.Map(identifier, records, nil)
	if err != nil || o.License != "" {
		return nil, err
	}
	for _, item := range o.Items {
		if item.License != "" {
			return nil, nil
		}
	}
	var out []Rights
	for i := range m.statements.List {
		st := &m.statements.List[i]
		if st.Kind != crosswalk.Rights && st.Kind != crosswalk.Licence {
			continue
		}
		if _, err := vocabulary.LicenceOf(st.Value); vocabulary.MayBeLicence(err) {
			out = append(out, Rights{stepNumber.ReplaceAllString(m.notes.from(st), ""), st.Value, err.Error()})
		}
	}
	return out, nil
}
