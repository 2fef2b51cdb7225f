package harvest_test

import (
	"context"
	"errors"
	"testing"

	"fingerpost/bridge/harvest"
)

func TestWorkersAreBounded(t *testing.T) {
	w := harvest.NewWorkers(1)
	begun, finish := make(chan bool), make(chan bool)
	go func() { _ = w.Do(t.Context(), func() { close(begun); <-finish }) }()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Do(ctx, func() { t.Error("two at a time") }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was told to stop", err)
	}
	close(finish)
	done := false
	if err := w.Do(t.Context(), func() { done = true }); err != nil || !done {
		t.Errorf("the next is not begun: %v", err)
	}
}
