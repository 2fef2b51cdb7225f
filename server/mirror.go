package server

import (
	"context"
	"net/http"

	"fingerpost/server/provider"
)

// mirrors serve the records again, over OAI-PMH.
type mirrors struct {
	*parts
	provider *provider.Provider
}

// serveMirror serves the records of a repository again, over OAI-PMH.
func (s mirrors) serveMirror(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	return s.provider.Serve(w, r, provider.Mirror{
		BaseURL: s.urls.mirror(repo.ID), Name: repo.Name, Sources: []provider.Source{repo.source()},
		Having: func(context.Context, string) ([]string, error) { return []string{repo.ID}, nil },
	})
}

// serveUnion serves the records of all repositories.
func (s mirrors) serveUnion(w http.ResponseWriter, r *http.Request, _ vars) error {
	now, err := s.repositories.current(r.Context())
	if err != nil {
		return err
	}
	m := provider.Mirror{
		BaseURL: s.urls.union(), Name: "All repositories of " + s.PublicURL.Hostname(), Union: true, Sources: now.union(),
		Having: func(ctx context.Context, identifier string) ([]string, error) { return s.having(ctx, now, identifier) },
	}
	return s.provider.Serve(w, r, m)
}

func (r *repository) source() provider.Source {
	return provider.Source{ID: r.ID, Name: r.Name, BaseURL: r.OAIURL, Formats: r.formats, Descriptions: r.says, Modified: r.modified}
}
