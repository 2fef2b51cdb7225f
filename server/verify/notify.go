package verify

import (
	"bytes"
	"context"
	"slices"

	"fingerpost/bridge/linkset"
)

// mostCollections is how often an agent goes from a file to its landing page. One
// is usual; a hostile page leads on for ever.
const mostCollections = 5

// An outcome is where the web-agent algorithm of COAR Notify ended.
type outcome struct {
	metadata string // URL; "" if none was found
	step     int    // 2: in a header; 6: in HTML; 7: nowhere
	page     string // that had the link
	sure     bool   // beside it stands that the page is a landing page
}

// findMetadata is the algorithm for web agents. COAR Notify, "Web agents".
func (v *visit) findMetadata(ctx context.Context, url string) (outcome, error) {
	for range mostCollections {
		head, err := v.head(ctx, url, acceptPage) // step 1
		if err != nil {
			return outcome{}, err
		}
		links := head.own()
		if found := targets(links, "describedby"); len(found) > 0 {
			return outcome{found[0], 2, head.url, saysLandingPage(links)}, nil
		}
		if up := targets(links, "collection"); len(up) > 0 { // step 3
			url = up[0]
			continue
		}
		if head.mediaType() != "text/html" { // step 4
			break
		}
		get, err := v.get(ctx, url, acceptPage, maxPage) // step 5
		if err != nil {
			return outcome{}, err
		}
		links, _ = linkset.ParseHTML(bytes.NewReader(get.html()), get.url)
		if found := targets(links, "describedby"); len(found) > 0 {
			return outcome{found[0], 6, get.url, saysLandingPage(links)}, nil
		}
		break
	}
	return outcome{step: 7}, nil
}

// saysLandingPage is the stricter form of the algorithm. COAR Notify.
func saysLandingPage(s linkset.LinkSet) bool {
	return slices.ContainsFunc(targets(s, "type"), isAboutPage)
}

// notify does what a COAR Notify agent does, and looks for the inbox.
func (c *check) notify() {
	switch o, err := c.findMetadata(c.ctx, c.URL); {
	case err != nil:
		c.add("FP-COAR-METADATA-NONE", "A COAR Notify agent finds no metadata, since its HEAD request fails: %v.", err)
	case o.metadata == "":
		c.add("FP-COAR-METADATA-NONE", "A COAR Notify agent finds no metadata (step %d of its algorithm).", o.step)
	default:
		c.add("FP-COAR-METADATA", "A COAR Notify agent finds the metadata at %s, in the %s of %s (step %d of its algorithm).",
			o.metadata, map[int]string{2: "header", 6: "HTML"}[o.step], o.page, o.step)
		if !o.sure {
			c.add("FP-COAR-ABOUTPAGE", "Beside the link to the metadata, nothing says that %s is a landing page.", o.page)
		}
	}
	switch inbox := targets(c.own, inboxRel); len(inbox) {
	case 0:
		c.add("FP-COAR-INBOX-MISSING", "The page does not name an inbox. That matters only if the repository takes notifications.")
	case 1:
		c.add("FP-COAR-INBOX", "Notifications go to %s.", inbox[0])
	default:
		c.add("FP-COAR-INBOX-MANY", "The page names %d inboxes, such as %s and %s.", len(inbox), inbox[0], inbox[1])
	}
}
