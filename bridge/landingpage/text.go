package landingpage

import (
	"bytes"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// textIn counts the letters that a page shows to people, up to a thousand.
func textIn(page []byte) (n int) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for n < 1000 {
		switch z.Next() {
		case html.ErrorToken:
			return n
		case html.StartTagToken:
			switch name, _ := z.TagName(); atom.Lookup(name) {
			case atom.Script, atom.Style, atom.Title, atom.Textarea:
				z.Next() // its text
			case atom.Noscript: // what it says is that scripts are wanted
				skip(z, atom.Noscript)
			}
		case html.TextToken:
			for _, r := range string(z.Text()) {
				if unicode.IsLetter(r) {
					n++
				}
			}
		}
	}
	return n
}

// skip goes to the end of an element that cannot be inside itself.
func skip(z *html.Tokenizer, tag atom.Atom) {
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == tag {
				return
			}
		}
	}
}
