package server

import (
	"encoding/binary"

	"fingerpost/server/answers"
)

// urlAnswer is what is kept under the name of a URL.
type urlAnswer struct {
	of     source
	name   name   // of the object; with nothing packed, of the landing page that has the same answer
	packed []byte // the header
}

// recordAnswer is what is kept under the name of an object: the one answer
// that its metadata documents have.
type recordAnswer struct {
	of        source
	documents uint64 // a bit for each document that has it: documentBit
	packed    []byte
}

// source is where an answer is from.
type source struct {
	repository int  // its number in the edition
	cut        bool // whether it has fewer links than there are
}

// metadataForm is how metadata in a format is published.
type metadataForm int

const (
	asGetRecord metadataForm = iota
	asCopy
	metadataForms
)

// mostFormats is how many formats of a repository have bits.
const mostFormats = 64 / int(metadataForms)

// documentBit is the bit of the metadata in the format with a number.
func documentBit(format int, as metadataForm) uint64 {
	return 1 << (format*int(metadataForms) + int(as))
}

func (s source) append(b []byte) []byte {
	n := uint64(s.repository) << 1
	if s.cut {
		n |= 1
	}
	return binary.AppendUvarint(b, n)
}

func (a urlAnswer) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(a.of.append(b), uint64(a.name))
	return append(b, a.packed...)
}

func (a recordAnswer) append(b []byte) []byte {
	b = binary.AppendUvarint(a.of.append(b), a.documents)
	return append(b, a.packed...)
}

// readSource returns what follows a source, too; ok is false for what is none.
func readSource(b []byte) (s source, rest []byte, ok bool) {
	n, digits := binary.Uvarint(b)
	if digits <= 0 || n > 1<<32 {
		return s, nil, false
	}
	return source{int(n >> 1), n&1 != 0}, b[digits:], true
}

func readURLAnswer(b []byte) (a urlAnswer, ok bool) {
	if a.of, b, ok = readSource(b); !ok || len(b) < 8 {
		return a, false
	}
	a.name, a.packed = answers.Name(binary.BigEndian.Uint64(b)), b[8:]
	return a, true
}

func readRecordAnswer(b []byte) (a recordAnswer, ok bool) {
	if a.of, b, ok = readSource(b); !ok {
		return a, false
	}
	n, digits := binary.Uvarint(b)
	if digits <= 0 {
		return a, false
	}
	a.documents, a.packed = n, b[digits:]
	return a, true
}
