package description

// Thesis is what a thesis was written for: the name of the degree, or its level,
// and who granted it.
type Thesis struct{ Degree, Grantor Value }

func thesisOf(degrees []Value) Thesis {
	degree := first(qualified(degrees, "name"))
	if degree.Text == "" {
		degree = first(qualified(degrees, "level"))
	}
	return Thesis{degree, first(qualified(degrees, "grantor"))}
}
