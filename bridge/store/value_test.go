package store

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fingerpost/bridge"
)

var sample = bridge.Object{
	LandingPage: bridge.LandingPage{URL: "https://r.example/1", Resolve: true}, CiteAs: "https://doi.org/10.5555/1",
	License: "https://creativecommons.org/licenses/by/4.0/", Type: "https://schema.org/Book",
	Authors: []string{"https://orcid.org/0000-0002-1825-0097", "http://isni.org/isni/1"},
	Items:   []bridge.ContentResource{{URL: "https://r.example/1.pdf", MediaType: "application/pdf"}, {URL: "ftp://r.example/2", Type: "t", CiteAs: "c", License: "l"}},
	Aliases: []string{"https://hdl.handle.net/1/2"}, Year: -1999,
}

// Databases are full of these bytes: names and beginnings keep their numbers.
func TestValuesStay(t *testing.T) {
	const want = "\x01\x09\x01\x0br.example/1\x0a\x01\x00" + "\x02\x03\x06" + "5555/1" + "\x03\x07\x07by/4.0/" + "\x04\x06\x04Book" +
		"\x05\x02\x05\x0b" + "2-1825-0097" + "\x02\x0fisni.org/isni/1" +
		"\x06\x02" + "\x09\x01\x0fr.example/1.pdf\x0b\x09\x00\x00" + "\x09\x00\x11ftp://r.example/2\x04\x00\x01t\x02\x00\x01c\x03\x00\x01l\x00" +
		"\x07\x01\x04\x031/2" + "\x08\x9d\x1f" + "\x00"
	got := objectValues.encode(nil, &sample)
	roundTrip(t, sample)
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func roundTrip(t *testing.T, want bridge.Object) {
	t.Helper()
	value := objectValues.encode(nil, &want)
	got, err := objectValues.decode(value)
	if err != nil {
		t.Fatalf("%q: %v", value, err)
	}
	if diff := cmp.Diff(want, *got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%q (-want +got):\n%s", value, diff)
	}
}

func TestValuesRoundTrip(t *testing.T) {
	for _, o := range []bridge.Object{
		{},
		{Authors: []string{}, Items: []bridge.ContentResource{}},
		{LandingPage: bridge.LandingPage{URL: "\x01\x02\x1f\x00\xff"}, Aliases: []string{"", "https://", "https:/"}},
		{Items: make([]bridge.ContentResource, 300)},
		{CiteAs: strings.Repeat("ü", 100_000)},
	} {
		roundTrip(t, o)
	}
}

func TestEmptyListsAreAsNone(t *testing.T) {
	if a, b := objectValues.encode(nil, &bridge.Object{}), objectValues.encode(nil, &bridge.Object{Authors: []string{}}); !bytes.Equal(a, b) {
		t.Errorf("got %q and %q, want the same", a, b)
	}
}

// A field that the codec could lose is found when the program starts.
func TestUnknownFieldsAreRefused(t *testing.T) {
	for _, v := range []any{
		struct{ Unnamed string }{}, struct{ Year float64 }{}, struct{ Items []struct{ Unnamed int } }{}, struct{ URL *string }{}, struct{ Year int8 }{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: got no panic", v)
				}
			}()
			layoutOf(reflect.TypeOf(v))
		}()
	}
}

func FuzzValues(f *testing.F) {
	f.Add(objectValues.encode(nil, &sample))
	f.Add([]byte("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("\x01\x01\x01"))
	f.Fuzz(func(t *testing.T, value []byte) {
		o, err := objectValues.decode(value)
		if err == nil {
			roundTrip(t, *o)
			return
		}
		if e := (*DamagedError)(nil); !errors.As(err, &e) {
			t.Errorf("got error %v, want a *DamagedError", err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	b.ReportAllocs()
	var memory []byte
	for b.Loop() {
		memory = objectValues.encode(memory[:0], &sample)
	}
}

func BenchmarkDecode(b *testing.B) {
	value := objectValues.encode(nil, &sample)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := objectValues.decode(value); err != nil {
			b.Fatal(err)
		}
	}
}
