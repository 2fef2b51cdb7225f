package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fingerpost/bridge/store/pgtest"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

var update = flag.Bool("update", false, "write what is printed as what is expected")

// TestMain makes of the test binary the program, where it is called by the
// program's name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fingerpost": main})
}

// TestScripts runs testdata/script/*.txtar: the program as its users run it,
// in a folder of its own. Besides the commands of package testscript there are
//
//	fake VAR [flags]        start a fake repository (see fakeFlags); $VAR is its URL, $VAR_SITE that
//	                        of its web server
//	postgres VAR            start a PostgreSQL; $VAR is the address of an empty database in it
//	heal VAR                take its faults away, and answer what it held back
//	close VAR               stop it
//	asked VAR               print the requests that it was sent, and forget them
//	visited VAR             print how often its landing pages were asked for
//	exits CODE PROGRAM ...  run a program that must end with this exit code
//	until REGEXP PROGRAM .. run it again and again until it prints this; PROGRAM may be get
//	start NAME PROGRAM ...  run it in the background
//	gateway VAR ARGS...     start fingerpost as a gateway; $VAR is its URL, its name is VAR,
//	                        $VAR_EDGE is the URL of its proxy
//	says NAME REGEXP        wait until what was started prints this
//	curls NAME              do what the curl lines say that NAME printed
//	busy VAR URL            $VAR is host and port of the URL
//	end NAME SIGNAL CODE    end what was started; -1 is the code of what was killed
//	ready URL               wait until a gateway answers 200 at /readyz
//	get URL [NAME=VALUE]... print status, headers and body of an answer
//	table FILE LINE...      write a table of sources beside FILE, and rename it to that
//	corrected FILE OLD NEW  build the program with one text of a source file replaced by another,
//	                        and have gateway and $CORRECTED be that program
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=0") // under -race every program would sleep a second before it ends
			e.Values[stageKey{}] = &stage{env: e, fakes: map[string]*fake{}, started: map[string]*process{}}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "postgres" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return pgtest.Installed() || os.Getenv("FINGERPOST_CI") != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fake": on((*stage).fake), "postgres": on((*stage).postgres), "heal": on((*stage).heal), "close": on((*stage).close), "asked": on((*stage).asked), "visited": on((*stage).visited),
			"exits": on((*stage).exits), "until": on((*stage).until),
			"start": on((*stage).start), "busy": on((*stage).busy), "gateway": on((*stage).gateway), "says": on((*stage).says), "curls": on((*stage).curls), "end": on((*stage).end),
			"ready": on((*stage).ready), "get": on((*stage).get), "corrected": on((*stage).corrected), "table": on((*stage).table),
		},
	})
}

