package edge

import (
	"net"
	"testing"
	"time"
)

// deadlines is a connection that counts how often its deadline is set.
type deadlines struct {
	net.Conn
	set int
}

func (d *deadlines) Read([]byte) (int, error)    { return 0, nil }
func (d *deadlines) Write([]byte) (int, error)   { return 0, nil }
func (d *deadlines) SetDeadline(time.Time) error { d.set++; return nil }

// A connection on which something moves, in either direction, does not end:
// an upload may take as long as it does.
func TestTrafficRenewsTheDeadline(t *testing.T) {
	move := map[string]func(*timedConn) (int, error){
		"read":  func(c *timedConn) (int, error) { return c.Read(nil) },
		"write": func(c *timedConn) (int, error) { return c.Write(nil) },
	}
	for name, move := range move {
		d := &deadlines{}
		c := &timedConn{Conn: d, timeout: time.Hour}
		for i, long := range []bool{true, false, true} { // since it was renewed
			if long {
				c.renewed.Store(0)
			}
			want := []int{1, 1, 2}[i]
			if _, err := move(c); err != nil || d.set != want {
				t.Errorf("%s %d: the deadline was set %d times, want %d (%v)", name, i, d.set, want, err)
			}
		}
	}
}
