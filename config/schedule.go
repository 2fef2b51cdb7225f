package config

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // slim images have no zone database

	"github.com/robfig/cron/v3"
)

// minInterval is the shortest time between two runs of a repository.
const minInterval = 5 * time.Minute

// Schedule says when something is due. The zero Schedule is never due.
//
// On days when clocks change, a local time that does not exist is skipped, and
// one that exists twice is due twice.
type Schedule struct {
	spec string
	loc  *time.Location
	next cron.Schedule
}

// parseSchedule reads five cron fields, @hourly and its like, "@every 6h" or
// "never", in a time zone named as in the IANA database ("" is UTC).
func parseSchedule(spec, timezone string) (Schedule, error) {
	loc, err := time.LoadLocation(timezone)
	if err != nil {
		return Schedule{}, fmt.Errorf("%q is not a time zone: write an IANA name such as Europe/Berlin, or UTC", timezone)
	}
	spec = strings.TrimSpace(spec)
	if spec == "never" {
		return Schedule{spec: spec}, nil
	}
	if err := checkForm(spec); err != nil {
		return Schedule{}, fmt.Errorf("%q %w", spec, err)
	}
	next, err := parseCron(sundayAsZero(spec))
	if err != nil {
		return Schedule{}, fmt.Errorf(`%q is not a schedule (%w): write five fields, such as "30 4 * * *" for every day at 4:30`, spec, err)
	}
	s := Schedule{spec: spec, loc: loc, next: next}
	if err := s.checkInterval(); err != nil {
		return Schedule{}, fmt.Errorf("%q %w", spec, err)
	}
	return s, nil
}

// Next returns the first time after t, in the schedule's time zone; the zero
// time if none comes.
func (s Schedule) Next(t time.Time) time.Time {
	if s.next == nil {
		return time.Time{}
	}
	return s.next.Next(t.In(s.loc))
}

// NextN returns the first n times after t, fewer if fewer come.
func (s Schedule) NextN(t time.Time, n int) []time.Time {
	var times []time.Time
	for range n {
		if t = s.Next(t); t.IsZero() {
			break
		}
		times = append(times, t)
	}
	return times
}

// String returns the schedule as it was written.
func (s Schedule) String() string {
	if s.spec == "" {
		return "never"
	}
	return s.spec
}

// checkForm rejects what the cron parser would misunderstand or explain badly.
func checkForm(spec string) error {
	if strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ=") {
		return errors.New("names a time zone: write it under the key timezone instead")
	}
	if every, ok := strings.CutPrefix(spec, "@every "); ok {
		// The cron parser rounds anything under a second up to one.
		if d, err := time.ParseDuration(strings.TrimSpace(every)); err == nil && d < minInterval {
			return errors.New("is under the shortest interval, 5 minutes")
		}
	}
	if strings.HasPrefix(spec, "@") {
		return nil
	}
	fields := strings.Fields(spec)
	switch n := len(fields); {
	case n == 6:
		return errors.New("has 6 fields, but schedules here have no seconds: leave out the first field")
	case n != 5:
		return fmt.Errorf(`has %d fields instead of five (minute, hour, day of month, month, day of week): write "30 4 * * *" for every day at 4:30`, n)
	}
	for _, f := range fields {
		if slices.Contains(strings.Split(f, ","), "") {
			return fmt.Errorf("has a comma with nothing beside it in %q: remove it or add a value", f)
		}
	}
	return nil
}

// parseCron turns panics of the cron parser on odd input into errors.
func parseCron(spec string) (s cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser fails: %v", r)
		}
	}()
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	return parser.Parse(spec)
}

// checkInterval rejects schedules that are never due or due too often. It starts
// from a fixed day, so that a file that was valid yesterday is valid today, in a
// leap year, which has a 29 February. All days with a run have the same: of these
// it looks at the first, and over midnight as if the next day were one. 300 runs
// are more than fit into a day.
func (s Schedule) checkInterval() error {
	plain := Schedule{loc: time.UTC, next: s.next}
	run := plain.Next(time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC))
	if run.IsZero() {
		return errors.New("never comes: there is no such day in any year")
	}
	tomorrow := run.AddDate(0, 0, 1)
	for range 300 {
		next := plain.Next(run)
		gap := next.Sub(run)
		switch {
		case next.IsZero(), !next.Before(tomorrow) && tomorrow.Sub(run) >= minInterval:
			return nil
		case gap < minInterval:
			return fmt.Errorf(`comes %s after %s: the shortest interval is 5 minutes, such as "*/5 * * * *"`,
				text(Duration(gap)), run.Format("15:04"))
		}
		run = next
	}
	return nil
}

// sundayAsZero replaces 7, which most crons accept for Sunday, by 0, which this
// one requires: "5-7" becomes "5,6,0".
func sundayAsZero(spec string) string {
	fields := strings.Fields(spec)
	if len(fields) != 5 {
		return spec
	}
	days := strings.Split(fields[4], ",")
	for i, d := range days {
		days[i] = sundayInRange(d)
	}
	fields[4] = strings.Join(days, ",")
	return strings.Join(fields, " ")
}

func sundayInRange(days string) string {
	span, stepText, stepped := strings.Cut(days, "/")
	low, high, ranged := strings.Cut(span, "-")
	if !ranged {
		high = low
	}
	from, err := strconv.Atoi(low)
	if high != "7" || err != nil || from < 0 || from > 7 {
		return days
	}
	step := 1
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
			return days
		}
	}
	var list []string
	for d := from; d <= 7; d += min(step, 8) {
		list = append(list, strconv.Itoa(d%7))
	}
	return strings.Join(list, ",")
}

// daily is the default schedule of a repository: the same minute each morning,
// which depends on the id and lies within three hours.
func daily(id string) string {
	m := spread(id) % 180
	return fmt.Sprintf("%d %d * * *", m%60, 3+m/60)
}

// monthly is the default sweep: the same day and minute each month, on a day
// that every month has, in the three hours before those of the default schedule.
func monthly(id string) string {
	n := spread(id)
	m := n % 180
	return fmt.Sprintf("%d %d %d * *", m%60, m/60, 1+n/180%28)
}

func spread(id string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()
}
