package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"os"
	"testing"
)

// What libraries say without being asked is part of the log, in its form.
func TestLibrariesWriteToTheLog(t *testing.T) {
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		log.SetFlags(log.LstdFlags)
	})
	var said bytes.Buffer
	a := &app{output: output{out: io.Discard, err: &said}}
	if code := a.run(t.Context(), []string{"version"}); code != exitOK {
		t.Fatalf("want %d, got %d: %s", exitOK, code, &said)
	}
	log.Printf("Unsolicited response %q", "x\n")
	var line struct{ Level, Msg string }
	if err := json.Unmarshal(said.Bytes(), &line); err != nil || line.Level != "WARN" || line.Msg != `Unsolicited response "x\n"` {
		t.Errorf("want one warning, got %v, %s", err, &said)
	}
}
