package bridge

import "strings"

// licence returns the URI of the object's licence. What a format gives as a
// licence is believed first, then addresses among the words about rights, then
// the words: only a licence with its version is one.
func (d *decision) licence() string {
	if d.ruled.license != "" {
		return d.ruled.license
	}
	passes := [...]struct {
		rule string
		fits func(*statement) bool
	}{
		{"licence", func(st *statement) bool { return st.kind == licence }},
		{"rights URI", func(st *statement) bool { return st.kind == rights && strings.Contains(st.value, "://") }},
		{"rights text", func(st *statement) bool { return st.kind == rights && !strings.Contains(st.value, "://") }},
	}
	for _, pass := range passes {
		for i := range d.statements.list {
			st := &d.statements.list[i]
			if !pass.fits(st) {
				continue
			}
			if uri := d.licenceOf(st); uri != "" {
				d.accept(relLicense, uri, pass.rule, st)
				return uri
			}
		}
	}
	return ""
}

func (d *decision) licenceOf(st *statement) string {
	uri, err := License(st.value)
	if err != nil {
		if d.trace != nil {
			d.reject(relLicense, "", err.Error(), st)
		}
		return ""
	}
	return uri
}
