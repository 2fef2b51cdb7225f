package config

import (
	"errors"
	"fmt"
)

// A Problem is one thing in a configuration that must be mended.
type Problem struct {
	Place string // "fingerpost.yaml:7" or a variable's name; "" if not known
	Key   string // "repositories[0].oai_url"
	Text  string // what is wrong, and the remedy
}

func (p *Problem) Error() string {
	s := p.Key + " " + p.Text
	if p.Place != "" {
		s = p.Place + ": " + s
	}
	return s
}

// problems collects all that is wrong, so that one look at the messages is
// enough to mend a file.
type problems []error

func (p *problems) add(key, format string, args ...any) {
	*p = append(*p, &Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// check adds err's text to a key, if there is an error.
func (p *problems) check(key string, err error) {
	if err != nil {
		p.add(key, "%v", err)
	}
}

func (p problems) join() error { return errors.Join(p...) }

// Problems returns those that an error of Load or ForURL is made of: none if it
// is of another kind.
func Problems(err error) []*Problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Problem
		for _, e := range joined.Unwrap() {
			all = append(all, Problems(e)...)
		}
		return all
	}
	if p := (*Problem)(nil); errors.As(err, &p) {
		return []*Problem{p}
	}
	return nil
}
