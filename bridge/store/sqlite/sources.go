package sqlite

import (
	"database/sql/driver"
	"encoding/json"

	"fingerpost/bridge/store/engine"
)

const sourceColumns = `SELECT repository, host, due, why, settings, state, class, failures, began, complete, objects, deleted, quarantined, reason FROM sources `

func sourcesInto(out *[]engine.Source) func(*columns) {
	return func(c *columns) {
		*out = append(*out, engine.Source{
			Repository: c.text(), Host: c.text(), Due: c.integer(), Why: c.text(), Settings: c.text(), State: c.text(), Class: c.text(),
			Failures: c.integer(), Began: c.integer(), Complete: c.integer(), Objects: c.integer(), Deleted: c.integer(), Quarantined: c.integer(),
			Reason: c.text(),
		})
	}
}

// chosen is the condition of a query, with its values.
func chosen(q engine.SourceQuery) (string, []driver.Value) {
	states, _ := json.Marshal(q.States) // texts always have JSON
	return `WHERE (?1 = '' OR instr(lower(repository), ?1) OR instr(lower(host), ?1)) AND (?2 OR state IN (SELECT value FROM json_each(?3)))
		AND failures >= ?4 `, []driver.Value{q.Match, q.States == nil, string(states), failures(q)}
}

// failures is how many a source must have.
func failures(q engine.SourceQuery) int64 {
	if q.Failing {
		return 1
	}
	return 0
}

func (r rows) Sources(q engine.SourceQuery) (out []engine.Source, err error) {
	order := `+(` + q.Sort + `)` // without an index, which would lead to every row by itself
	if q.Descending {
		order += ` DESC`
	}
	where, values := chosen(q)
	// The names are sorted alone: whole rows would be copied to be sorted.
	err = r.each(sourceColumns+`JOIN (SELECT repository AS name FROM sources `+where+`ORDER BY `+order+`, repository LIMIT ?5 OFFSET ?6)
		ON repository = name ORDER BY `+order+`, repository`, sourcesInto(&out), append(values, int64(q.Limit), int64(q.Offset))...)
	return out, err
}

func (r rows) CountSources(q engine.SourceQuery) (n int, err error) {
	where, values := chosen(q)
	err = r.each(`SELECT count(*) FROM sources `+where, func(c *columns) { n = int(c.integer()) }, values...)
	return n, err
}

func (r rows) SourceTotals() (out []engine.SourceTotal, err error) {
	err = r.each(`SELECT state, class, count(*), sum(failures > 0), sum(complete = 0), sum(objects), sum(deleted), sum(quarantined)
		FROM sources GROUP BY state, class`, func(c *columns) {
		out = append(out, engine.SourceTotal{
			State: c.text(), Class: c.text(), Sources: c.integer(), Failing: c.integer(), Unread: c.integer(),
			Objects: c.integer(), Deleted: c.integer(), Quarantined: c.integer(),
		})
	})
	return out, err
}

func (r rows) DueHosts(before int64) (out []engine.DueHost, err error) {
	err = r.each(`SELECT host, min(due) AS first FROM sources INDEXED BY sources_by_due WHERE due < ? GROUP BY host ORDER BY first, host`,
		func(c *columns) { out = append(out, engine.DueHost{Host: c.text(), Due: c.integer()}) }, before)
	return out, err
}

func (r rows) DueSources(host string, before int64, n int) (out []engine.Source, err error) {
	err = r.each(sourceColumns+`WHERE host = ? AND due < ? ORDER BY due, repository LIMIT ?`, sourcesInto(&out), host, before, int64(n))
	return out, err
}

func (r rows) Source(repository string) (engine.Source, error) {
	var found []engine.Source
	err := r.each(sourceColumns+`WHERE repository = ?`, sourcesInto(&found), repository)
	if len(found) == 0 {
		return engine.Source{}, err
	}
	return found[0], err
}

func (r rows) AllSources() (out []engine.Source, err error) {
	err = r.each(`SELECT repository, host, settings FROM sources`, func(c *columns) {
		out = append(out, engine.Source{Repository: c.text(), Host: c.text(), Settings: c.text()})
	})
	return out, err
}

func (t *tx) AddSources(list []engine.Source) error {
	for _, s := range list {
		if _, err := t.exec(`INSERT INTO sources (repository, host, due, why, settings, state, class, failures, began, complete,
				objects, deleted, quarantined, reason) VALUES (?, ?, ?, '', ?, '', '', 0, 0, 0, 0, 0, 0, '')
			ON CONFLICT DO UPDATE SET host = excluded.host, settings = excluded.settings, due = excluded.due`,
			s.Repository, s.Host, s.Due, s.Settings); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) SetSource(s engine.Source) error {
	_, err := t.exec(`UPDATE sources SET due = ?, why = ?, state = ?, class = ?, reason = ?, failures = ?, began = ?, complete = ?,
		objects = ?, deleted = ?, quarantined = ? WHERE repository = ? AND settings = ?`,
		s.Due, s.Why, s.State, s.Class, s.Reason, s.Failures, s.Began, s.Complete, s.Objects, s.Deleted, s.Quarantined, s.Repository, s.Settings)
	return err
}

func (t *tx) LookAt(repository, host string) error {
	_, err := t.exec(`UPDATE sources SET due = 0 WHERE repository = ? OR host = ?`, repository, host)
	return err
}

func (t *tx) DropSources(repositories []string) error {
	list, err := json.Marshal(repositories)
	if err != nil {
		return err
	}
	_, err = t.exec(`DELETE FROM sources WHERE repository IN (SELECT value FROM json_each(?))`, string(list))
	return err
}
