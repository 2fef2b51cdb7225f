package sqlite

import (
	"bytes"
	"encoding/json"
	"strings"

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

var toPhrases, fromPhrases = replacers()

func replacers() (to, from *strings.Replacer) {
	var there, back []string
	for i, phrase := range phrases {
		code := string(rune(i + 1))
		there, back = append(there, phrase, code), append(back, code, phrase)
	}
	return strings.NewReplacer(there...), strings.NewReplacer(back...)
}

// encode is the form in which an object is kept, and by which two are the
// same: JSON with its phrases replaced.
func encode(o bridge.Object) (string, error) {
	b := bytes.NewBuffer(make([]byte, 0, 512))
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		return "", err
	}
	return toPhrases.Replace(strings.TrimSuffix(b.String(), "\n")), nil
}
