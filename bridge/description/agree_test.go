package description

import "testing"

// A link is made without the records: what it leads to must be there.
func TestWhatIsLinkedCanBeMade(t *testing.T) {
	t.Parallel()
	linked, more := 0, 0
	for _, s := range sources(t) {
		got := describe(t, s).Complete()
		if said := s.Object.Documents; said&^got != 0 {
			t.Errorf("%s: %b are linked, and %b can be made", s.Identifier, said, got)
		} else if got != said {
			more++
		}
		linked++
	}
	if more*100 > linked {
		t.Errorf("of %d records, %d are complete enough for documents that are not linked", linked, more)
	}
	t.Logf("%d records, of %d more could be linked", linked, more)
}
