package postgres

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"fingerpost/bridge/store"
)

const (
	// leaseTime is how long a lock outlives its process.
	leaseTime = 2 * time.Minute
	renewal   = leaseTime / 4
)

// leases are the locks of this process. A lock is a row with a time at which it
// ends, which is moved while the process lives: a session lock of PostgreSQL
// would end with its connection while the run goes on.
type leases struct {
	engine *Engine
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu     sync.Mutex
	epochs map[int32]int64 // of the locks, by repository
}

func newLeases(e *Engine) *leases {
	ctx, stop := context.WithCancel(context.Background())
	l := &leases{engine: e, stop: stop, epochs: map[int32]int64{}}
	l.done.Go(func() { l.renew(ctx) })
	return l
}

func (l *leases) close() {
	l.stop()
	l.done.Wait()
}

// epoch returns that of the lock on a repository; 0 if this process has none.
func (l *leases) epoch(repository int32) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.epochs[repository]
}

func (l *leases) set(repository int32, epoch int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epochs[repository] = epoch
}

// drop forgets a lock, and reports whether this process had it.
func (l *leases) drop(repository int32, epoch int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := l.epochs[repository] == epoch
	if had {
		delete(l.epochs, repository)
	}
	return had
}

// all returns the locks as two lists.
func (l *leases) all() (repositories []int32, epochs []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r, e := range l.epochs {
		repositories, epochs = append(repositories, r), append(epochs, e)
	}
	return repositories, epochs
}

// renew moves the ends of the locks. A lock that another process has taken
// since is not moved: its epoch is another.
func (l *leases) renew(ctx context.Context) {
	for pause(ctx, renewal) {
		repositories, epochs := l.all()
		if len(repositories) == 0 {
			continue
		}
		// If it fails, the next time may be soon enough, and Update notices.
		_, _ = l.engine.pool.Exec(ctx, `UPDATE fingerpost.repositories r SET lease = clock_timestamp() + $3
			FROM unnest($1::int[], $2::bigint[]) l(id, epoch) WHERE r.id = l.id AND r.epoch = l.epoch AND r.lease IS NOT NULL`,
			repositories, epochs, leaseTime)
	}
}

// Lock takes the lease of a repository unless it has not ended. A process that
// was killed keeps it for two minutes.
func (e *Engine) Lock(ctx context.Context, repository string) (unlock func(), err error) {
	var number int32
	var epoch int64
	err = e.again(ctx, readPatience, func(c *conn) (err error) {
		if number, err = e.ensure(c, repository); err != nil {
			return c.broke(err)
		}
		epoch, err = lock(c, number, repository)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.leases.set(number, epoch)
	return func() { e.unlock(ctx, number, epoch) }, nil
}

// lock returns the epoch of a new lock, or a *store.LockedError that names the
// owner of the one there is.
func lock(c *conn, number int32, repository string) (epoch int64, err error) {
	var owner string
	err = c.pgx.QueryRow(c.ctx, `WITH taken AS (UPDATE fingerpost.repositories SET epoch = epoch + 1, lease = clock_timestamp() + $2, owner = $3
			WHERE id = $1 AND (lease IS NULL OR lease < clock_timestamp()) RETURNING epoch)
		SELECT coalesce((SELECT epoch FROM taken), 0), owner FROM fingerpost.repositories WHERE id = $1`,
		number, leaseTime, self()).Scan(&epoch, &owner)
	if err != nil {
		return 0, c.broke(fmt.Errorf("lock repository %s: %w", repository, err))
	}
	if epoch == 0 {
		return 0, &store.LockedError{Repository: repository, Owner: owner}
	}
	return epoch, nil
}

func (e *Engine) unlock(ctx context.Context, number int32, epoch int64) {
	if !e.leases.drop(number, epoch) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	// If it fails, the lease ends by itself.
	_, _ = e.pool.Exec(ctx, `UPDATE fingerpost.repositories SET lease = NULL WHERE id = $1 AND epoch = $2`, number, epoch)
}

// self names this process and the time.
func self() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, time.Now().UTC().Format(time.RFC3339))
}
