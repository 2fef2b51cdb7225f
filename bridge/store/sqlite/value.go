package sqlite

import (
	"bytes"
	"encoding/json"

	"fingerpost/bridge"
)

// phrases are what the JSON of most objects has in common. A value has, in
// place of each, the control character of its place in this list, counted from
// 1: JSON itself has no control characters, for it escapes them. That takes
// two thirds off a store.
//
// Stores are full of these numbers: the list is never changed, but for
// additions at its end, up to 31. Of two that begin alike the first is taken.
var phrases = [...]string{
	`{"landing_page":{"url":"https://`,
	`{"landing_page":{"url":"http://`,
	`"},"cite_as":"https://doi.org/10.`,
	`"},"cite_as":"https://hdl.handle.net/`,
	`"},"cite_as":"https://`,
	`","license":"https://creativecommons.org/licenses/`,
	`","license":"https://creativecommons.org/publicdomain/`,
	`","license":"http`,
	`","type":"https://schema.org/`,
	`","authors":["https://orcid.org/0000-000`,
	`","https://orcid.org/0000-000`,
	`"],"items":[{"url":"https://`,
	`","items":[{"url":"https://`,
	`","media_type":"application/pdf"},{"url":"https://`,
	`","media_type":"application/pdf"}`,
	`","media_type":"application/`,
	`","media_type":"`,
	`"},{"url":"https://`,
	`"},{"url":"http://`,
	`],"aliases":["https://`,
	`","aliases":["https://`,
	`","https://hdl.handle.net/`,
	`","https://doi.org/10.`,
	`,"year":20`,
	`,"year":19`,
	`,"resolve":true}`,
	`/bitstream/`,
	`/download/`,
	`/handle/`,
	`ScholarlyArticle`,
}

// phrasesWith are the places in phrases of those with this fourth byte, by
// which they differ most.
var phrasesWith = func() (t [256][]byte) {
	for i, phrase := range phrases {
		t[phrase[3]] = append(t[phrase[3]], byte(i))
	}
	return t
}()

// begins tells with which bytes a phrase may begin: most of a text has none.
var begins = func() (t [256]bool) {
	for _, phrase := range phrases {
		t[phrase[0]] = true
	}
	return t
}()

// shorten replaces the phrases in JSON, in its own memory.
func shorten(json []byte) []byte {
	out := json[:0]
	for i := 0; i < len(json); {
		plain := i
		for i < len(json) && !begins[json[i]] {
			i++
		}
		out = append(out, json[plain:i]...)
		if i == len(json) {
			break
		}
		code, n := phraseAt(json[i:])
		if n == 0 {
			code, n = json[i], 1
		}
		out = append(out, code)
		i += n
	}
	return out
}

// lengthen puts the phrases back.
func lengthen(value string) string {
	var memory [1 << 10]byte // enough for most: nothing but the text is allocated
	text, from := memory[:0], 0
	for i := range len(value) {
		if c := value[i]; 0 < c && int(c) <= len(phrases) {
			text = append(append(text, value[from:i]...), phrases[c-1]...)
			from = i + 1
		}
	}
	return string(append(text, value[from:]...))
}

// phraseAt returns the code and the length of the phrase that json begins
// with; 0 and 0 if there is none.
func phraseAt(json []byte) (code byte, n int) {
	if len(json) < 4 {
		return 0, 0
	}
	for _, i := range phrasesWith[json[3]] {
		if p := phrases[i]; p[0] == json[0] && len(p) <= len(json) && string(json[:len(p)]) == p {
			return i + 1, len(p)
		}
	}
	return 0, 0
}

// encode is the form in which an object is kept, and by which two are the
// same: JSON with its phrases replaced. The memory of w is used again.
func (w *writer) encode(o bridge.Object) (string, error) {
	w.b, w.failed = w.b[:0], false
	if w.object(o); !w.failed && isPlain(w.b) {
		return string(shorten(w.b)), nil
	}
	b := bytes.NewBuffer(nil)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		return "", err
	}
	return string(shorten(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}
