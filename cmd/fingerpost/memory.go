package main

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
)

// outsideGo is the memory that SQLite and the program itself need, and that Go
// takes beyond its limit where the processor is busy.
const outsideGo = 88 << 20

// memoryLimit is how much memory Go may use where a container or systemd
// bounds the process: what outsideGo leaves, but half of it at least. It is 0 if
// nothing is bounded. root is the file system's root.
func memoryLimit(root fs.FS) int64 {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // no such file outside of Linux
	least := int64(0)
	for line := range bytes.Lines(groups) {
		// "0::/path" is of version 2, "4:memory:/path" of version 1. cgroups(7).
		_, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		controllers, group, _ := bytes.Cut(rest, []byte(":"))
		folder, file := "sys/fs/cgroup", "memory.max"
		switch string(controllers) {
		case "":
		case "memory":
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// A container may see its own group as the root, or not.
		for _, at := range []string{path.Join(folder, string(group), file), path.Join(folder, file)} {
			text, _ := fs.ReadFile(root, at)
			n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
			if err == nil && n > 0 && n < 1<<50 && (least == 0 || n < least) { // version 1 has a huge number for none
				least = n
			}
		}
	}
	return max(least/2, least-outsideGo)
}
