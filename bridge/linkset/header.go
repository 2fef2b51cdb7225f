package linkset

// A form is how a link value of RFC 8288 is laid out. Clients of the field
// differ in the white space that they can read, so that each place has its own.
type form struct {
	param  string // before each parameter
	anchor bool   // whether the context is written
}

var (
	headerForm   = form{param: "; "}
	anchoredForm = form{param: "; ", anchor: true}
	joinedForm   = form{param: ";"}
	textForm     = form{param: " ; ", anchor: true}
)

// Header returns the link as the value of a Link header field, without its
// context: that is the page whose header it is in.
//
// No white space stands before ";", and one field holds one link: the only
// layout that each of the clients in use reads wholly.
func (l Link) Header() string {
	return string(headerForm.append(nil, l))
}

// Header returns one Link field value per link. The links are taken to have
// the page itself as their context: see From.
func (s LinkSet) Header() []string { return s.headers(headerForm) }

// HeaderWithAnchors returns one Link field value per link, with its context:
// for the header of another resource than that. RFC 8288, 3.2.
func (s LinkSet) HeaderWithAnchors() []string { return s.headers(anchoredForm) }

func (s LinkSet) headers(f form) []string {
	values := make([]string, 0, len(s))
	var b []byte
	for _, l := range s {
		b = f.append(b[:0], l)
		values = append(values, string(b))
	}
	return values
}

// Joined returns all links in one Link field value without any white space,
// for servers that can pass on a single value only. The links are taken to
// have the page itself as their context.
func (s LinkSet) Joined() string {
	b := make([]byte, 0, 2<<10)
	for i, l := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = joinedForm.append(b, l)
	}
	return string(b)
}

func (f form) append(b []byte, l Link) []byte {
	b = append(b, '<')
	b = safe.Append(b, l.Href)
	b = append(b, '>')
	b = f.appendParam(b, `rel="`, l.Rel)
	if l.Type != "" {
		b = f.appendParam(b, `type="`, l.Type)
	}
	if l.Profile != "" {
		b = f.appendParam(b, `profile="`, l.Profile)
	}
	if f.anchor {
		b = f.appendParam(b, `anchor="`, l.Anchor)
	}
	return b
}

func (f form) appendParam(b []byte, name, value string) []byte {
	b = append(b, f.param...)
	b = append(b, name...)
	b = safe.Append(b, value)
	return append(b, '"')
}

// bytes is how many append appends.
func (f form) bytes(l Link) int {
	param := func(name, value string) int { return len(f.param) + len(name) + safe.Len(value) + len(`"`) }
	n := len("<>") + safe.Len(l.Href) + param(`rel="`, l.Rel)
	if l.Type != "" {
		n += param(`type="`, l.Type)
	}
	if l.Profile != "" {
		n += param(`profile="`, l.Profile)
	}
	if f.anchor {
		n += param(`anchor="`, l.Anchor)
	}
	return n
}
