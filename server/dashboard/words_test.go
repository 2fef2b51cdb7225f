package dashboard

import (
	"testing"
	"time"

	"fingerpost/bridge/store"
)

func TestRunWords(t *testing.T) {
	tests := []struct {
		run  store.Run
		want string
		tone string
	}{
		{store.Run{State: store.Complete, Records: 5}, "complete", "good"},
		{store.Run{State: store.Complete}, "complete, nothing new", "good"},
		{store.Run{State: store.Complete, Records: 5, Quarantined: 2}, "complete, 2 quarantined", "warn"},
		{store.Run{State: store.Complete, Records: 231, Quarantined: 231}, "complete, but all 231 quarantined", "warn"},
		{store.Run{State: store.Incomplete, Records: 5}, "incomplete", "warn"},
		{store.Run{State: store.Failed}, "failed", "bad"},
		{store.Run{State: store.Interrupted}, "interrupted", "warn"},
		{store.Run{State: store.Running}, "running", "busy"},
	}
	for _, tt := range tests {
		if got, tone := runWords(tt.run), runTone(tt.run); got != tt.want || tone != tt.tone {
			t.Errorf("%+v: got %q %s, want %q %s", tt.run, got, tone, tt.want, tt.tone)
		}
	}
}

func TestSpan(t *testing.T) {
	tests := map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 59 * time.Second: "59 s", time.Minute: "1 min 0 s", 61 * time.Minute: "1 h 1 min",
		25*time.Hour + 59*time.Minute: "1 d 1 h", 400 * 24 * time.Hour: "400 d 0 h",
	}
	for d, want := range tests {
		if got := span(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
