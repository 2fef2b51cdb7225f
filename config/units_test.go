package config

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	tests := []struct {
		in   string
		want Size
		out  string
	}{
		{"0", 0, "0B"}, {"1", 1, "1B"}, {"4096", 4096, "4KiB"}, {"64MB", 64e6, "64MB"}, {"64 mb", 64e6, "64MB"},
		{"1GiB", 1 << 30, "1GiB"}, {"1500kB", 1500e3, "1500kB"}, {"2GB", 2e9, "2GB"},
	}
	for _, tt := range tests {
		var s Size
		if err := s.UnmarshalText([]byte(tt.in)); err != nil || s != tt.want {
			t.Errorf("%q is %d (%v), want %d", tt.in, s, err, tt.want)
		}
		if got := text(s); got != tt.out {
			t.Errorf("%d is written %q, want %q", s, got, tt.out)
		}
	}
	for _, in := range []string{"", "MB", "-1", "1.5MB", "1 TB", "1MBps", "9223372036854775807kB", "99999999999999999999"} {
		var s Size
		if err := s.UnmarshalText([]byte(in)); err == nil || s != 0 {
			t.Errorf("%q was read as %d", in, s)
		}
	}
}

func TestDuration(t *testing.T) {
	tests := []struct {
		in   string
		want Duration
		out  string
	}{
		{"0", 0, "0s"}, {"30s", minute / 2, "30s"}, {"15m", 15 * minute, "15m"}, {"1h30m", 90 * minute, "1h30m"},
		{"60m", 60 * minute, "1h"}, {"24h", day, "1d"}, {"7d", 7 * day, "7d"}, {"1h0m30s", 60*minute + minute/2, "1h0m30s"},
	}
	for _, tt := range tests {
		var d Duration
		if err := d.UnmarshalText([]byte(tt.in)); err != nil || d != tt.want {
			t.Errorf("%q is %d (%v), want %d", tt.in, d, err, tt.want)
		}
		if got := text(d); got != tt.out {
			t.Errorf("%d is written %q, want %q", d, got, tt.out)
		}
	}
	for _, in := range []string{"", "30", "-1s", "-1d", "1.5d", "d", "1w", "4294967295d", "106752d"} {
		var d Duration
		if err := d.UnmarshalText([]byte(in)); err == nil || d != 0 {
			t.Errorf("%q was read as %d", in, d)
		}
	}
}

// What is written is read as the same.
func TestUnitsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := Size(rapid.Int64Min(0).Draw(t, "size"))
		var s Size
		if err := s.UnmarshalText([]byte(text(size))); err != nil || s != size {
			t.Fatalf("%d is written %q and read as %d (%v)", size, text(size), s, err)
		}
		length := Duration(rapid.Int64Min(0).Draw(t, "duration"))
		var d Duration
		if err := d.UnmarshalText([]byte(text(length))); err != nil || d != length {
			t.Fatalf("%d is written %q and read as %d (%v)", length, text(length), d, err)
		}
	})
}
