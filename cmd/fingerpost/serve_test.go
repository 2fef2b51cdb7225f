package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"golang.org/x/sync/errgroup"

	"fingerpost/bridge/linkset"
	"fingerpost/server/edge"
)

// A stop cuts off no download: serveOn returns when the last one has ended.
func TestDownloadsUnderWayEndAfterAStop(t *testing.T) {
	const half, downloads = "0123456789", 108
	release := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, half)
		http.NewResponseController(w).Flush()
		<-release
		io.WriteString(w, half)
	}))
	defer origin.Close()
	address, err := url.Parse(origin.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := edge.New(edge.Config{Origin: address, Public: address}, func(context.Context, string) (linkset.LinkSet, bool) { return nil, false })
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- serveOn(ctx, listener, proxy, 0) }()

	var group errgroup.Group
	begun := make(chan struct{}, downloads)
	for range downloads {
		group.Go(func() error {
			res, err := http.Get("http://" + listener.Addr().String() + "/file")
			if err != nil {
				begun <- struct{}{}
				return err
			}
			defer res.Body.Close()
			first := make([]byte, len(half))
			_, err = io.ReadFull(res.Body, first)
			begun <- struct{}{}
			if err != nil {
				return err
			}
			rest, err := io.ReadAll(res.Body)
			if got := string(first) + string(rest); err != nil || got != half+half {
				return fmt.Errorf("want the whole file, got %q (%v)", got, err)
			}
			return nil
		})
	}
	for range downloads {
		<-begun
	}
	stop()
	for refused := false; !refused; { // from then on it is stopping
		conn, err := net.Dial("tcp", listener.Addr().String())
		if refused = err != nil; !refused {
			conn.Close()
		}
	}
	select {
	case err := <-served:
		close(release)
		t.Fatalf("serveOn returned before its answers had ended: %v", err)
	default:
	}
	close(release)
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
