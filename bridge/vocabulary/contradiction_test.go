package vocabulary

import "testing"

func TestContradicts(t *testing.T) {
	for _, test := range []struct {
		stated, ending string
		want           bool
	}{
		{"application/pdf", "text/csv", true},
		{"image/jpeg", "image/tiff", true},
		{"text/html", "application/pdf", true},
		{"application/pdf", "application/pdf", false},
		{"text/plain", "text/csv", false},
		{"text/plain", "application/json", false},
		{"application/octet-stream", "text/csv", false},
		{"application/zip", "application/epub+zip", false},
		{"application/zip", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", false},
		{"application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", false},
		{"text/xml", "application/tei+xml", false},
		{"application/x-gzip", "application/gzip", false},
		{"application/vnd.oasis.opendocument.text", "application/zip", false},
		{"application/java-archive", "application/zip", false},
		{"application/pdf", "application/zip", true},
		{"text/html", "application/xml", false},
		{"image/png", "application/xml", true},
		{"application/mathml+xml", "text/plain", false},
		{"application/x-latex", "text/plain", false},
		{"application/rtf", "text/plain", false},
		{"application/pdf", "text/plain", true},
		{"application/x-tar", "application/gzip", false},
		{"application/gzip", "application/x-tar", false},
		{"audio/mpeg", "application/gzip", true},
		{"application/x-zip-compressed", "application/zip", false},
	} {
		if got := Contradicts(test.stated, test.ending); got != test.want {
			t.Errorf("Contradicts(%q, %q) = %v", test.stated, test.ending, got)
		}
	}
}
