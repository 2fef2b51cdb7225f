package dashboard

import (
	"context"
	"errors"
	"net/http"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// repositoryPage is a repository as its page shows it.
type repositoryPage struct {
	row
	Configured   Repository
	Seen         Seen
	Pause        string
	Moment       moment // the zero moment before the first run
	Problems     []problem
	Coverage     []covered
	Chart        *chart
	LandingPages []string // how far they are read
	Steps        []step
	Servers      []string
}

// tabled is how many runs stand in the table: the chart has more.
const tabled = 40

// Tabled are the runs of the table.
func (p repositoryPage) Tabled() []store.Run { return p.Seen.Runs[:min(len(p.Seen.Runs), tabled)] }

// covered is a row of the table of links.
type covered struct {
	Column             string
	Count, Of, Lacking int
	Course             course
}

func (d *Dashboard) serveRepository(w http.ResponseWriter, r *http.Request, repository Repository) {
	p := page{Title: repository.ID}
	d.show(w, r, "repository", &p, func(ctx context.Context) (any, error) {
		shown, err := d.repositoryPage(ctx, repository)
		p.Reload = shown.Moment.UnderWay()
		return shown, err
	})
}

// repositoryPage reads what there is about a repository: as much of its history as
// is shown, and figures that were counted before.
func (d *Dashboard) repositoryPage(ctx context.Context, repository Repository) (p repositoryPage, err error) {
	source, err := d.source(ctx, repository.ID)
	if err != nil {
		return p, err
	}
	if p.Seen, err = See(ctx, d.store, repository, source); err != nil {
		return p, err
	}
	name, err := d.nameOf(ctx, repository.ID)
	if err != nil {
		return p, err
	}
	coverage, err := d.store.Coverage(ctx, repository.ID)
	if err != nil {
		return p, err
	}
	now := d.Now()
	p.row, p.Configured, p.Pause, p.Servers = row{p.Seen.Source, name, now}, repository, p.Seen.Pause, d.Servers
	if len(p.Seen.Runs) > 0 {
		p.Moment = momentAt(p.Seen.Runs[0], p.Source, now)
	}
	p.Coverage, p.Chart = coveredBy(coverage, p.Seen.Runs), chartOf(p.Seen.Runs, now)
	p.LandingPages = pagesOf(p.Seen.Pages, now).Sentences(look.When)
	p.Steps, p.Problems = d.steps(p), d.problems(p)
	return p, nil
}

// source is when a repository is due. Before a process that harvests has begun with
// it, nothing is known.
func (d *Dashboard) source(ctx context.Context, id string) (store.Source, error) {
	source, err := d.store.Source(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return store.Source{Repository: id, Due: store.Never}, nil
	}
	return source, err
}

// coveredBy are the rows of the table of links. That of media types is left out if
// no object has files.
func coveredBy(c bridge.Coverage, runs []store.Run) (out []covered) {
	for _, column := range bridge.CoverageColumns() {
		if of := c.Of(column); of > 0 {
			out = append(out, covered{column, c.Count(column), of, of - c.Count(column), courseOf(runs, column)})
		}
	}
	return out
}
