package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// Two gateways may serve one data folder. While the one prepares the answers
// the other leaves them alone, and makes nothing of it.
func TestTwoGatewaysPrepareAnswersInTurn(t *testing.T) {
	a := &app{err: io.Discard, data: t.TempDir(), env: []string{"FINGERPOST_OAI_URL=https://repo.example.org/oai"}}
	s, err := a.begin(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.db.Close()
	site, err := s.public(nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	said := new(bytes.Buffer)
	ctx, stop := context.WithCancel(t.Context())
	ended, stopped := make(chan struct{}), make(chan struct{})
	unlock, err := s.db.Lock(ctx, answersLock) // as another gateway would
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(stopped)
		s.prepareAnswers(ctx, site, ended, slog.New(slog.NewTextHandler(said, nil)))
	}()
	made := func() bool {
		ended <- struct{}{}
		ended <- struct{}{} // is taken after the first was dealt with
		_, err := os.Stat(filepath.Join(a.data, "answers"))
		return err == nil
	}
	if made() {
		t.Error("the answers are made by two at a time")
	}
	unlock()
	if !made() {
		t.Error("the answers are not made when the other has ended")
	}
	stop()
	<-stopped
	if said.Len() > 0 {
		t.Errorf("said: %s", said)
	}
}
