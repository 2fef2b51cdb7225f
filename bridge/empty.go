package bridge

import "fingerpost/bridge/element"

// IsEmpty reports whether a record's metadata is a root element with nothing in
// it. Some repositories answer so in formats that are not for the record; it
// describes nothing.
func IsEmpty(metadata []byte) bool {
	root, err := element.Parse(metadata)
	return err == nil && isEmpty(root)
}

func isEmpty(root element.Element) bool {
	for range root.Children() {
		return false
	}
	return root.Text() == ""
}

// Empty returns the formats of the records that were mapped last which are empty.
func (m *Mapper) Empty() (prefixes []string) {
	for _, d := range m.statements.Docs {
		if isEmpty(d.Root) {
			prefixes = append(prefixes, d.Prefix)
		}
	}
	return prefixes
}
