package linkset

// Text returns the links as application/linkset. RFC 9264, 4.1. Each has its
// anchor. FAIR Signposting, 1.4.
func (s LinkSet) Text() []byte {
	b := make([]byte, 0, 192*len(s))
	for i, l := range s {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = textForm.append(b, l)
	}
	return b
}
