package answers

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// write makes a table of entries, in any order.
func write(t testing.TB, file string, entries []entry, about string) {
	t.Helper()
	w, err := Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	for i, e := range entries {
		if err := w.Add(e.name, e.value); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 999 { // as if memory were full
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Publish([]byte(about)); err != nil {
		t.Fatal(err)
	}
}

// Whatever is added is found, under its name and no other; what was added
// twice is found without a value.
func TestTableIsAMap(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers")
	rapid.Check(t, func(r *rapid.T) {
		many := rapid.SampledFrom([]int{0, 1, 10, 3000}).Draw(r, "many")
		few := rapid.SampledFrom([]uint64{4, 1 << 12, 1 << 63}).Draw(r, "different names") // these are long buckets, or none
		names := rapid.Map(rapid.Uint64Max(few), func(n uint64) Name { return Name(n * 0x9e3779b97f4a7c15) })
		want, times := map[Name]string{}, map[Name]int{}
		var entries []entry
		for i := range rapid.IntRange(0, many).Draw(r, "entries") {
			n, value := names.Draw(r, "name"), fmt.Sprint("value ", i)
			entries = append(entries, entry{n, []byte(value)})
			want[n] = value
			if times[n]++; times[n] > 1 {
				want[n] = ""
			}
		}
		write(t, file, entries, "about")
		got, about := readAll(t, file, slices.Collect(maps.Keys(want)), names.Draw(r, "another"))
		if !maps.Equal(got, want) || about != "about" {
			r.Fatalf("got %v, %q\nwant %v", got, about, want)
		}
	})
}

// readAll asks a table for names, and for one that may be none of them.
func readAll(t testing.TB, file string, names []Name, another Name) (got map[Name]string, about string) {
	t.Helper()
	table, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	got = map[Name]string{}
	var memory []byte
	for _, n := range append(names, another) {
		value, found, err := table.Find(n, &memory)
		if err != nil {
			t.Fatal(err)
		}
		if found {
			got[n] = string(value)
		}
	}
	return got, string(table.About())
}

// Long runs, and names as they are.
func TestManyAnswers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers")
	var entries []entry
	value := bytes.Repeat([]byte("x"), 100)
	for i := range 100_000 {
		entries = append(entries, entry{NameOf(fmt.Sprint(i)), value})
	}
	write(t, file, entries, "")
	table, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var memory []byte
	for i := range 100_000 {
		if got, found, err := table.Find(NameOf(fmt.Sprint(i)), &memory); !found || len(got) != 100 || err != nil {
			t.Fatalf("%d: got %q, %v, %v", i, got, found, err)
		}
		if _, found, err := table.Find(NameOf(fmt.Sprint("no ", i)), &memory); found || err != nil {
			t.Fatalf("no %d: got %v, %v", i, found, err)
		}
	}
	if most := 4 * bucketSize; cap(memory) > most {
		t.Errorf("a bucket has %d bytes, want at most %d", cap(memory), most)
	}
}

// A file may be longer than 32 bits can say.
func TestLongFile(t *testing.T) {
	var lengths []byte
	want := []int64{0}
	for range 2000 {
		lengths = binary.BigEndian.AppendUint32(lengths, maxBucket-1)
		want = append(want, want[len(want)-1]+maxBucket-1)
	}
	table := &File{}
	if err := table.place(lengths, want[len(want)-1]); err != nil {
		t.Fatal(err)
	}
	for i, start := range want {
		if got := table.start(uint64(i)); got != start {
			t.Fatalf("bucket %d: got %d, want %d", i, got, start)
		}
	}
}

// A table stands in its place whole, or not at all; nothing is left beside it.
func TestPublishing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "answers")
	begun := func() *Writer {
		w, err := Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(1, []byte("new")); err != nil {
			t.Fatal(err)
		}
		return w
	}
	write(t, file, []entry{{1, []byte("old")}}, "")
	discarded, full, killed := begun(), begun(), begun()
	discarded.Discard()
	full.out.Close() // as if the disk were full
	if err := full.Publish(nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a file that cannot be written is published: got %v", err)
	}
	full.Discard()
	if got, _ := readAll(t, file, nil, 1); got[1] != "old" {
		t.Errorf("got %v, want the old table", got)
	}
	killed.out.Close()
	begun().Discard()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("got %v, %v, want one file", left, err)
	}
	w := begun()
	if err := w.Publish(nil); err != nil {
		t.Fatal(err)
	}
	w.Discard()
	if got, _ := readAll(t, file, nil, 1); got[1] != "new" {
		t.Errorf("got %v, want the new table", got)
	}
	if err := begun().Add(2, make([]byte, MaxValue+1)); err == nil {
		t.Error("a value without end is kept")
	}
	if _, err := Create(filepath.Join(folder, "no folder", "answers")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no such folder", err)
	}
}

