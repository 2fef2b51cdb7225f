package vocabulary

import (
	"strings"
	"sync"
)

// Work returns the class of schema.org with a name, in whatever case, if it is one
// of what repositories keep. All else that pages describe is about the site.
func Work(name string) (class string, ok bool) {
	class, ok = works()[strings.ToLower(name)]
	return class, ok
}

var works = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for class := range strings.FieldsSeq(`Article ScholarlyArticle MedicalScholarlyArticle NewsArticle TechArticle BlogPosting Report Review Thesis
		Book BookSeries Chapter Dataset DataFeed SoftwareSourceCode SoftwareApplication CreativeWork DigitalDocument TextDigitalDocument
		PresentationDigitalDocument SpreadsheetDigitalDocument ImageObject VideoObject AudioObject MediaObject 3DModel Map Photograph Poster
		Painting Drawing Sculpture VisualArtwork Manuscript ArchiveComponent Collection Course LearningResource MusicComposition MusicRecording
		SheetMusic Movie Play Clip Episode Legislation Patent Letter PublicationIssue Preprint`) {
		out[strings.ToLower(class)] = class
	}
	return out
})
