package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, spec, zone string) Schedule {
	t.Helper()
	s, err := parseSchedule(spec, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNext(t *testing.T) {
	tests := []struct {
		name, spec, zone, after string
		want                    []string
	}{
		{"every day", "30 4 * * *", "UTC", "2026-03-01T04:30:00Z",
			[]string{"2026-03-02T04:30:00Z", "2026-03-03T04:30:00Z"}},
		{"in the repository's time", "30 4 * * *", "Asia/Tokyo", "2026-03-01T00:00:00Z",
			[]string{"2026-03-02T04:30:00+09:00", "2026-03-03T04:30:00+09:00"}},
		{"7 is Sunday", "0 5 * * 7", "", "2026-03-02T00:00:00Z",
			[]string{"2026-03-08T05:00:00Z", "2026-03-15T05:00:00Z"}},
		{"0 is Sunday", "0 5 * * 0", "", "2026-03-02T00:00:00Z",
			[]string{"2026-03-08T05:00:00Z", "2026-03-15T05:00:00Z"}},
		{"Friday to Sunday", "0 5 * * 5-7", "", "2026-03-02T00:00:00Z",
			[]string{"2026-03-06T05:00:00Z", "2026-03-07T05:00:00Z", "2026-03-08T05:00:00Z", "2026-03-13T05:00:00Z"}},
		{"every other day of the week, Sunday last", "0 5 * * 1-7/2", "", "2026-03-01T12:00:00Z",
			[]string{"2026-03-02T05:00:00Z", "2026-03-04T05:00:00Z", "2026-03-06T05:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T05:00:00Z"}},
		{"every seventh minute is no Sunday", "*/7 5 * * *", "", "2026-03-01T05:50:00Z",
			[]string{"2026-03-01T05:56:00Z", "2026-03-02T05:00:00Z"}},
		{"a leap day", "0 0 29 2 *", "", "2026-03-01T00:00:00Z",
			[]string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		{"every", "@every 6h", "", "2026-03-01T01:02:03Z",
			[]string{"2026-03-01T07:02:03Z", "2026-03-01T13:02:03Z"}},
		{"weekly", "@weekly", "Europe/Berlin", "2026-03-02T00:00:00Z",
			[]string{"2026-03-08T00:00:00+01:00"}},
		{"white space", "  0\t5  * * * ", "", "2026-03-01T00:00:00Z",
			[]string{"2026-03-01T05:00:00Z"}},

		// On 29 March 2026 Berlin has no 2:30, on 25 October two.
		{"spring: the run is left out", "30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00"}},
		{"autumn: the run comes twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-26T02:30:00+01:00"}},
		{"a time outside the change comes once", "30 4 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T04:30:00+01:00", "2026-10-26T04:30:00+01:00"}},
		{"UTC knows no change", "30 2 * * *", "UTC", "2026-03-28T00:00:00Z",
			[]string{"2026-03-28T02:30:00Z", "2026-03-29T02:30:00Z"}},
		// In Santiago the clock goes from 23:59 to 1:00 on 6 September 2026.
		{"a day without midnight", "0 5 6 9 *", "America/Santiago", "2026-09-01T00:00:00Z",
			[]string{"2026-09-06T05:00:00-03:00"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after, err := time.Parse(time.RFC3339, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, at := range mustParse(t, tt.spec, tt.zone).NextN(after, len(tt.want)) {
				got = append(got, at.Format(time.RFC3339))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNever(t *testing.T) {
	for _, s := range []Schedule{{}, mustParse(t, "never", "UTC")} {
		if at := s.Next(time.Now()); !at.IsZero() || len(s.NextN(time.Now(), 3)) != 0 || s.String() != "never" {
			t.Errorf("%v comes at %v", s, at)
		}
	}
}

func TestBadSchedules(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"", `"" has 0 fields instead of five (minute, hour, day of month, month, day of week): write "30 4 * * *" for every day at 4:30`},
		{"4:30", `"4:30" has 1 fields instead of five (minute, hour, day of month, month, day of week): write "30 4 * * *" for every day at 4:30`},
		{"0 30 4 * * *", `"0 30 4 * * *" has 6 fields, but schedules here have no seconds: leave out the first field`},
		{"TZ=UTC", `"TZ=UTC" names a time zone: write it under the key timezone instead`},
		{"TZ=", `"TZ=" names a time zone: write it under the key timezone instead`},
		{"CRON_TZ=Europe/Berlin 30 4 * * *", `"CRON_TZ=Europe/Berlin 30 4 * * *" names a time zone: write it under the key timezone instead`},
		{"@every 0s", `"@every 0s" is under the shortest interval, 5 minutes`},
		{"@every -1h", `"@every -1h" is under the shortest interval, 5 minutes`},
		{"@every 299s", `"@every 299s" is under the shortest interval, 5 minutes`},
		{"@every", `"@every" is not a schedule (unrecognized descriptor: @every): write five fields, such as "30 4 * * *" for every day at 4:30`},
		{"@fortnightly", `"@fortnightly" is not a schedule (unrecognized descriptor: @fortnightly): write five fields, such as "30 4 * * *" for every day at 4:30`},
		{"* * * * *", `"* * * * *" comes 1m after 00:00: the shortest interval is 5 minutes, such as "*/5 * * * *"`},
		{"0,2 4 1 1 *", `"0,2 4 1 1 *" comes 2m after 04:00: the shortest interval is 5 minutes, such as "*/5 * * * *"`},
		{"1,58 * * * *", `"1,58 * * * *" comes 3m after 00:58: the shortest interval is 5 minutes, such as "*/5 * * * *"`},
		{"2,59 0,23 * * *", `"2,59 0,23 * * *" comes 3m after 23:59: the shortest interval is 5 minutes, such as "*/5 * * * *"`},
		{"0 0 30 2 *", `"0 0 30 2 *" never comes: there is no such day in any year`},
		{"0 0 31 4,6,9,11 *", `"0 0 31 4,6,9,11 *" never comes: there is no such day in any year`},
		{"1,,2 4 * * *", `"1,,2 4 * * *" has a comma with nothing beside it in "1,,2": remove it or add a value`},
		{", 4 * * *", `", 4 * * *" has a comma with nothing beside it in ",": remove it or add a value`},
		{"61 4 * * *", `"61 4 * * *" is not a schedule (end of range (61) above maximum (59): 61): write five fields, such as "30 4 * * *" for every day at 4:30`},
		{"0 4 * * 8", `"0 4 * * 8" is not a schedule (end of range (8) above maximum (6): 8): write five fields, such as "30 4 * * *" for every day at 4:30`},
		{"a b c d e", `"a b c d e" is not a schedule (failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax): write five fields, such as "30 4 * * *" for every day at 4:30`},
	}
	for _, tt := range tests {
		t.Run(tt.spec, func(t *testing.T) {
			s, err := parseSchedule(tt.spec, "UTC")
			if err == nil {
				t.Fatalf("read as %v", s)
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if _, err := parseSchedule("@daily", "Mars/Olympus"); err == nil {
		t.Error("a time zone on Mars was found")
	}
}

// Repositories that say nothing are spread over the night, each always at its
// own time, and every such schedule can be parsed.
func TestDefaultsAreSpread(t *testing.T) {
	dailies, sweeps := map[string]bool{}, map[string]bool{}
	for i := range 200 {
		r := Repository{ID: fmt.Sprintf("repo-%d", i), Schedule: daily(fmt.Sprintf("repo-%d", i))}
		harvests, err := r.Harvests()
		if err != nil {
			t.Fatal(err)
		}
		sweep, err := r.Sweeps()
		if err != nil {
			t.Fatal(err)
		}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if at := harvests.Next(start); at.Day() != 1 || at.Hour() < 3 || at.Hour() > 5 {
			t.Errorf("%s is harvested at %v", r.ID, at)
		}
		if times := sweep.NextN(start, 12); len(times) != 12 || times[11].Year() != 2026 || times[0].Hour() > 2 {
			t.Errorf("%s is swept at %v", r.ID, times)
		}
		dailies[harvests.String()], sweeps[sweep.String()] = true, true
	}
	if len(dailies) < 100 || len(sweeps) < 190 {
		t.Errorf("200 repositories share %d and %d times", len(dailies), len(sweeps))
	}
	if got, want := daily("main"), daily("main"); got != want {
		t.Errorf("%s, then %s", got, want)
	}
}

// Whatever is accepted moves forward, and never by less than the interval,
// except that clocks set back may repeat a time.
func FuzzSchedule(f *testing.F) {
	for _, spec := range []string{"30 4 * * *", "*/5 * * * 1-7", "TZ=UTC", "@every 6h", "@every 1ns", "@weekly", "0 0 29 2 *", "0 0 30 2 *", "never", "0 0 * * 7/2", "5-7/0 , - * ?", "0 0 1 jan sun"} {
		f.Add(spec, "Europe/Berlin", int64(1774746000))
	}
	f.Add("0 0 * * *", "America/Santiago", int64(1788652800))
	f.Fuzz(func(t *testing.T, spec, zone string, unix int64) {
		s, err := parseSchedule(spec, zone)
		if err != nil {
			if !strings.Contains(err.Error(), "\"") {
				t.Errorf("does not quote what is wrong: %v", err)
			}
			return
		}
		at := time.Unix(unix%(1<<32), 0)
		for _, next := range s.NextN(at, 10) {
			if !next.After(at) {
				t.Fatalf("%q in %q: %v does not come after %v", spec, zone, next, at)
			}
			at = next
		}
	})
}
