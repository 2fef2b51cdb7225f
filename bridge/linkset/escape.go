package linkset

import "fingerpost/bridge/uri"

// safe percent-encodes each byte that could end a value in any of the forms:
// controls, space, quotes, angle brackets, backslash and all beyond ASCII. What
// is left needs no further escape in a header or in JSON, and "&" alone in
// HTML. A link that Check accepts has none of them.
var safe = uri.Encoder{Keep: uri.Printable("\"<>\\")}
