package harvest_test

import (
	"testing"

	"fingerpost/bridge/harvest"
)

func TestWorkersAreBounded(t *testing.T) {
	w := harvest.NewWorkers(2)
	begun, finish := make(chan int, 5), make(chan bool)
	for i := range 5 {
		w.Go(func() { begun <- i; <-finish })
	}
	for range 2 {
		<-begun
	}
	for range 3 {
		if len(begun) > 0 {
			t.Error("three at a time")
		}
		finish <- true // one ends: the next begins
		<-begun
	}
	close(finish)
}
