package bridge

import (
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/linkset"
)

// manualFile explains the mapping to those whose repository it is. What these
// tests hold in step is named in the code and in the manual alike, and every
// example of the manual gives what stands beside it.
const manualFile = "../docs/mapping.md"

// Every rule that explain can print stands in the manual, and no other; it
// prints it of the example, and those without one of any object with a file.
func TestManualOfRules(t *testing.T) {
	named := rulesInCode(t)
	var told []string
	for _, row := range tables(t, "Rules") {
		name, example := strings.Trim(row[0], "`"), row[len(row)-1]
		told = append(told, name)
		if !slices.Contains(named, name) {
			t.Errorf("%s has rule %q, and the code has not", manualFile, name)
		}
		e, err := explainExample(example)
		printed := append(rulesOf(e), rulesOf(ExplainTombstone("oai:x:1", Object{LandingPage: LandingPage{URL: "https://repo.example.edu/1"}}, linkset.Budget{}))...)
		if !slices.Contains(printed, name) {
			t.Errorf("rule %s: of the example %s explain prints %+v, %v", name, example, e, err)
		}
	}
	for _, name := range named {
		if !slices.Contains(told, name) {
			t.Errorf("%s does not explain rule %q", manualFile, name)
		}
	}
}

// explainExample explains an example as a gateway does that gives it
// everything. Where there is none, a file's server is asked about it, too.
func explainExample(cell string) (Explanation, error) {
	const file = "https://repo.example.edu/12/1/thesis.pdf"
	probes := map[string]Probe{}
	if cell == "" {
		cell = "`dc:identifier https://repo.example.edu/12` `dc:identifier " + file + "`"
		probes[file] = Probe{Status: 200, MediaType: "application/epub+zip", URL: file}
	}
	x, err := readExample(cell)
	if err != nil {
		return Explanation{}, err
	}
	x.settings.Probe = true
	m, err := NewMapping("https://repo.example.edu/oai", x.learned, x.settings)
	if err != nil {
		return Explanation{}, err
	}
	var trace Trace
	o, err := m.Map(x.identifier, x.records, &trace)
	o = m.Probed(x.identifier, o, probes, &trace)
	metadata := []MetadataResource{{URL: "https://repo.example.edu/oai?verb=GetRecord"}, {URL: "https://repo.example.edu/oai?verb=GetRecord&metadataPrefix=mods"}}
	trace.Offer(metadata[1:])
	made := []MetadataResource{{URL: "https://links.example.edu/12/metadata/csl.json", MediaType: "application/vnd.citationstyles.csl+json"}}
	trace.Make(made)
	set := Signpost(o, metadata, Gateway{LinkSetJSON: "https://links.example.edu/12.json", Inbox: "https://inbox.example.edu/", Documents: made})
	return Explain(x.identifier, o, set, trace, linkset.Budget{}), err
}

// rulesOf are the rules that an explanation names.
func rulesOf(e Explanation) []string {
	rules := []string{e.PageRule}
	for _, l := range e.Links {
		rules = append(rules, l.Rule, l.TypeRule)
	}
	for _, r := range e.Rejected {
		rules = append(rules, r.Rule)
	}
	return rules
}

// So does every reason why a value, or a record, has no links.
func TestManualOfReasons(t *testing.T) {
	parts, told := reasonsInCode(t), ""
	for _, row := range tables(t, "What is not linked") {
		reason, example := row[0], row[len(row)-1]
		told += reason + "\n"
		if example == "" {
			if !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(reason, part) }) {
				t.Errorf("%s has the reason %q, and the code has not", manualFile, reason)
			}
			continue
		}
		trace, err := tryExample(example)
		given := slices.ContainsFunc(trace.Evidence, func(e Evidence) bool { return e.Rejected && e.Reason == reason })
		var none *NoLandingPageError
		if !given && (!errors.As(err, &none) || none.Reason != reason) {
			t.Errorf("reason %q: the example %s gives %+v, %v", reason, example, trace.Evidence, err)
		}
	}
	for _, part := range parts {
		if !strings.Contains(told, part) {
			t.Errorf("%s does not explain the reason %q", manualFile, part)
		}
	}
}

