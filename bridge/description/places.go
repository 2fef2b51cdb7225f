package description

import (
	"slices"
	"strconv"
	"strings"

	"fingerpost/bridge/crosswalk"
)

// Place is where something is: a name, a box, a point, or a polygon of points.
type Place struct {
	Name                     Value
	West, East, South, North Value
	Points                   []Point
}

// Point has its numbers as JSON writes them.
type Point struct{ Latitude, Longitude Value }

func placesOf(s said, coverage []Value) (out []Place) {
	for _, name := range qualified(coverage, "spatial") {
		out = append(out, Place{Name: name})
	}
	return append(out, coordinatesOf(s)...)
}

// coordinatesOf reads the places that are stated in degrees. What is outside the
// earth, or whose numbers have no order that the format fixes, is left out.
func coordinatesOf(s said) (out []Place) {
	list := s.richest(crosswalk.Coordinates)
	for i, st := range list {
		if i == 0 || st.Group != list[i-1].Group || out[len(out)-1].has(st) {
			out = append(out, Place{})
		}
		out[len(out)-1].add(st)
	}
	out = slices.DeleteFunc(out, func(p Place) bool { return !p.isBox() && !p.isShape() })
	return once(out, func(p Place) string {
		all := []Value{p.South, p.West, p.North, p.East}
		for _, at := range p.Points {
			all = append(all, at.Latitude, at.Longitude)
		}
		return joined(" ", all...).Text
	})
}

func (p *Place) isBox() bool {
	return p.West.Text != "" && p.East.Text != "" && p.South.Text != "" && p.North.Text != ""
}

// isShape reports whether there is a point, or as many as a polygon has at
// least, each whole.
func (p *Place) isShape() bool {
	for _, point := range p.Points {
		if point.Latitude.Text == "" || point.Longitude.Text == "" {
			return false
		}
	}
	return len(p.Points) == 1 || len(p.Points) >= 4
}

// has reports whether the side of a box is there already, so that another box
// begins.
func (p *Place) has(st *crosswalk.Statement) bool {
	side := p.side(st.Qualifier)
	return side != nil && side.From != nil
}

// side is that of a box which formats call "west", "westbc", "westBL" or
// "westBoundLongitude"; nil if it is none.
func (p *Place) side(qualifier string) *Value {
	switch name := strings.ToLower(qualifier); {
	case strings.HasPrefix(name, "west"):
		return &p.West
	case strings.HasPrefix(name, "east"):
		return &p.East
	case strings.HasPrefix(name, "south"):
		return &p.South
	case strings.HasPrefix(name, "north"):
		return &p.North
	}
	return nil
}

func (p *Place) add(st *crosswalk.Statement) {
	if side := p.side(st.Qualifier); side != nil {
		most := 180.0
		if side == &p.South || side == &p.North {
			most = 90
		}
		*side = degrees(st, st.Value, most)
		return
	}
	numbers := strings.Fields(st.Value)
	switch kind := strings.ToLower(st.Qualifier); {
	case kind == "pointlongitude":
		p.point(func(at Point) bool { return at.Longitude.From == nil }).Longitude = degrees(st, st.Value, 180)
	case kind == "pointlatitude":
		p.point(func(at Point) bool { return at.Latitude.From == nil }).Latitude = degrees(st, st.Value, 90)
	case kind == "point" && len(numbers) == 2: // DataCite 3, 18.1
		p.Points = append(p.Points, Point{degrees(st, numbers[0], 90), degrees(st, numbers[1], 180)})
	case kind == "box" && len(numbers) == 4: // DataCite 3, 18.2: the lower corner, then the upper
		p.South, p.West = degrees(st, numbers[0], 90), degrees(st, numbers[1], 180)
		p.North, p.East = degrees(st, numbers[2], 90), degrees(st, numbers[3], 180)
	}
}

// point is the last one if it lacks a number, else another.
func (p *Place) point(lacks func(Point) bool) *Point {
	if n := len(p.Points); n == 0 || !lacks(p.Points[n-1]) {
		p.Points = append(p.Points, Point{})
	}
	return &p.Points[len(p.Points)-1]
}

// degrees is a number of degrees; without text if it is no number, or greater
// than there are.
func degrees(st *crosswalk.Statement, value string, most float64) Value {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(-most <= n && n <= most) {
		return of(st, "")
	}
	return of(st, strconv.FormatFloat(n, 'f', -1, 64))
}

func number(name string, v Value) node { return node{name: name, form: aNumber, Value: v} }

// schemaPlace writes the latitude first. science-on-schema.org, spatial coverage.
func schemaPlace(p Place) node {
	var geo node
	switch {
	case p.Name.Text != "":
		return object("", array("@type", fixed("", "schema:Place")), value("schema:name", p.Name))
	case p.isBox():
		geo = object("schema:geo", array("@type", fixed("", "schema:GeoShape")), value("schema:box", joined(" ", p.South, p.West, p.North, p.East)))
	case len(p.Points) == 1:
		geo = object("schema:geo", array("@type", fixed("", "schema:GeoCoordinates")),
			number("schema:latitude", p.Points[0].Latitude), number("schema:longitude", p.Points[0].Longitude))
	default:
		return node{} // CDIF takes no polygons
	}
	return object("", array("@type", fixed("", "schema:Place")), geo)
}

func dataCitePlace(p Place) node {
	switch {
	case p.Name.Text != "":
		return object("", value("geoLocationPlace", p.Name))
	case p.isBox():
		return object("", object("geoLocationBox", number("westBoundLongitude", p.West), number("eastBoundLongitude", p.East),
			number("southBoundLatitude", p.South), number("northBoundLatitude", p.North)))
	case len(p.Points) == 1:
		return object("", dataCitePoint("geoLocationPoint", p.Points[0]))
	}
	return object("", each("geoLocationPolygon", p.Points, func(at Point) node { return object("", dataCitePoint("polygonPoint", at)) }))
}

func dataCitePoint(name string, at Point) node {
	return object(name, number("pointLongitude", at.Longitude), number("pointLatitude", at.Latitude))
}
