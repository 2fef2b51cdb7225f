package description

import (
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// languagesOf returns what is stated as BCP 47 has it, by a table: codes of two
// and three letters, and names in English. What is in no table is left out.
func languagesOf(s said) []Value {
	return distinct(s.richest(crosswalk.Language), func(st *crosswalk.Statement) (out []Value) {
		if tag := languageOf(st.Value); tag != "" {
			return []Value{of(st, tag)}
		}
		for _, part := range strings.FieldsFunc(st.Value, func(r rune) bool { return strings.ContainsRune(" ,;|/", r) }) {
			out = append(out, of(st, languageOf(part)))
		}
		return out
	})
}

// languageOf returns the tag of one language, with its region if that is stated;
// "" if it is in no table.
func languageOf(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > 40 {
		return ""
	}
	name, region, _ := strings.Cut(strings.ReplaceAll(value, "_", "-"), "-")
	tag := languageTags[strings.ToLower(name)]
	if len(region) == 2 && tag != "" && len(name) <= 3 && text.IsLetters(region) {
		return tag + "-" + strings.ToUpper(region)
	}
	if region != "" {
		return ""
	}
	return tag
}

// languageTags are the tags by code and name, in lower case.
var languageTags = func() map[string]string {
	tags := map[string]string{}
	for row := range strings.FieldsSeq(languageTable) {
		words := strings.Split(row, ",")
		for _, w := range words {
			tags[w] = words[0]
		}
	}
	return tags
}()

// languageTable has a language in each word: its tag in BCP 47, its codes in
// ISO 639-2, its name.
const languageTable = `
af,afr,afrikaans am,amh,amharic ar,ara,arabic az,aze,azerbaijani be,bel,belarusian bg,bul,bulgarian bn,ben,bengali
bs,bos,bosnian ca,cat,catalan cs,ces,cze,czech cy,cym,wel,welsh da,dan,danish de,deu,ger,german el,ell,gre,greek
en,eng,english eo,epo,esperanto es,spa,spanish et,est,estonian eu,eus,baq,basque fa,fas,per,persian fi,fin,finnish
fr,fra,fre,french ga,gle,irish gl,glg,galician gu,guj,gujarati ha,hau,hausa he,heb,hebrew hi,hin,hindi hr,hrv,croatian
hu,hun,hungarian hy,hye,arm,armenian id,ind,indonesian is,isl,ice,icelandic it,ita,italian ja,jpn,japanese ka,kat,geo,georgian
kk,kaz,kazakh km,khm,khmer kn,kan,kannada ko,kor,korean ku,kur,kurdish ky,kir,kirghiz la,lat,latin lb,ltz,luxembourgish
lt,lit,lithuanian lv,lav,latvian mk,mkd,mac,macedonian ml,mal,malayalam mn,mon,mongolian mr,mar,marathi ms,msa,may,malay
mt,mlt,maltese my,mya,bur,burmese nb,nob ne,nep,nepali nl,nld,dut,dutch nn,nno no,nor,norwegian oc,oci,occitan
pa,pan,punjabi pl,pol,polish pt,por,portuguese qu,que,quechua ro,ron,rum,romanian ru,rus,russian sa,san,sanskrit
si,sin,sinhala sk,slk,slo,slovak sl,slv,slovenian so,som,somali sq,sqi,alb,albanian sr,srp,serbian sv,swe,swedish
sw,swa,swahili ta,tam,tamil te,tel,telugu th,tha,thai tr,tur,turkish uk,ukr,ukrainian ur,urd,urdu uz,uzb,uzbek
vi,vie,vietnamese yi,yid,yiddish yo,yor,yoruba zh,zho,chi,chinese zu,zul,zulu`
