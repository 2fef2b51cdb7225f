package server

import (
	"fmt"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

// The list of a thousand repositories has pages of less than 100 kB, which lead
// to each other and together name every repository once.
func TestHomeHasPages(t *testing.T) {
	const repositories = 1000
	g := newGateway(t, func(c *Config, _ *[]store.Option) {
		c.Repositories = nil
		for i := range repositories {
			id := fmt.Sprintf("repository-%04d", i)
			c.Repositories = append(c.Repositories, Repository{ID: id, OAIURL: "https://" + id + ".example.org/server/oai/request"})
		}
	})
	named, next := 0, "/"
	for page := 1; next != ""; page++ {
		status, _, body := g.ask(t, "GET", next, nil)
		if status != 200 || len(body) > 100_000 {
			t.Fatalf("%s is answered %d with %d bytes", next, status, len(body))
		}
		named += strings.Count(body, `<th scope="row">`)
		next = linkTo(body, "next")
		if back := linkTo(body, "prev"); (back == "") != (page == 1) {
			t.Errorf("page %d leads back to %q", page, back)
		}
	}
	if named != repositories {
		t.Errorf("the pages name %d repositories, want %d", named, repositories)
	}
	for _, odd := range []string{"0", "-1", "99999999999999999999", "6", "x"} {
		if status, _, body := g.ask(t, "GET", "/?page="+odd, nil); status != 200 || !strings.Contains(body, `<th scope="row">`) {
			t.Errorf("page %s is answered %d", odd, status)
		}
	}
}

// linkTo is the path and query of the link with a rel in a page; "" if none.
func linkTo(page, rel string) string {
	before, _, found := strings.Cut(page, `" rel="`+rel+`"`)
	if !found {
		return ""
	}
	address := before[strings.LastIndex(before, `href="`)+len(`href="`):]
	_, path, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	return "/" + path
}