func readManual(t *testing.T) string {
	t.Helper()
	manual, err := os.ReadFile(manualFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(manual)
}

// tables are the rows of all tables in a chapter of the manual.
func tables(t *testing.T, chapter string) (rows [][]string) {
	t.Helper()
	_, text, _ := strings.Cut(readManual(t), "\n## "+chapter+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(lines[i+1], "|--") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		for i, c := range cells {
			cells[i] = strings.TrimSpace(c)
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no tables under %q", manualFile, chapter)
	}
	return rows
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

func spans(cell string) (out []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// exampleRecord is what the code spans of an example say: elements of a record
// in oai_dc, whole records in other formats, and the settings they are mapped by.
type exampleRecord struct {
	identifier string
	elements   string
	sets       []string
	records    []Record
	learned    Learned
	settings   Settings
}

// tryExample maps an example. The manual says what its repository is called.
func tryExample(cell string) (trace Trace, err error) {
	x, err := readExample(cell)
	if err != nil {
		return trace, err
	}
	m, err := NewMapping("https://repo.example.edu/oai", x.learned, x.settings)
	if err == nil {
		_, err = m.Map(x.identifier, x.records, &trace)
	}
	return trace, err
}

func readExample(cell string) (exampleRecord, error) {
	x := exampleRecord{identifier: "oai:repo.example.edu:12", learned: Learned{PageFiles: FilesBelieved}, settings: Settings{Pages: true}}
	if !strings.Contains(cell, "identifier") {
		cell += "`dc:identifier https://repo.example.edu/12`"
	}
	for _, span := range spans(cell) {
		if err := x.add(span); err != nil {
			return x, err
		}
	}
	if x.elements != "" || len(x.records) == 0 {
		dc := `<oai_dc:dc xmlns:oai_dc="` + crosswalk.OAIDC + `" xmlns:dc="http://purl.org/dc/elements/1.1/">` + x.elements + `</oai_dc:dc>`
		x.records = append(x.records, Record{Prefix: "oai_dc", Sets: x.sets, Metadata: []byte(dc)})
	}
	return x, nil
}

func (x *exampleRecord) add(span string) error {
	key, value, _ := strings.Cut(span, " ")
	switch {
	case strings.HasPrefix(span, "<"):
		x.records = append(x.records, Record{Prefix: "example", Sets: x.sets, Metadata: []byte(span)})
	case strings.HasPrefix(key, "oai:"):
		x.identifier = span
	case strings.HasPrefix(key, "dc:"):
		var escaped strings.Builder
		if err := xml.EscapeText(&escaped, []byte(value)); err != nil {
			return err
		}
		x.elements += "<" + key + ">" + escaped.String() + "</" + key + ">"
	case key == "rule":
		x.settings.Rules = append(x.settings.Rules, flowRule(value))
	case key == "set":
		x.sets = append(x.sets, value)
	case key == "own_prefixes:":
		x.learned.OwnPrefixes = append(x.learned.OwnPrefixes, value)
	case key == "platform:":
		x.settings.Platform = value
	case key == "landing_page:":
		x.settings.LandingPage = value
	case key == "cite_as_published_doi:":
		x.settings.CiteAsPublishedDOI = value == "true"
	case key == "cite_as:":
		x.settings.CiteAs = value
	default:
		return fmt.Errorf("%q says nothing in an example", span)
	}
	return nil
}

// flowRule reads a rule as YAML has it on one line: {field: a, match: b, as: c}.
func flowRule(text string) (r Rule) {
	for part := range strings.SplitSeq(strings.Trim(text, "{}"), ", ") {
		key, value, _ := strings.Cut(part, ": ")
		switch key {
		case "field":
			r.Field = value
		case "match":
			r.Match = value
		case "as":
			r.As = value
		case "value":
			r.Value = value
		case "item":
			r.Item = value
		}
	}
	return r
}

// sourceCode is that of the mapping, and its constants that are strings.
type sourceCode struct {
	files     []*ast.File
	constants map[string]ast.Expr
}

func readSource(t *testing.T) sourceCode {
	t.Helper()
	var names []string
	for _, room := range []string{".", "crosswalk", "identifier", "vocabulary"} {
		more, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, more...)
	}
	code := sourceCode{constants: map[string]ast.Expr{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		code.files = append(code.files, file)
	}
	code.each(func(n ast.Node) {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			code.constants[spec.Names[0].Name] = spec.Values[0]
		}
	})
	return code
}

func (s sourceCode) each(f func(ast.Node)) {
	for _, file := range s.files {
		for n := range ast.Preorder(file) {
			f(n)
		}
	}
}

// literals are the strings that stand below a node, or in a constant it names.
func (s sourceCode) literals(n ast.Node) (out []string) {
	if id, ok := n.(*ast.Ident); ok && s.constants[id.Name] != nil {
		n = s.constants[id.Name]
	}
	for n := range ast.Preorder(n) {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if value, err := strconv.Unquote(lit.Value); err == nil && value != "" {
				out = append(out, value)
			}
		}
	}
	return out
}

// called returns the argument at a place of calls to functions.
func called(n ast.Node, places map[string]int) ast.Expr {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if place, ok := places[name]; ok && place < len(call.Args) {
		return call.Args[place]
	}
	return nil
}

var numbered = regexp.MustCompile(`^[LCI]\d[a-z]?$`)

// rulesInCode are the names that Evidence.Rule, or a rule of Explain, may have.
func rulesInCode(t *testing.T) []string {
	code := readSource(t)
	rules := []string{ruleName(0)}
	types, err := os.ReadFile("vocabulary/tables/types.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(string(types)) {
		if name, _, ok := strings.Cut(row, "\t"); ok && row[0] != '#' {
			rules = append(rules, name)
		}
	}
	code.each(func(n ast.Node) {
		if arg := called(n, map[string]int{"accept": 2, "acceptFrom": 3, "reject": 1, "refuse": 1}); arg != nil {
			rules = append(rules, code.literals(arg)...)
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if slices.Contains([]string{"licence", "rule", "typeFile", "follows"}, n.Name.Name) {
				rules = append(rules, code.literals(n.Body)...)
			}
		case *ast.BasicLit:
			if name, err := strconv.Unquote(n.Value); err == nil && numbered.MatchString(name) {
				rules = append(rules, name)
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Vocabulary" || key.Name == "Rule") {
				rules = append(rules, code.literals(n.Value)...)
			}
		}
	})
	slices.Sort(rules)
	return slices.Compact(rules)
}

var verb = regexp.MustCompile(`%[a-z]`)

// reasonsInCode are the parts of reasons that are always alike.
func reasonsInCode(t *testing.T) []string {
	code := readSource(t)
	var reasons []string
	add := func(n ast.Node) {
		for _, reason := range code.literals(n) {
			reasons = append(reasons, verb.Split(reason, -1)...)
		}
	}
	code.each(func(n ast.Node) {
		if arg := called(n, map[string]int{"reject": 2, "refuse": 2, "noLandingPage": 0, "New": 0}); arg != nil {
			add(arg)
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if slices.Contains([]string{"unused", "unusedCandidate", "why", "rejectOthers", "unlinked", "refusal", "notOffered", "NotOffered"}, n.Name.Name) {
				for inner := range ast.Preorder(n) {
					if r, ok := inner.(*ast.ReturnStmt); ok {
						add(r)
					}
				}
			}
		case *ast.AssignStmt:
			switch to := n.Lhs[0].(type) {
			case *ast.SelectorExpr:
				if to.Sel.Name == "refused" {
					add(n.Rhs[0])
				}
			case *ast.Ident:
				if to.Name == "reason" {
					add(n.Rhs[0])
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Reason" {
				add(n.Value)
			}
		}
	})
	reasons = slices.DeleteFunc(reasons, func(r string) bool { return strings.Trim(r, " :;") == "" })
	slices.Sort(reasons)
	return slices.Compact(reasons)
}
