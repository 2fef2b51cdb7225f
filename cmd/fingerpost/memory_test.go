package main

import (
	"testing"
	"testing/fstest"
)

func TestMemoryLimitIsThatOfTheContainer(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no cgroups": {nil, 0},
		"none":       {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		"Docker":     {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 168 << 20},
		"systemd": {map[string]string{
			"proc/self/cgroup": "0::/system.slice/fingerpost.service\n",
			"sys/fs/cgroup/system.slice/fingerpost.service/memory.max": "400\n",
		}, 200},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:pids:/a\n4:memory:/docker/a\n",
			"sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          "800\n",
		}, 400},
	} {
		root := fstest.MapFS{}
		for file, text := range tt.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryLimit(root); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}
