package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/store"
)

// explainDocument says where each value of one document of an object comes from.
func explainDocument(ctx context.Context, a *app, s *session, name, document string) error {
	form, ok := description.Named(document)
	if !ok {
		return &usageError{fmt.Errorf("there is no document %q: those made of records are %s", document, strings.Join(documentNames(), ", "))}
	}
	links, object, err := explain(ctx, s, name)
	if err != nil {
		return err
	}
	e, err := explained(ctx, s, links, object, form)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(e)
	}
	return printDocument(a.out, e)
}

func documentNames() (out []string) {
	for _, d := range description.Documents {
		out = append(out, d.Name)
	}
	return out
}

func explained(ctx context.Context, s *session, links bridge.Explanation, object store.Object, form description.Document) (description.Explanation, error) {
	none := description.Explanation{Identifier: links.Identifier, Document: form.Name, Type: form.MediaType, Values: []description.ExplainedValue{}}
	switch {
	case object.Deleted:
		none.Reason = "deleted at the source: its address answers 410"
		return none, nil
	case links.LandingPage == "":
		none.Reason = links.Reason
		return none, nil
	}
	site, err := newSite(s, nil, nil)
	if err != nil {
		return none, err
	}
	d, err := site.Description(ctx, object)
	if err != nil {
		return none, err
	}
	return d.Explain(form, links), nil
}

func printDocument(out io.Writer, e description.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s (%s)\n", e.Identifier, e.Document, e.Type)
	switch {
	case e.Reason != "":
		fmt.Fprintf(&b, "there is no such document: %s\n", printable(e.Reason))
	case len(e.Missing) > 0:
		fmt.Fprintf(&b, "there is no such document, since the records do not state %s\n", strings.Join(e.Missing, ", nor "))
	}
	if len(e.Values) > 0 {
		b.WriteString("\n")
	}
	for _, v := range e.Values {
		fmt.Fprintf(&b, "%s = %s\n    from %s", v.Path, printable(v.Value), printable(v.From))
		if v.Rule != "" {
			fmt.Fprintf(&b, ", rule %s", ruleWords(v.Rule))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
