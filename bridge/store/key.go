package store

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"strings"
)

// KeyOf returns the name of an object in URLs: nothing in it needs escaping.
func KeyOf(identifier string) string {
	h := Hash(identifier)
	return keyEncoding.EncodeToString(h[:])
}

// HashOfKey returns the Hash of the identifier with a key; false if key is none.
func HashOfKey(key string) (h [10]byte, ok bool) {
	if len(key) != keyEncoding.EncodedLen(len(h)) {
		return h, false
	}
	_, err := keyEncoding.Decode(h[:], []byte(key))
	return h, err == nil
}

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Hash is 80 bits to find an identifier or a URL by. The first 24 are those of
// its stem: records with consecutive numbers, which is how most lists give them
// out, are neighbours in an index. To save a batch then changes a few leaves of
// the tree, not one for every record.
func Hash(text string) (h [10]byte) {
	var memory [256]byte // enough for most texts, without an allocation
	sum := sha256.Sum256(append(memory[:0], text...))
	binary.BigEndian.PutUint32(h[:4], checksum(stem(text)))
	copy(h[3:], sum[:])
	return h
}

// checksum is crc32.ChecksumIEEE, which would need a copy of the text.
func checksum(text string) uint32 {
	sum := ^uint32(0)
	for i := range len(text) {
		sum = crc32.IEEETable[byte(sum)^text[i]] ^ sum>>8
	}
	return ^sum
}

// stem returns a text up to its last number of three digits or more, without
// the last two of them. It passes over the name of a file, whose numbers are not
// the repository's. A text without such a number is its own stem.
func stem(text string) string {
	from := text
	if slash := strings.LastIndexByte(text, '/'); slash >= 0 && isFileName(text[slash+1:]) {
		from = text[:slash]
	}
	for end := len(from); end > 0; {
		if !isDigit(from[end-1]) {
			end--
			continue
		}
		start := end
		for start > 0 && isDigit(from[start-1]) {
			start--
		}
		if end-start >= 3 {
			return from[:end-2]
		}
		end = start
	}
	return text
}

// isFileName reports whether a name ends in a dot and two to five letters.
func isFileName(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	if n := len(name) - dot - 1; dot < 0 || n < 2 || n > 5 {
		return false
	}
	return !strings.ContainsFunc(name[dot+1:], func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
