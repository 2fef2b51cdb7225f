package dashboard

import "fmt"

// step is one of the steps to Signposting, as `fingerpost check` examines them.
type step struct {
	Name, Text string
	Done       bool
	Next       bool // it is the first that is not known to be done
	Asks       bool // only a look from outside tells: `fingerpost check`
}

// steps are those of a repository. What the store tells is told here; no page asks
// the network.
func (d *Dashboard) steps(p repositoryPage) []step {
	published := step{Name: "Step 0: publish link sets and Signmap", Text: p.Configured.Signmap, Done: p.Objects > 0 && d.Unreachable == ""}
	if d.Unreachable != "" {
		published.Text = d.Unreachable
	}
	all := []step{
		{Name: "Harvest all of it", Text: "The first complete harvest makes the links.", Done: !p.Complete.IsZero()},
		published,
		{Name: "Step 1: robots.txt leads to the Signmap", Text: fmt.Sprintf("Add the line Sitemap: %s", p.Configured.Signmap), Asks: true},
		{Name: "Step 2: landing pages have Link headers", Text: "Add the configuration below to the web server of the repository, or set edge.listen and edge.origin.", Asks: true},
		{Name: "Step 3: landing pages have link elements", Text: "Set edge.html if the proxy stands in front.", Asks: true},
	}
	for i := range all {
		if !all[i].Done {
			all[i].Next = true
			break
		}
	}
	return all
}
