package element

import "embed"

// Code is the code of this package, of which bridge.Mapping makes its version.
//
//go:embed *.go
var Code embed.FS
