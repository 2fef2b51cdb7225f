package linkset

import "testing"

// twenty is an object of a usual size: a page with 14 links, three files.
func twenty() LinkSet {
	s := object()
	page := s[0].Anchor
	for _, l := range s.Rel("item") {
		s = append(s, Link{l.Href, "collection", page, "text/html", ""}, Link{l.Href, "type", "https://schema.org/Dataset", "", ""})
	}
	return s
}

func BenchmarkWrite(b *testing.B) {
	s := twenty()
	for name, write := range map[string]func() int{
		"JSON":        func() int { return len(s.JSON()) },
		"Text":        func() int { return len(s.Text()) },
		"Joined":      func() int { return len(s.Joined()) },
		"Header":      func() int { return len(s.Header()) },
		"HTML":        func() int { return len(s.HTML()) },
		"HeaderBytes": s.HeaderBytes,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				write()
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	s := twenty()
	text, json, header := s.Text(), s.JSON(), s.Header()
	for name, read := range map[string]func() (LinkSet, error){
		"JSON":   func() (LinkSet, error) { return ParseJSON(json) },
		"Text":   func() (LinkSet, error) { return ParseText(text) },
		"Header": func() (LinkSet, error) { return ParseHeader(header, s[0].Anchor) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	s := twenty()
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range s {
			if err := Check(l); err != nil {
				b.Fatal(err)
			}
		}
	}
}
