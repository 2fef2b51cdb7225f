package description

import (
	"strings"

	"fingerpost/bridge/crosswalk"
)

// Funding is a grant.
type Funding struct {
	Funder, FunderID, Award, URI, Title Value
}

func fundingOf(s said) (out []Funding) {
	list := s.richest(crosswalk.Funder, crosswalk.FunderID, crosswalk.Award, crosswalk.AwardURI, crosswalk.AwardTitle)
	for i, st := range list {
		switch {
		case i == 0, list[i-1].Group != st.Group, st.Kind == crosswalk.Funder && out[len(out)-1].Funder.Text != "":
			out = append(out, Funding{})
		case st.Kind == crosswalk.Award && out[len(out)-1].Award.Text != "": // another of the same funder
			out = append(out, Funding{Funder: out[len(out)-1].Funder, FunderID: out[len(out)-1].FunderID})
		}
		out[len(out)-1].add(st)
	}
	return once(out, func(f Funding) string {
		return strings.Join([]string{f.Funder.Text, f.FunderID.Text, f.Award.Text, f.URI.Text, f.Title.Text}, "\n")
	})
}

func (f *Funding) add(st *crosswalk.Statement) {
	v := stated(st, longestValue)
	switch st.Kind {
	case crosswalk.Funder:
		f.Funder = v
	case crosswalk.FunderID:
		f.FunderID = v
	case crosswalk.Award:
		f.Award = v
	case crosswalk.AwardURI:
		f.URI = v
	case crosswalk.AwardTitle:
		f.Title = v
	}
}
