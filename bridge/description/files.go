package description

import (
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// fileSizes are the bytes that a format states for each file, by its address.
func fileSizes(s said) map[string]Value {
	sizes := map[uint16]*crosswalk.Statement{}
	list := s.richest(crosswalk.File, crosswalk.FileSize)
	for _, st := range list {
		if st.Kind == crosswalk.FileSize && text.IsDigits(st.Value) {
			sizes[st.Group] = st
		}
	}
	out := map[string]Value{}
	for _, st := range list {
		if size := sizes[st.Group]; st.Kind == crosswalk.File && size != nil {
			out[bridge.NormalURL(st.Value)] = of(size, size.Value)
		}
	}
	return out
}

// sizeOf is that of a file: as its format states it, or the only number of bytes
// that is stated beside a single file.
func sizeOf(d *Description, item bridge.ContentResource) Value {
	if v, ok := d.FileSizes[bridge.NormalURL(item.URL)]; ok {
		return v
	}
	if len(d.Object.Items) != 1 {
		return Value{}
	}
	var found []Value
	for _, v := range slices.Concat(d.Formats, d.Sizes) {
		if isBytes(v.Text) {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return Value{}
	}
	return found[0]
}

// isBytes reports whether a text is a number of bytes.
func isBytes(v string) bool {
	number, unit, ok := strings.Cut(strings.ToLower(v), " ")
	return ok && number != "" && strings.Trim(number, "0123456789.,") == "" &&
		slices.Contains([]string{"bytes", "byte", "b", "kb", "mb", "gb", "kib", "mib", "gib"}, unit)
}
