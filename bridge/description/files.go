package description

import (
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// File is what a format says of a file.
type File struct{ Name, Size Value }

// filesOf are the files of which a format says more, by their addresses.
func filesOf(s said) map[string]File {
	out := map[string]File{}
	list := s.richest(crosswalk.File, crosswalk.FileName, crosswalk.FileSize)
	if len(list) == 0 {
		return out
	}
	for _, group := range s.record(list[0].Doc).groups(saysFile) {
		var f File
		for _, st := range group {
			switch {
			case st.Kind == crosswalk.FileName:
				f.Name = stated(st, longestValue)
			case st.Kind == crosswalk.FileSize && text.IsDigits(st.Value):
				f.Size = of(st, st.Value)
			}
		}
		for _, st := range group {
			if st.Kind == crosswalk.File && (f.Name.Text != "" || f.Size.Text != "") {
				out[bridge.NormalURL(st.Value)] = f
			}
		}
	}
	return out
}

func saysFile(k crosswalk.Kind) bool {
	return k == crosswalk.File || k == crosswalk.FileName || k == crosswalk.FileSize
}

// sizeOf is that of a file: as its format states it, or the only number of bytes
// that is stated beside a single file.
func sizeOf(d *Description, item bridge.ContentResource) Value {
	if f := d.Files[bridge.NormalURL(item.URL)]; f.Size.Text != "" {
		return f.Size
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