// table writes a table as its manual says: a reader never sees half of it.
func (s *stage) table(ts *testscript.TestScript, args []string) error {
	file := ts.MkAbs(args[0])
	if err := os.WriteFile(file+".new", []byte(strings.Join(args[1:], "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// patience is how long a script waits for what must happen.
const patience = time.Minute

// stage is what a script has started.
type stage struct {
	env     *testscript.Env
	fakes   map[string]*fake
	started map[string]*process
}

type stageKey struct{}

// on makes a command of a method.
func on(command func(*stage, *testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		if err := command(ts.Value(stageKey{}).(*stage), ts, args); err != nil {
			ts.Fatalf("%v", err)
		}
	}
}

// fake is a repository that a script has started.
type fake struct {
	*httptest.Server
	*oaitest.Repository // nil if it is none
	pages               *oaitest.Pages
	held                chan struct{}
	release             sync.Once
}

func (f *fake) heal() {
	if f.Repository != nil {
		f.Heal()
	}
	f.release.Do(func() { close(f.held) })
}

// fakeFlags are what a fake repository can be told.
type fakeFlags struct {
	records, size, page, times, status int
	fault, verb, body, recorded, only  string
	argument, prefix, also, retry      string
	robots                             string
	nosize, pages                      bool
}

func (s *stage) fake(ts *testscript.TestScript, args []string) error {
	var o fakeFlags
	f := flag.NewFlagSet("fake", flag.ContinueOnError)
	f.IntVar(&o.records, "n", 30, "records, made up, each in oai_dc and in DataCite")
	f.IntVar(&o.size, "size", 10, "records of a page")
	f.StringVar(&o.fault, "fault", "", "a Kind of oaitest")
	f.StringVar(&o.verb, "verb", "", "that the fault strikes")
	f.IntVar(&o.page, "page", 0, "that the fault strikes")
	f.StringVar(&o.argument, "argument", "", "of the requests that the fault strikes")
	f.StringVar(&o.prefix, "prefix", "", "of the format that the fault strikes")
	f.IntVar(&o.times, "times", -1, "that it strikes; -1 is always")
	f.BoolVar(&o.nosize, "nosize", false, "lists do not say how long they are")
	f.StringVar(&o.retry, "retry", "", "the Retry-After of the faults 503 and 429")
	f.StringVar(&o.recorded, "recorded", "", "a file of records to serve instead")
	f.StringVar(&o.only, "only", "", "the one format that the records have")
	f.StringVar(&o.also, "also", "", "formats that the records have beside oai_dc: mods,rdf/3 where each third has the second")
	f.BoolVar(&o.pages, "pages", false, "records name no more than their landing pages, which have the rest")
	f.StringVar(&o.robots, "robots", "", "the robots.txt beside landing pages")
	f.StringVar(&o.body, "body", "", "a file that answers everything")
	f.IntVar(&o.status, "status", http.StatusOK, "of that answer")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	made, err := o.repository(ts)
	if err != nil {
		return err
	}
	s.fakes[args[0]] = made
	ts.Setenv(args[0], made.URL+"/oai")
	ts.Setenv(args[0]+"_SITE", made.URL)
	ts.Defer(func() { made.heal(); made.Close() })
	return nil
}

func (o fakeFlags) repository(ts *testscript.TestScript) (*fake, error) {
	made := &fake{held: make(chan struct{})}
	if o.body != "" {
		made.Server = httptest.NewServer(answers(o.status, ts.ReadFile(o.body)))
		return made, nil
	}
	options := oaitest.Options{PageSize: o.size, NoListSize: o.nosize}
	if o.pages {
		made.Server = httptest.NewUnstartedServer(nil)
		options.Bare, options.Site = true, "http://"+made.Listener.Addr().String()
		made.Repository, made.pages = oaitest.Generated(o.records, options), oaitest.NewPages(o.records, options)
		made.pages.Robots = o.robots
		made.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/oai" {
				made.Repository.ServeHTTP(w, r)
			} else {
				made.pages.ServeHTTP(w, r)
			}
		})
		made.Start()
		return made, nil
	}
	made.Repository = oaitest.Generated(o.records, options)
	if o.recorded != "" {
		var err error
		if made.Repository, err = oaitest.Verbatim([]byte(ts.ReadFile(o.recorded)), options); err != nil {
			return nil, err
		}
	}
	if o.only != "" {
		made.Repository = oaitest.New(options, oaitest.Record{
			Header:  oaipmh.Header{Identifier: "oai:repository.example.org:1", Datestamp: "2030-01-02T03:04:05Z"},
			Formats: map[string]string{o.only: `<any xmlns="https://example.org/any"/>`},
		})
	}
	if o.also != "" {
		made.Repository = oaitest.New(options, o.written()...)
	}
	if o.fault != "" {
		made.Inject(oaitest.Fault{
			Kind: oaitest.Kind(o.fault), Verb: o.verb, Page: o.page, Argument: o.argument, Prefix: o.prefix, Times: o.times, RetryAfter: o.retry, Wait: made.held,
		})
	}
	made.Server = httptest.NewServer(made.Repository)
	return made, nil
}

// written are records in oai_dc and other formats.
func (o fakeFlags) written() []oaitest.Record {
	out := make([]oaitest.Record, o.records)
	for i := range out {
		formats := map[string]string{"oai_dc": fmt.Sprintf(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
			`<dc:identifier>https://repository.example.org/%d/</dc:identifier></oai_dc:dc>`, i+1)}
		for _, other := range strings.Split(o.also, ",") {
			prefix, every, _ := strings.Cut(other, "/")
			if n, err := strconv.Atoi(every); err != nil || (i+1)%n == 0 {
				formats[prefix] = fmt.Sprintf(`<%[1]s xmlns="https://example.org/%[1]s/"><title>T</title></%[1]s>`, prefix)
			}
		}
		out[i] = oaitest.Record{
			Header:  oaipmh.Header{Identifier: fmt.Sprintf("oai:repository.example.org:%d", i+1), Datestamp: "2030-01-02T03:04:05Z"},
			Formats: formats,
		}
	}
	return out
}

// answers gives everybody the same body.
func answers(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func (s *stage) fakeOf(args []string) (*fake, error) {
	if f := s.fakes[args[0]]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("no fake %s was started", args[0])
}

// visited prints how many requests for landing pages there were, for how many
// different ones, and how many at the same time.
func (s *stage) visited(ts *testscript.TestScript, args []string) error {
	f, err := s.fakeOf(args)
	if err != nil || f.pages == nil {
		return err
	}
	n, different := 0, map[string]bool{}
	for _, r := range f.pages.Requests() {
		if strings.HasSuffix(r.Path, "/") {
			n++
			different[r.Path] = true
		}
	}
	_, err = fmt.Fprintf(ts.Stdout(), "requests %d, landing pages %d, at once %d\n", n, len(different), f.pages.AtOnce())
	return err
}

func (s *stage) heal(_ *testscript.TestScript, args []string) error {
	f, err := s.fakeOf(args)
	if err == nil {
		f.heal()
	}
	return err
}

func (s *stage) close(_ *testscript.TestScript, args []string) error {
	f, err := s.fakeOf(args)
	if err == nil {
		f.heal()
		f.Close()
	}
	return err
}

func (s *stage) postgres(ts *testscript.TestScript, args []string) error {
	db, err := pgtest.Start()
	if err != nil {
		return err
	}
	s.env.Defer(db.Close)
	ts.Setenv(args[0], db.Address("postgres"))
	return nil
}

func (s *stage) asked(ts *testscript.TestScript, args []string) error {
	f, err := s.fakeOf(args)
	if err != nil {
		return err
	}
	w := ts.Stdout() // even if nothing is printed: what was printed before is forgotten
	for _, r := range f.Requests() {
		fmt.Fprintln(w, r)
	}
	f.Forget()
	return nil
}

// notForPeople is what no user must ever be shown.
var notForPeople = regexp.MustCompile(`goroutine \d|panic:|runtime error|%!|<nil>|0x[0-9a-f]{6}`)

// exits runs a program to its end. Besides the exit code it checks that what
// is said is said once, and for people.
func (s *stage) exits(ts *testscript.TestScript, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	err = ts.Exec(args[1], args[2:]...)
	if got := codeOf(err); got != want {
		return fmt.Errorf("exit code %d, want %d", got, want)
	}
	return saidWell(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
}

func saidWell(text string) error {
	if m := notForPeople.FindString(text); m != "" {
		return fmt.Errorf("%q is shown to users", m)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "fingerpost: ") && seen[line] {
			return fmt.Errorf("said twice: %s", line)
		}
		seen[line] = true
	}
	return nil
}

func codeOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -2
}

// until runs a program until it prints what it must.
func (s *stage) until(ts *testscript.TestScript, args []string) error {
	want, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	return eventually(func() error {
		if args[1] == "get" {
			var got strings.Builder
			if err := answerTo(&got, args[2:]); err != nil || !want.MatchString(got.String()) {
				return fmt.Errorf("%q is not in the answer %v, but:\n%s", args[0], err, got.String())
			}
			return nil
		}
		_ = ts.Exec(args[1], args[2:]...)
		if got := ts.ReadFile("stdout"); !want.MatchString(got) {
			return fmt.Errorf("%q is not printed, but:\n%s%s", args[0], got, ts.ReadFile("stderr"))
		}
		return nil
	})
}

// eventually tries until there is no error. What it waits for happens in
// another process, which tells nobody: asking again, which takes its time, is
// all there is.
func eventually(try func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// process is a program in the background.
type process struct {
	*exec.Cmd
	stdout, stderr locked
	wrote          chan struct{} // has an element after something was written
}

// says waits until what the process has printed is right.
func (p *process) says(right func() error) error {
	tooLate := time.After(patience)
	for {
		err := right()
		if err == nil {
			return nil
		}
		select {
		case <-p.wrote:
		case <-tooLate:
			return err
		}
	}
}

// locked is text that is read while it is written.
type locked struct {
	mu    sync.Mutex
	b     bytes.Buffer
	wrote chan<- struct{}
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.wrote <- struct{}{}:
	default:
	}
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (s *stage) start(ts *testscript.TestScript, args []string) error {
	name, args := args[0], args[1:]
	p := &process{Cmd: exec.Command(args[0], args[1:]...), wrote: make(chan struct{}, 1)}
	p.stdout.wrote, p.stderr.wrote = p.wrote, p.wrote
	p.Dir, p.Stdout, p.Stderr = ts.MkAbs("."), &p.stdout, &p.stderr
	p.Env = append(os.Environ(), s.env.Vars...)
	for _, variable := range []string{"FINGERPOST_OAI_URL", "FINGERPOST_REPOSITORIES_0_OAI_URL", "FINGERPOST_PUBLIC_URL", "FINGERPOST_DATABASE", "FINGERPOST_REPOSITORIES_0_MOVED_FROM", "FINGERPOST_REPOSITORIES_0_FORMATS", "FINGERPOST_REPOSITORIES_0_EDGE_LISTEN", "FINGERPOST_REPOSITORIES_0_EDGE_ORIGIN", "FINGERPOST_REPOSITORIES_0_EDGE_MAPS", "FINGERPOST_REPOSITORIES_0_EDGE_OMIT", "FINGERPOST_REPOSITORIES_0_PROBE", "FINGERPOST_REPOSITORIES_0_POLITENESS_MIN_INTERVAL"} {
		if value := ts.Getenv(variable); value != "" {
			p.Env = append(p.Env, variable+"="+value)
		}
	}
	if err := p.Start(); err != nil {
		return err
	}
	s.started[name] = p
	ts.Defer(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	return nil
}

func (s *stage) gateway(ts *testscript.TestScript, args []string) error {
	line := append([]string{args[0], cmp.Or(ts.Getenv("CORRECTED"), "fingerpost")}, args[1:]...)
	if err := s.start(ts, append(line, "--listen", "127.0.0.1:0", "--log-format", "json")); err != nil {
		return err
	}
	p := s.started[args[0]]
	return p.says(func() error {
		for text := range strings.Lines(p.stderr.String()) {
			var line struct{ Msg, Address string }
			if json.Unmarshal([]byte(text), &line) != nil {
				continue
			}
			switch line.Msg {
			case "serve: standing in front of a repository":
				ts.Setenv(args[0]+"_EDGE", "http://"+line.Address)
			case "serve: listening":
				ts.Setenv(args[0], "http://"+line.Address)
				return nil
			}
		}
		return fmt.Errorf("it does not listen:\n%s", p.stderr.String())
	})
}

func (s *stage) says(_ *testscript.TestScript, args []string) error {
	p := s.started[args[0]]
	want, err := regexp.Compile("(?m)" + args[1])
	if p == nil || err != nil {
		return fmt.Errorf("usage: says NAME REGEXP")
	}
	return p.says(func() error {
		if got := p.stdout.String() + p.stderr.String(); !want.MatchString(got) {
			return fmt.Errorf("%q is not printed, but:\n%s", args[1], got)
		}
		return nil
	})
}

var curlLine = regexp.MustCompile(`(?m)^ *curl (?:-\w )?'?(http[^'\s]+)'?$`)

func (s *stage) curls(ts *testscript.TestScript, args []string) error {
	lines := curlLine.FindAllStringSubmatch(s.started[args[0]].stdout.String(), -1)
	if len(lines) == 0 {
		return fmt.Errorf("no line with curl was printed")
	}
	for _, line := range lines {
		answer, err := http.DefaultTransport.RoundTrip(httptest.NewRequest(http.MethodGet, line[1], nil))
		if err != nil {
			return err
		}
		answer.Body.Close()
		ts.Logf("%s %s", answer.Status, line[1])
		if answer.StatusCode >= http.StatusBadRequest {
			return fmt.Errorf("%s answers %s", line[1], answer.Status)
		}
	}
	return nil
}

func (s *stage) busy(ts *testscript.TestScript, args []string) error {
	ts.Setenv(args[0], strings.TrimPrefix(args[1], "http://"))
	return nil
}

var signals = map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": os.Kill, "none": nil}

func (s *stage) end(ts *testscript.TestScript, args []string) error {
	p := s.started[args[0]]
	signal, known := signals[args[1]]
	want, err := strconv.Atoi(args[2])
	if p == nil || !known || err != nil {
		return fmt.Errorf("usage: end NAME INT|TERM|KILL|none CODE")
	}
	if signal != nil {
		if err := p.Process.Signal(signal); err != nil {
			return err
		}
	}
	stuck := time.AfterFunc(patience, func() { _ = p.Process.Kill() })
	defer stuck.Stop()
	got := codeOf(p.Wait())
	fmt.Fprint(ts.Stdout(), p.stdout.String())
	fmt.Fprint(ts.Stderr(), p.stderr.String())
	if got != want {
		return fmt.Errorf("exit code %d, want %d", got, want)
	}
	return saidWell(p.stdout.String() + p.stderr.String())
}

func (s *stage) ready(_ *testscript.TestScript, args []string) error {
	return eventually(func() error {
		answer, err := http.Get(args[0] + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz answers %s", answer.Status)
		}
		return nil
	})
}

func (s *stage) get(ts *testscript.TestScript, args []string) error {
	return answerTo(ts.Stdout(), args)
}

// answerTo writes what answers a request.
func answerTo(w io.Writer, args []string) error {
	request, err := http.NewRequest(http.MethodGet, args[0], nil)
	if err != nil {
		return err
	}
	for _, header := range args[1:] {
		name, value, _ := strings.Cut(header, "=")
		request.Header.Set(name, value)
	}
	request.Host = request.Header.Get("Host") // "" is the URL's
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	fmt.Fprintf(w, "%d\n", answer.StatusCode)
	for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
		for _, value := range answer.Header[name] {
			fmt.Fprintf(w, "%s: %s\n", name, value)
		}
	}
	fmt.Fprintf(w, "\n%s", body)
	return err
}

// corrected builds the program as it will be after a correction. The sources stay
// as they are: the compiler is told to read another file in the place of one.
func (s *stage) corrected(ts *testscript.TestScript, args []string) error {
	file, err := filepath.Abs(filepath.Join("..", "..", args[0]))
	if err != nil {
		return err
	}
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	after := strings.Replace(string(before), args[1], args[2], 1)
	if after == string(before) {
		return fmt.Errorf("%s has no %q", file, args[1])
	}
	replacement, overlay, program := ts.MkAbs("corrected.src"), ts.MkAbs("overlay.json"), ts.MkAbs("corrected")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: replacement}})
	if err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(replacement, []byte(after), 0o666), os.WriteFile(overlay, replace, 0o666))
	if err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	ts.Setenv("CORRECTED", program)
	return nil
}
