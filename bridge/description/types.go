package description

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
	"fingerpost/bridge/vocabulary"
)

// kind is what each format calls a type of object.
type kind struct{ dataCite, csl, bibTeX, ris string }

// kinds are the types that the formats tell apart.
var kinds = map[string]kind{
	"data set":         {"Dataset", "dataset", "misc", "DATA"},
	"software":         {"Software", "software", "software", "COMP"},
	"journal article":  {"JournalArticle", "article-journal", "article", "JOUR"},
	"article":          {"Text", "document", "misc", "GEN"},
	"conference paper": {"ConferencePaper", "paper-conference", "inproceedings", "CPAPER"},
	"thesis":           {"Dissertation", "thesis", "thesis", "THES"},
	"book":             {"Book", "book", "book", "BOOK"},
	"chapter":          {"BookChapter", "chapter", "incollection", "CHAP"},
	"report":           {"Report", "report", "techreport", "RPRT"},
	"preprint":         {"Preprint", "article", "misc", "GEN"},
	"image":            {"Image", "graphic", "misc", "FIGURE"},
	"map":              {"Other", "map", "misc", "MAP"},
	"sound":            {"Sound", "document", "misc", "SOUND"},
	"film":             {"Audiovisual", "motion_picture", "misc", "VIDEO"},
	"poster":           {"Text", "speech", "misc", "GEN"},
	"slides":           {"Text", "speech", "misc", "SLIDE"},
	"text":             {"Text", "document", "misc", "GEN"},
	"other":            {"Other", "document", "misc", "GEN"},
}

// kindOfClass is the kind that a class of schema.org is, whatever was stated.
var kindOfClass = map[string]string{
	"Dataset": "data set", "DataCatalog": "data set", "SoftwareSourceCode": "software", "SoftwareApplication": "software",
	"ScholarlyArticle": "article", "Article": "article", "NewsArticle": "article", "Review": "article", "Thesis": "thesis",
	"Book": "book", "Chapter": "chapter", "Report": "report", "ImageObject": "image", "Photograph": "image",
	"VisualArtwork": "image", "Painting": "image", "Drawing": "image", "Map": "map", "AudioObject": "sound", "MusicRecording": "sound",
	"VideoObject": "film", "Movie": "film", "MediaObject": "film", "Poster": "poster", "PresentationDigitalDocument": "slides",
	"DigitalDocument": "text", "TextDigitalDocument": "text", "Manuscript": "text", "Letter": "text", "Periodical": "text", "Blog": "text",
}

// kindOfWord is the kind where a class of schema.org is too wide: by a label or
// the last part of a URI, in lower case, without spaces and punctuation.
var kindOfWord = map[string]string{
	"journalarticle": "journal article", "articlejournal": "journal article", "researcharticle": "journal article",
	"c6501": "journal article", "c2df8fbb1": "journal article", "articleinjournal": "journal article", "reviewarticle": "journal article",
	"cdcf0faec": "journal article", "infoeurepoarticle": "journal article",
	"conferencepaper": "conference paper", "conferenceobject": "conference paper", "c5794": "conference paper", "inproceedings": "conference paper",
	"proceedingspaper": "conference paper", "conferenceitem": "conference paper", "conferencecontribution": "conference paper",
	"conferenceorworkshopitem": "conference paper", "conferencearticle": "conference paper",
	"preprint": "preprint", "c816b": "preprint", "eprint": "preprint",
	"text": "text",
}

// bibTeXThesis are the entries of theses whose level is stated.
var bibTeXThesis = map[string]string{
	"doctoralthesis": "phdthesis", "phdthesis": "phdthesis", "cdb06": "phdthesis", "doctoraldissertation": "phdthesis", "dissertationphd": "phdthesis",
	"masterthesis": "mastersthesis", "mastersthesis": "mastersthesis", "cbdcc": "mastersthesis",
}

// types finds the statement that the object's type was made of, and its kind.
func (r reader) types() {
	class := strings.TrimPrefix(r.Object.Type, schemaOrg)
	name := kindOfClass[class]
	bibTeX := ""
	for i := range r.list {
		st := &r.list[i]
		if st.Kind != crosswalk.Type {
			continue
		}
		c, ok := vocabulary.TypeOf(st.Value)
		if !ok || c.URI != r.Object.Type {
			continue
		}
		if r.StatedType.Text == "" {
			r.StatedType = Value{text.Plain(st.Value, longestValue), st}
		}
		word := typeWord(st.Value)
		if k := kindOfWord[word]; k != "" && (name == "article" || name == "") {
			name = k
		}
		if bibTeX == "" {
			bibTeX = bibTeXThesis[word]
		}
	}
	if name == "" {
		name = "other"
	}
	r.Type = kinds[name]
	switch {
	case name == "thesis" && bibTeX != "":
		r.Type.bibTeX = bibTeX
	case (name == "journal article" || name == "conference paper" || name == "chapter") && r.Container.Title.Text == "":
		r.Type.bibTeX = "misc"
	}
}

// schemaOrg begins the URIs of the classes of schema.org in links.
const schemaOrg = "https://schema.org/"

// typeWord is a stated type as kindOfWord has it.
func typeWord(value string) string {
	if rest, ok := text.CutPrefixFold(value, "info:eu-repo/semantics/"); ok {
		if rest == "article" {
			return "infoeurepoarticle"
		}
		value = rest
	}
	value = value[strings.LastIndexByte(value, '/')+1:]
	return strings.ReplaceAll(text.Fold(value), " ", "")
}
