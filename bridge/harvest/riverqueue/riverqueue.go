// Package riverqueue shares the work of a harvest.Scheduler among processes, by jobs
// of River in the PostgreSQL database.
//
// A job is a host, of which there is one at a time. A job that plans comes once a
// minute, and puts the hosts into the queue that are due. What River does is no more
// than that: who may ask a host is decided by its lock, and whose pages are saved by
// the lock of the repository.
package riverqueue

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"fingerpost/bridge/harvest"
)

const (
	// schema is where River's tables are.
	schema = "fingerpost_river"
	// schemaLock is the advisory lock under which all tables are made, those of the
	// store as well.
	schemaLock = 0x66707374
	// rescueAfter is after what time a job may be another's, whose process may have
	// died. Whether it has, its host's lock says, which it keeps for two minutes.
	rescueAfter = 90 * time.Second
	// planEvery is how often hosts that are due are looked for.
	planEvery = time.Minute
	// plans is the queue of the jobs that plan, who wait for no host.
	plans = "plan"
	// connections are those of River itself: one listens.
	connections = 4
	// stopTime is how long jobs that were told to end may take to do so.
	stopTime = 30 * time.Second
	// forever is longer than any job takes.
	forever = 10_000 * time.Hour
)

// Queue is a queue in a database.
type Queue struct {
	pool     *pgxpool.Pool
	pollOnly bool
}

// Open connects to a database, and makes River's tables if there are none.
func Open(ctx context.Context, address, password string) (*Queue, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open the queue: the address of the database cannot be read") // the error quotes a password
	}
	if password != "" {
		config.ConnConfig.Password = password
	}
	config.ConnConfig.RuntimeParams["application_name"] = "fingerpost queue"
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	// Whoever sets another mode is behind PgBouncer, through which nothing that is
	// notified comes.
	q := &Queue{pool: pool, pollOnly: config.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement}
	if err := q.makeTables(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("make the tables of the queue: %w", err)
	}
	return q, nil
}

// Close ends the connections.
func (q *Queue) Close() { q.pool.Close() }

// makeTables makes the tables, one process at a time.
func (q *Queue) makeTables(ctx context.Context) error {
	return pgx.BeginFunc(ctx, q.pool, func(lock pgx.Tx) error {
		if _, err := lock.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, schemaLock); err != nil {
			return err
		}
		if _, err := q.pool.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+schema); err != nil {
			return err
		}
		migrator, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

// Run works until ctx ends, with so many hosts at a time. What was under way is
// given back at once.
func (q *Queue) Run(ctx context.Context, s *harvest.Scheduler, workers int) error {
	client, err := river.NewClient(riverpgxv5.New(q.pool), q.config(ctx, s, workers))
	if err != nil {
		return fmt.Errorf("prepare the queue: %w", err)
	}
	apart := context.WithoutCancel(ctx)
	if err := client.Start(apart); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	// What this process knows, the one that plans may have never heard of.
	if _, err := client.Insert(ctx, planArgs{}, nil); err != nil && ctx.Err() == nil {
		s.Log.Warn("harvest: what is due is found out within a minute", "error", err)
	}
	<-ctx.Done()
	late, cancel := context.WithTimeout(apart, stopTime)
	defer cancel()
	if err := client.Stop(late); err != nil {
		return fmt.Errorf("stop the queue: %w", err)
	}
	return nil
}

func (q *Queue) config(ctx context.Context, s *harvest.Scheduler, workers int) *river.Config {
	all := river.NewWorkers()
	river.AddWorker(all, &hostWorker{scheduler: s, ctx: ctx})
	river.AddWorker(all, &planWorker{scheduler: s})
	plan := func() (river.JobArgs, *river.InsertOpts) { return planArgs{}, nil }
	return &river.Config{
		Schema:  schema,
		Logger:  s.Log,
		Workers: all,
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}, plans: {MaxWorkers: 1}},
		PeriodicJobs: []*river.PeriodicJob{
			river.NewPeriodicJob(river.PeriodicInterval(planEvery), plan, &river.PeriodicJobOpts{RunOnStart: true}),
		},
		PollOnly: q.pollOnly,
		// River rescues only jobs whose time is over. That nothing is cut off when it
		// is, hostWorker sees to.
		JobTimeout:                  rescueAfter,
		RescueStuckJobsAfter:        rescueAfter,
		JobStuckThreshold:           forever,
		CompletedJobRetentionPeriod: time.Hour, // there may be one for each source, each night
		ReindexerSchedule:           river.NeverSchedule(),
	}
}

// waiting are the states of a job that is not done: a host has one such job.
var waiting = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
}

// hostArgs is the job to work a host.
type hostArgs struct {
	Host string `json:"host"`
}

func (hostArgs) Kind() string { return "host" }

func (hostArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 30_000, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: waiting}}
}

type hostWorker struct {
	river.WorkerDefaults[hostArgs]
	scheduler *harvest.Scheduler
	ctx       context.Context // of the process: River's own ends with rescueAfter, and a page may take longer
}

// NextRetry is soon: the host's lock decides.
func (w *hostWorker) NextRetry(*river.Job[hostArgs]) time.Time { return time.Now().Add(time.Second) }

func (w *hostWorker) Work(_ context.Context, job *river.Job[hostArgs]) error {
	next, err := w.scheduler.Work(w.ctx, job.Args.Host)
	switch {
	case w.ctx.Err() != nil: // this process ends: another goes on
		return river.JobSnooze(0)
	case err != nil:
		w.scheduler.Log.Error("harvest: the store failed; the host is worked again later", "host", job.Args.Host, "error", err)
		return river.JobSnooze(planEvery)
	case next.IsZero():
		return nil
	}
	return river.JobSnooze(max(time.Until(next), 0))
}

// planArgs is the job to find out which hosts are due.
type planArgs struct{}

func (planArgs) Kind() string { return "plan" }

func (planArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: plans, MaxAttempts: 1} // the next comes in a minute
}

type planWorker struct {
	river.WorkerDefaults[planArgs]
	scheduler *harvest.Scheduler
}

// atOnce is how many jobs are put into the queue at once.
const atOnce = 1000

func (w *planWorker) Work(ctx context.Context, _ *river.Job[planArgs]) error {
	err := w.plan(ctx)
	if err != nil && ctx.Err() == nil {
		w.scheduler.Log.Error("harvest: which sources are due was not found out; it is tried again in a minute", "error", err)
	}
	return err
}

// plan leaves out the hosts that are in the queue already: River sees to that.
func (w *planWorker) plan(ctx context.Context) error {
	hosts, err := w.scheduler.Plan(ctx)
	if err != nil {
		return err
	}
	client := river.ClientFromContext[pgx.Tx](ctx)
	for len(hosts) > 0 {
		some := hosts[:min(len(hosts), atOnce)]
		hosts = hosts[len(some):]
		jobs := make([]river.InsertManyParams, len(some))
		for i, h := range some {
			jobs[i] = river.InsertManyParams{Args: hostArgs{h.Host}, InsertOpts: &river.InsertOpts{ScheduledAt: h.Due}}
		}
		if _, err := client.InsertMany(ctx, jobs); err != nil {
			return fmt.Errorf("put hosts into the queue: %w", err)
		}
	}
	return nil
}
