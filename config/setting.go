package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// setting is a key that one text can set: as a variable of the environment, or
// as a column of the table of sources.
type setting struct {
	key   string // such as politeness.min_interval
	index []int  // of its field
	typ   reflect.Type
}

// settingsOf returns the settings of a struct and of the structs in it.
func settingsOf(t reflect.Type) (out []setting) {
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("yaml")
		switch {
		case key == "-", f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct: // no key, or a list that no text holds
		case f.Type.Kind() == reflect.Struct:
			for _, s := range settingsOf(f.Type) {
				out = append(out, setting{key + "." + s.key, append([]int{i}, s.index...), s.typ})
			}
		default:
			out = append(out, setting{key, []int{i}, f.Type})
		}
	}
	return out
}

// set sets the field of a struct. A text with commas is a list.
func (s setting) set(of reflect.Value, text string) error {
	v := of.FieldByIndex(s.index)
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false: write one of them", text)
		}
		v.SetBool(b)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number: write one, such as 5", text)
		}
		v.SetInt(int64(n))
	case reflect.Slice:
		v.Set(reflect.ValueOf(list(text)).Convert(v.Type()))
	case reflect.Map:
		return setPairs(v, text)
	default:
		v.SetString(text)
	}
	return nil
}

// list returns the entries of a list, which are separated by commas.
func list(text string) []string {
	entries := strings.Split(text, ",")
	for i, e := range entries {
		entries[i] = strings.TrimSpace(e)
	}
	return entries
}

// setPairs sets a map of secrets.
func setPairs(v reflect.Value, text string) error {
	pairs := map[string]Secret{}
	for i, entry := range list(text) {
		name, value, ok := strings.Cut(entry, ":")
		if !ok { // the entry may be a secret
			return fmt.Errorf(`has no ":" in entry %d: write name:value,name:value`, i+1)
		}
		pairs[name] = Secret(value)
	}
	v.Set(reflect.ValueOf(pairs))
	return nil
}

// nearest returns the name that is most like a misspelt one.
func nearest(name string, names []string) (best string) {
	least := -1
	for _, n := range names {
		if d := distance(name, n); least < 0 || d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is how many characters differ between two texts: the distance of
// Levenshtein, with bytes for characters.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
