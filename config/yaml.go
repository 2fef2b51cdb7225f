package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// readable reports what keeps src from being YAML, with the line and a caret.
func readable(src []byte) error {
	var e yaml.Error
	if _, err := parser.ParseBytes(src, 0, parser.AllowDuplicateMapKey()); errors.As(err, &e) {
		return pointed("this is not YAML ("+e.GetMessage()+"): check the quotes and the indentation, which is made of spaces, not of tabs", e)
	}
	if _, err := parser.ParseBytes(src, 0); errors.As(err, &e) {
		return pointed(fmt.Sprintf("the key %q is here twice: remove one of them", e.GetToken().Value), e)
	}
	return nil
}

// understood rewords an error of the library for administrators. It has the
// line and a caret.
func understood(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return err
	}
	return pointed(misfit(e), e)
}

func pointed(sentence string, at yaml.Error) error {
	return errors.New(strings.TrimRight(yaml.FormatErrorWithToken(sentence, at.GetToken(), false, true), "\n"))
}

// misfit says what the file has where something else belongs.
func misfit(err yaml.Error) string {
	switch e := err.(type) {
	case *yaml.UnknownFieldError:
		return fmt.Sprintf("there is no key %q here", e.Token.Value)
	case *yaml.UnexpectedNodeTypeError:
		return belongsHere[kindOfNode(e.Expected)]
	case *yaml.TypeError:
		return belongsHere[e.DstType.Kind()]
	case *yaml.OverflowError:
		return "the number is too large"
	}
	return err.GetMessage()
}

// belongsHere says what a field takes, by the kind of its type.
var belongsHere = map[reflect.Kind]string{
	reflect.Slice:  `a list belongs here: put each entry on a line of its own, with "- " before it`,
	reflect.Struct: `keys and values belong here, each on a line of its own, such as "id: main"`,
	reflect.Map:    `names and values belong here, each on a line of its own, such as "X-Key: abc"`,
	reflect.Bool:   "true or false belongs here",
	reflect.Int:    "a whole number belongs here, such as 5",
	reflect.String: "a single text belongs here, not a list or keys with values",
}

// kindOfNode is the kind of type that a node of YAML is read into.
func kindOfNode(t ast.NodeType) reflect.Kind {
	switch t {
	case ast.SequenceType:
		return reflect.Slice
	case ast.MappingType:
		return reflect.Struct
	}
	return reflect.String
}
