package bridge

import (
	"fmt"
	"strings"

	"fingerpost/bridge/identifier"
	"fingerpost/bridge/uri"
)

// variable returns the value of a template's variable, "" if there is none.
func (v *view) variable(name string, own []ownIdentifier) string {
	switch name {
	case "base": // of the repository, without the path of its OAI-PMH interface
		return uri.Site(v.mapping.baseURL)
	case "local":
		return inPath.Encode(v.id.Local)
	case "identifier":
		return inPath.Encode(v.id.Whole)
	case "doi":
		return valueOf(own, identifier.DOI)
	case "handle":
		return valueOf(own, identifier.Handle)
	}
	return ""
}

func valueOf(own []ownIdentifier, scheme identifier.Scheme) string {
	for _, o := range own {
		if o.Scheme == scheme {
			return inPath.Encode(o.Value)
		}
	}
	return ""
}

// inPath encodes a value for a path; slashes and colons in it stay.
var inPath = uri.Encoder{Keep: uri.Bytes("-._~$&+:=@/")}

// fillTemplate replaces every {name}, but not ${name}, which is a group of a
// regular expression; false if one of them has no value.
func fillTemplate(template string, value func(string) string) (string, bool) {
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(template, "{")
		out.WriteString(before)
		if !open {
			return out.String(), true
		}
		if strings.HasSuffix(before, "$") {
			out.WriteByte('{')
			template = rest
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		v := value(name)
		if !closed || v == "" {
			return "", false
		}
		out.WriteString(v)
		template = after
	}
}

// checkTemplate reports what is wrong with an administrator's template.
func checkTemplate(template string) error {
	if template == "" {
		return nil
	}
	for rest := template; ; {
		_, after, open := strings.Cut(rest, "{")
		if !open {
			break
		}
		name, after, closed := strings.Cut(after, "}")
		switch name {
		case "local", "identifier", "doi", "handle", "base":
		default:
			closed = false
		}
		if !closed {
			return fmt.Errorf("template %q: {%s} is not known; use {local}, {identifier}, {doi}, {handle} or {base}", template, name)
		}
		rest = after
	}
	if !strings.HasPrefix(template, "http://") && !strings.HasPrefix(template, "https://") && !strings.HasPrefix(template, "{base}") {
		return fmt.Errorf("template %q must begin with https://, http:// or {base}", template)
	}
	return nil
}
