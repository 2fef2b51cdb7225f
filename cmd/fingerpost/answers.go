package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server"
)

const (
	// answersAnyway is how often it is seen to that the answers are prepared
	// where no run ended: a long one may be under way, here or in another
	// process.
	answersAnyway = 10 * time.Minute
	// answersRest is how many times as long as it took it is left alone then.
	answersRest = 20
	// answersElsewhere is how soon it is where another gateway with this data
	// folder has begun to.
	answersElsewhere = 10 * time.Second
	// answersLock is no repository's id.
	answersLock = "_answers"
)

// prepareAnswers keeps the file of finished answers beside the store, at the
// start and whenever a run has ended, until ctx ends. Nothing waits for it,
// and what goes wrong is told: without the file the store is asked.
func (s *session) prepareAnswers(ctx context.Context, site *server.Server, ended <-chan struct{}, log *slog.Logger) {
	program, err := programDigest()
	if err != nil {
		log.Warn("serve: this program's own file cannot be read: answers are not prepared, and the first question about a URL takes longer", "error", err)
		return
	}
	for {
		began := time.Now()
		err := s.prepareAlone(ctx, site, program)
		again := max(answersAnyway, answersRest*time.Since(began))
		switch {
		case is[*store.LockedError](err):
			again = answersElsewhere
		case err != nil && ctx.Err() == nil:
			log.Warn("serve: the answers could not be prepared: all is served, but the first question about a URL takes longer. Make room in the data folder, or let this user write there", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
		case <-time.After(again):
		}
	}
}

// prepareAlone prepares the answers, unless another process does, which would
// take away what this one has not finished: *store.LockedError.
func (s *session) prepareAlone(ctx context.Context, site *server.Server, program string) error {
	unlock, err := s.db.Lock(ctx, answersLock)
	if err != nil {
		return err
	}
	defer unlock()
	return site.Prepare(ctx, filepath.Join(s.Data, "answers"), program)
}

// programDigest names this program by its bytes: what another makes of an
// object may differ, whatever version it says it is.
func programDigest() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
