// Command fingerpost stands in front of OAI-PMH repositories and publishes the
// typed links of their objects: FAIR Signposting.
//
// Each command has a file. Shared code is here, in settings.go, session.go and
// exit.go; wire.go turns the configuration into the types of the packages.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// collection is by how many percent the heap grows before garbage collection.
// With less than Go's 100 a harvest of two formats stays within 48 MiB, for 3 %
// more time. Most of the heap of a gateway of many repositories is what it keeps
// of each, which hardly changes: there a smaller percentage leaves enough room.
const (
	collection       = 70
	collectionOfMany = 30
	manyRepositories = 500
)

func main() {
	setCollection(collection)
	if limit := memoryLimit(os.DirFS("/")); limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{output: output{out: os.Stdout, err: os.Stderr}, given: given{env: os.Environ()}}
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// setCollection sets when garbage is collected, unless the environment does.
func setCollection(percent int) {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(percent)
	}
}

// app is one call of the program.
type app struct {
	output
	given
	logLevel  string // --log-level
	logFormat string // --log-format

	begun bool         // a command has begun: errors are no longer about its usage
	log   *slog.Logger // since then
}

// output is where a command prints, and how.
type output struct {
	out  io.Writer
	err  io.Writer
	json bool // --json
}

// print writes v as one line of JSON.
func (o output) print(v any) error {
	e := json.NewEncoder(o.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// run runs the command in args and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !a.begun {
		err = &usageError{fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())}
	}
	if err != nil && !quiet(err) {
		fmt.Fprintf(a.err, "fingerpost: %v\n", err)
	}
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "fingerpost",
		Short:         "FAIR Signposting for any OAI-PMH repository, without a change to it",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			a.begun = true
			if a.log, err = a.logger(); err == nil {
				// net/http reports odd peers through this package.
				log.SetFlags(0)
				log.SetOutput(slog.NewLogLogger(a.log.Handler(), slog.LevelWarn).Writer())
			}
			return err
		},
	}
	flags := root.PersistentFlags()
	flags.StringVarP(&a.file, "config", "c", "", "configuration `file`; without one, a single repository is given on the command line or in FINGERPOST_OAI_URL")
	flags.StringVar(&a.data, "data", "", "`folder` for all data (default data)")
	flags.BoolVar(&a.json, "json", false, "print JSON")
	flags.StringVar(&a.logLevel, "log-level", "info", "debug, info, warn or error")
	flags.StringVar(&a.logFormat, "log-format", "", "text or json (default text on a terminal, else json)")
	root.AddCommand(
		serveCommand(a), workCommand(a), harvestCommand(a), demoCommand(a), statusCommand(a), explainCommand(a), configCommand(a),
		checkCommand(a), recordsCommand(a), remapCommand(a), probeCommand(a), verifyCommand(a), coverageCommand(a), snippetCommand(a), exportCommand(a), backupCommand(a), moveCommand(a), healthcheckCommand(a), versionCommand(a),
	)
	return root
}

// logger writes text for people and JSON for machines.
func (a *app) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return nil, &usageError{fmt.Errorf("--log-level %s: use debug, info, warn or error", a.logLevel)}
	}
	options := &slog.HandlerOptions{Level: level}
	switch {
	case a.logFormat == "json", a.logFormat == "" && !terminal(a.err):
		return slog.New(slog.NewJSONHandler(a.err, options)), nil
	case a.logFormat == "text", a.logFormat == "":
		return slog.New(slog.NewTextHandler(a.err, options)), nil
	}
	return nil, &usageError{fmt.Errorf("--log-format %s: use text or json", a.logFormat)}
}

// terminal reports whether w is a terminal.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
