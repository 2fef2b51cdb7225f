package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"fingerpost/config"
)

// sourcesCheck is how often the file of the table of sources is looked at.
const sourcesCheck = time.Second

// watchSources reads the table of sources again when its file has changed, and then
// calls changed. A file that was as it is at the last tick is written to its end. One
// that cannot be read as a table is reported once, and the sources stay.
func watchSources(ctx context.Context, c config.Config, tick <-chan time.Time, log *slog.Logger, changed func()) {
	if c.Table == nil {
		return
	}
	seen := c.Table.Read()
	for last := seen; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		now, _ := os.Stat(c.Sources) // nil if it is gone
		settled := sameFile(now, last)
		if last = now; !settled || sameFile(now, seen) {
			continue
		}
		seen = now
		if err := c.Table.Reread(); err != nil {
			log.Error("config: the sources stay as they were, since sources " + err.Error())
			continue
		}
		warnOfRows(c, log)
		log.Info("config: the table of sources was read again", "file", c.Sources, "repositories", c.Len())
		changed()
	}
}

// sameFile reports whether a file is as it was.
func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
