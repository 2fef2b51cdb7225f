package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// names are the fields of the structs that are stored as values. In a value a
// field is the number of its name, counted from 1. Databases are full of these
// numbers: names are only added, at the end.
var names = [...]string{
	"LandingPage", "CiteAs", "License", "Type", "Authors", "Items", "Aliases", "Year",
	"URL", "Resolve", "MediaType", "Asked", "Probe", "Status", "DescribedBy", "IsContent", "Profile", "Documents",
	"Again", "Of", "ETag", "Modified", "Result", "Restricted", "Origin",
}

// beginnings are what many texts begin with. In a value each is one byte: its
// place in this list, counted from 1. As with names, they are only added.
var beginnings = [...]string{
	"https://", "http://", "https://doi.org/10.", "https://hdl.handle.net/", "https://orcid.org/0000-000", "https://schema.org/",
	"https://creativecommons.org/licenses/", "https://creativecommons.org/publicdomain/", "application/pdf", "application/",
}

// codec writes structs of type T as values, and reads them. It follows the
// type, so that it cannot lose a field: newCodec panics if a field has no number,
// or is of a type that it does not support. Two values are the same if their
// bytes are. A nil slice is the same as an empty one.
type codec[T any] struct{ whole *layout }

func newCodec[T any]() codec[T] { return codec[T]{layoutOf(reflect.TypeFor[T]())} }

// encode appends a value to b.
func (c codec[T]) encode(b []byte, v *T) []byte { return c.whole.append(b, reflect.ValueOf(v).Elem()) }

func (c codec[T]) decode(value []byte) (*T, error) {
	v := new(T)
	r := valueReader{rest: value}
	c.whole.read(&r, reflect.ValueOf(v).Elem())
	if r.damaged || len(r.rest) > 0 {
		return nil, damaged("the value of %T", *v)
	}
	return v, nil
}

// layout is the form of a struct: the number of each field that is not empty
// with the field's content, then 0.
type layout struct {
	fields   []field // in the order of the struct
	byNumber [len(names) + 1]*field
}

type field struct {
	number byte
	index  int
	format format
}

// format is the form of a field's content.
type format struct {
	kind    reflect.Kind
	element *format // of a slice
	whole   *layout // of a struct
}

func layoutOf(t reflect.Type) *layout {
	l := &layout{}
	for i := range t.NumField() {
		l.fields = append(l.fields, field{numberOf(t, t.Field(i).Name), i, formatOf(t.Field(i).Type)})
	}
	for i := range l.fields {
		l.byNumber[l.fields[i].number] = &l.fields[i]
	}
	return l
}

func numberOf(t reflect.Type, name string) byte {
	for i, n := range names {
		if n == name {
			return byte(i + 1)
		}
	}
	panic(fmt.Sprintf("store: %s.%s has no number in names", t, name))
}

func formatOf(t reflect.Type) format {
	switch f := (format{kind: t.Kind()}); f.kind {
	case reflect.String, reflect.Int, reflect.Bool:
		return f
	case reflect.Slice:
		element := formatOf(t.Elem())
		f.element = &element
		return f
	case reflect.Struct:
		f.whole = layoutOf(t)
		return f
	}
	panic(fmt.Sprintf("store: a value cannot have a %s", t))
}

func (l *layout) append(b []byte, v reflect.Value) []byte {
	for i := range l.fields {
		f := &l.fields[i]
		if content := v.Field(f.index); !empty(content) {
			b = f.format.append(append(b, f.number), content)
		}
	}
	return append(b, 0)
}

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

func (f *format) append(b []byte, v reflect.Value) []byte {
	switch f.kind {
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Int:
		return binary.AppendVarint(b, v.Int())
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Struct:
		return f.whole.append(b, v)
	}
	b = binary.AppendUvarint(b, uint64(v.Len()))
	for i := range v.Len() {
		b = f.element.append(b, v.Index(i))
	}
	return b
}

// appendText writes the number of the longest beginning, or 0, and the rest.
func appendText(b []byte, text string) []byte {
	number, n := 0, 0
	for i, beginning := range beginnings {
		if len(beginning) > n && strings.HasPrefix(text, beginning) {
			number, n = i+1, len(beginning)
		}
	}
	b = binary.AppendUvarint(append(b, byte(number)), uint64(len(text)-n))
	return append(b, text[n:]...)
}

func (l *layout) read(r *valueReader, v reflect.Value) {
	for {
		number := r.byte()
		if number == 0 {
			return
		}
		if int(number) >= len(l.byNumber) || l.byNumber[number] == nil {
			r.fail()
			return
		}
		f := l.byNumber[number]
		f.format.read(r, v.Field(f.index))
	}
}

func (f *format) read(r *valueReader, v reflect.Value) {
	switch f.kind {
	case reflect.String:
		v.SetString(r.text())
	case reflect.Int:
		v.SetInt(r.integer())
	case reflect.Bool:
		v.SetBool(r.byte() != 0)
	case reflect.Struct:
		f.whole.read(r, v)
	case reflect.Slice:
		n := r.count()
		list := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			f.element.read(r, list.Index(i))
		}
		v.Set(list)
	}
}

// valueReader reads bytes part by part. Behind damage it reads zeros.
type valueReader struct {
	rest    []byte
	damaged bool
}

func (r *valueReader) fail() { r.damaged, r.rest = true, nil }

func (r *valueReader) byte() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *valueReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > math.MaxInt64/2 { // two of them can be added
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *valueReader) integer() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads the number of elements that follow, of a byte or more each.
func (r *valueReader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *valueReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *valueReader) text() string {
	number := int(r.byte())
	rest := r.bytes(r.number())
	switch {
	case number == 0:
		return string(rest)
	case number <= len(beginnings):
		return beginnings[number-1] + string(rest)
	}
	r.fail()
	return ""
}
