package config

import (
	"errors"
	"fmt"
)

// A Problem is one thing in a configuration that has to be corrected.
type Problem struct {
	Place string // "fingerpost.yaml:7" or a variable's name; "" if unknown
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

// problems collects everything that is wrong, so that a file can be corrected
// in one go.
type problems []error

func (p *problems) add(key, format string, args ...any) {
	*p = append(*p, &Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// check adds the text of err to a key, unless err is nil.
func (p *problems) check(key string, err error) {
	if err != nil {
		p.add(key, "%v", err)
	}
}

func (p problems) join() error { return errors.Join(p...) }

// Problems returns the problems in an error of Load or ForURL; none if it is
// another kind of error.
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
