package edge

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lockPause is the time between two attempts to lock a folder.
const lockPause = 50 * time.Millisecond

// lockFolder waits until no other export to dir runs, in this process or another.
// The kernel unlocks the folder when the process ends.
func lockFolder(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}

// scratchName begins the name of the folder in which the files are made. A
// folder of this name that exists was left by a process that was killed.
const scratchName = ".export-"

func removeScratch(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), scratchName) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// publish puts a file in its place. After a power cut it is complete there, or the
// one before is.
func publish(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil { // the web server's user is another one
		return err
	}
	return os.Rename(from, to)
}

// textFile is a file that is written in lines. close returns the errors of all.
type textFile struct {
	*bufio.Writer
	file *os.File
}

func create(name string) (textFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return textFile{}, err
	}
	return textFile{bufio.NewWriterSize(f, 64<<10), f}, nil
}

func (t textFile) close() error {
	return errors.Join(t.Flush(), t.file.Close())
}
