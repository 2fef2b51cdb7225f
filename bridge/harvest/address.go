package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"fingerpost/bridge/store"
)

// MovedError reports that what is kept under a repository's id was harvested
// from another address.
type MovedError struct {
	Repository, Before, Now string
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("what is kept as %s was harvested from %s, not from %s: if the repository moved, set its moved_from to the old address (FINGERPOST_REPOSITORIES_0_MOVED_FROM without a file); if it is another one, give it an id or a data folder of its own",
		e.Repository, e.Before, e.Now)
}

// CheckAddress returns a *MovedError if what is kept of a repository came from
// another address than its own and the one that it moved from.
func CheckAddress(ctx context.Context, s interface {
	Repository(ctx context.Context, id string) (store.Repository, error)
}, r Repository) error {
	kept, err := s.Repository(ctx, r.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read what is kept of %s: %w", r.ID, err)
	case kept.MappedBy == "" || sameAddress(kept.OAIURL, r.OAIURL) || sameAddress(kept.OAIURL, r.MovedFrom):
		return nil
	}
	return &MovedError{Repository: r.ID, Before: kept.OAIURL, Now: r.OAIURL}
}

// sameAddress reports whether two base URLs lead to the same repository: the
// scheme, the case of the host and a slash at the end make no difference.
func sameAddress(a, b string) bool { return address(a) == address(b) }

func address(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base
	}
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return host + strings.TrimRight(u.EscapedPath(), "/") + "?" + u.RawQuery
}
