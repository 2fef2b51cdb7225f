package postgres

import (
	"github.com/jackc/pgx/v5"

	"fingerpost/bridge/store/engine"
)

const sourceColumns = `SELECT repository, host, due, why, settings, state, class, failures, began, complete, objects, deleted, quarantined, reason
	FROM fingerpost.sources `

func sourcesInto(out *[]engine.Source) func(pgx.Rows) error {
	return func(row pgx.Rows) error {
		var s engine.Source
		err := row.Scan(&s.Repository, &s.Host, &s.Due, &s.Why, &s.Settings, &s.State, &s.Class, &s.Failures, &s.Began, &s.Complete,
			&s.Objects, &s.Deleted, &s.Quarantined, &s.Reason)
		*out = append(*out, s)
		return err
	}
}

// chosen is the condition of a query, with its values.
func chosen(q engine.SourceQuery) (string, []any) {
	return `WHERE ($1 = '' OR strpos(lower(repository), $1) > 0 OR strpos(lower(host), $1) > 0)
		AND ($2::text[] IS NULL OR state = ANY($2)) AND (NOT $3 OR failures > 0) `, []any{q.Match, q.States, q.Failing}
}

func (r rows) Sources(q engine.SourceQuery) (out []engine.Source, err error) {
	order := q.Sort
	if q.Descending {
		order += ` DESC`
	}
	where, values := chosen(q)
	err = r.each(sourceColumns+where+`ORDER BY `+order+`, repository LIMIT $4 OFFSET $5`, sourcesInto(&out), append(values, q.Limit, q.Offset)...)
	return out, err
}

func (r rows) CountSources(q engine.SourceQuery) (n int, err error) {
	where, values := chosen(q)
	err = r.each(`SELECT count(*) FROM fingerpost.sources `+where, func(row pgx.Rows) error { return row.Scan(&n) }, values...)
	return n, err
}

func (r rows) SourceTotals() (out []engine.SourceTotal, err error) {
	err = r.each(`SELECT state, class, count(*), count(*) FILTER (WHERE failures > 0), count(*) FILTER (WHERE complete = 0),
			sum(objects)::bigint, sum(deleted)::bigint, sum(quarantined)::bigint
		FROM fingerpost.sources GROUP BY state, class`, func(row pgx.Rows) error {
		var t engine.SourceTotal
		err := row.Scan(&t.State, &t.Class, &t.Sources, &t.Failing, &t.Unread, &t.Objects, &t.Deleted, &t.Quarantined)
		out = append(out, t)
		return err
	})
	return out, err
}

func (r rows) DueHosts(before int64) (out []engine.DueHost, err error) {
	err = r.each(`SELECT host, min(due) FROM fingerpost.sources WHERE due < $1 GROUP BY host ORDER BY 2, 1`, func(row pgx.Rows) error {
		var h engine.DueHost
		err := row.Scan(&h.Host, &h.Due)
		out = append(out, h)
		return err
	}, before)
	return out, err
}

func (r rows) DueSources(host string, before int64, n int) (out []engine.Source, err error) {
	err = r.each(sourceColumns+`WHERE host = $1 AND due < $2 ORDER BY due, repository LIMIT $3`, sourcesInto(&out), host, before, n)
	return out, err
}

func (r rows) Source(repository string) (engine.Source, error) {
	var found []engine.Source
	err := r.each(sourceColumns+`WHERE repository = $1`, sourcesInto(&found), repository)
	if len(found) == 0 {
		return engine.Source{}, err
	}
	return found[0], err
}

func (r rows) AllSources() (out []engine.Source, err error) {
	err = r.each(`SELECT repository, host, settings FROM fingerpost.sources`, func(row pgx.Rows) error {
		var s engine.Source
		err := row.Scan(&s.Repository, &s.Host, &s.Settings)
		out = append(out, s)
		return err
	})
	return out, err
}

func (t *tx) AddSources(list []engine.Source) error {
	var names, hosts, settings []string
	var due []int64
	for _, s := range list {
		names, hosts, settings, due = append(names, s.Repository), append(hosts, s.Host), append(settings, s.Settings), append(due, s.Due)
	}
	if len(list) > 0 {
		t.queue(`INSERT INTO fingerpost.sources (repository, host, due, why, settings, state, class, failures, began, complete,
				objects, deleted, quarantined, reason)
			SELECT repository, host, due, '', settings, '', '', 0, 0, 0, 0, 0, 0, ''
			FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) u(repository, host, settings, due)
			ON CONFLICT (repository) DO UPDATE SET host = excluded.host, settings = excluded.settings, due = excluded.due`, names, hosts, settings, due)
	}
	return nil
}

func (t *tx) SetSource(s engine.Source) error {
	t.queue(`UPDATE fingerpost.sources SET due = $3, why = $4, state = $5, class = $6, reason = $7, failures = $8, began = $9, complete = $10,
		objects = $11, deleted = $12, quarantined = $13 WHERE repository = $1 AND settings = $2`,
		s.Repository, s.Settings, s.Due, s.Why, s.State, s.Class, s.Reason, s.Failures, s.Began, s.Complete, s.Objects, s.Deleted, s.Quarantined)
	return nil
}

func (t *tx) LookAt(repository, host string) error {
	t.queue(`UPDATE fingerpost.sources SET due = 0 WHERE repository = $1 OR host = $2`, repository, host)
	return nil
}

func (t *tx) DropSources(repositories []string) error {
	if len(repositories) > 0 {
		t.queue(`DELETE FROM fingerpost.sources WHERE repository = ANY($1::text[])`, repositories)
	}
	return nil
}
