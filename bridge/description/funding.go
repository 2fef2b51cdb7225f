package description

import "fingerpost/bridge/crosswalk"

// Funding is a grant.
type Funding struct {
	Funder, FunderID, Award, URI, Title Value
}

func fundingOf(s said) (out []Funding) {
	list := s.richest(crosswalk.Funder, crosswalk.FunderID, crosswalk.Award, crosswalk.AwardURI, crosswalk.AwardTitle)
	for i, st := range list {
		if i == 0 || list[i-1].Group != st.Group {
			if len(out) == mostValues {
				break
			}
			out = append(out, Funding{})
		}
		out[len(out)-1].add(st)
	}
	return out
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
