package description

import (
	"bytes"
	"testing"

	"fingerpost/bridge"
)

// A landing page adds to the links. What describes the object is the harvested
// metadata; of a page only what became of it in the Object is there.
func TestLandingPagesDoNotDescribe(t *testing.T) {
	source := article()
	source.Object.Items[0].Restricted = true
	source.Records = append(source.Records, bridge.Record{Prefix: "landing-page", Metadata: []byte(
		`<page xmlns="fingerpost:landing-page:1" url="https://repo.example.org/1"><meta><DC.rights>Rights of the site</DC.rights><DC.type>Dataset</DC.type></meta></page>`)})
	form, _ := Named("schema.jsonld")
	document, ok := describe(t, source).Render(form)
	if !ok || !bytes.Contains(document, []byte(`"schema:conditionsOfAccess": "restricted"`)) {
		t.Errorf("nothing says that the file is restricted: %s", document)
	}
	if bytes.Contains(document, []byte("Rights of the site")) {
		t.Errorf("the landing page describes: %s", document)
	}
}