// No file but a whole one is read: each cut and each flipped bit is seen, at
// once or where it is asked for.
func TestDamageIsSeen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers")
	write(t, file, []entry{{1, []byte("one")}, {1 << 62, nil}, {1 << 63, []byte("two")}}, "about")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if table, err := read(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			t.Errorf("cut after %d bytes it is read: %v", n, table)
		}
		for bit := range 8 {
			damaged := slices.Clone(whole)
			damaged[n] ^= 1 << bit
			if err := askAll(damaged, 1, 1<<62, 1<<63); !errors.Is(err, ErrDamaged) {
				t.Errorf("bit %d of byte %d is flipped: got %v, want %v", bit, n, err, ErrDamaged)
			}
		}
	}
	if err := askAll(whole, 1, 1<<62, 1<<63); err != nil || !bytes.Equal(whole, resealed(whole)) {
		t.Errorf("the whole file: got %v", err)
	}
	if _, err := Open(filepath.Dir(file)); err == nil {
		t.Error("a folder is opened")
	}
}

// A pipe is no table, and nobody waits for what it says.
func TestPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want %v", err, ErrDamaged)
	}
}

// askAll opens a file and asks it for names until one fails.
func askAll(file []byte, names ...Name) error {
	table, err := read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return err
	}
	var memory []byte
	for _, n := range names {
		if _, _, err := table.Find(n, &memory); err != nil {
			return err
		}
	}
	return nil
}

// Hostile bytes, even under the right checksums, neither panic nor take more
// memory than there are bytes.
func FuzzRead(f *testing.F) {
	file := filepath.Join(f.TempDir(), "answers")
	for _, entries := range [][]entry{nil, {{1, []byte("one")}, {1, nil}}, {{1, nil}, {1 << 62, []byte("two")}, {1 << 63, []byte("three")}}} {
		write(f, file, entries, "about")
		whole, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole, uint64(1))
	}
	f.Fuzz(func(t *testing.T, file []byte, n uint64) {
		_ = askAll(resealed(file), Name(n), 0, 1<<63, 1<<64-1)
		_ = askAll(file, Name(n))
	})
}

// resealed is a file with the checksums that its bytes should have.
func resealed(file []byte) []byte {
	if len(file) < int(tailSize) {
		return file
	}
	file = slices.Clone(file)
	tail := file[len(file)-int(tailSize):]
	buckets, about := binary.BigEndian.Uint32(tail[8:]), int(binary.BigEndian.Uint32(tail[12:]))
	end := len(file) - int(tailSize) - about - 4*int(min(buckets, maxBuckets))
	if end < 0 {
		return file
	}
	binary.BigEndian.PutUint32(tail[16:], crc32.Checksum(file[end:len(file)-sumSize], castagnoli))
	bucket := file[:end]
	for lengths := file[end : len(file)-int(tailSize)-about]; len(lengths) > 0; lengths = lengths[4:] {
		if n := int(binary.BigEndian.Uint32(lengths)); sumSize <= n && n <= len(bucket) {
			binary.BigEndian.PutUint32(bucket, crc32.Checksum(bucket[sumSize:n], castagnoli))
			bucket = bucket[n:]
		}
	}
	return file
}
