package landingpage

import "embed"

// Code is the source of this package, for the version of the mapping.
//
//go:embed *.go
var Code embed.FS
