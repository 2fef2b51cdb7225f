package description

import (
	"cmp"
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

// typeOf returns the kind of an object, and the statement that its type was made
// of.
func typeOf(s said, d *Description) (kind, Value) {
	var stated Value
	name, bibTeX := kindOfClass[strings.TrimPrefix(d.Object.Type, schemaOrgClass)], ""
	for i := range s {
		st := &s[i]
		if st.Kind != crosswalk.Type {
			continue
		}
		if c, ok := vocabulary.TypeOf(st.Value); !ok || c.URI != d.Object.Type {
			continue
		}
		if stated.Text == "" {
			stated = of(st, text.Plain(st.Value, longestValue))
		}
		word := typeWord(st.Value)
		if k := kindOfWord[word]; k != "" && (name == "article" || name == "") {
			name = k
		}
		bibTeX = cmp.Or(bibTeX, bibTeXThesis[word])
	}
	k := kinds[cmp.Or(name, "other")]
	switch name {
	case "thesis":
		k.bibTeX = cmp.Or(bibTeX, k.bibTeX)
	case "journal article", "conference paper", "chapter":
		if d.Container.Title.Text == "" {
			k.bibTeX = "misc"
		}
	}
	return k, stated
}

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
