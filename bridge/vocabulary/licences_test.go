package vocabulary

import (
	"errors"
	"strings"
	"testing"
)

func TestLicenceOf(t *testing.T) {
	const cc = "https://creativecommons.org/licenses/"
	for value, want := range map[string]string{
		// URIs, however they are written.
		"https://creativecommons.org/licenses/by/4.0/":          cc + "by/4.0/",
		"https://creativecommons.org/publicdomain/zero":         "https://creativecommons.org/publicdomain/zero/1.0/",
		"https://creativecommons.org/licenses/by/2.5/scotland/": cc + "by/2.5/scotland/",
		"CC 4.0 BY":       cc + "by/4.0/",
		"CC BY 2.1 Spain": cc + "by/2.1/es/",
		"http://creativecommons.org/licenses/by/4.0":                                cc + "by/4.0/",
		"http://www.creativecommons.org/licences/BY-NC-SA/4.0/":                     cc + "by-nc-sa/4.0/",
		"https://creativecommons.org/licenses/by/4.0/legalcode":                     cc + "by/4.0/",
		"https://creativecommons.org/licenses/by/4.0/deed.de":                       cc + "by/4.0/",
		"https://creativecommons.org/licenses/by/4.0/de/":                           cc + "by/4.0/", // nothing was ported after 3.0
		"https://creativecommons.org/licenses/by/4.0/?ref=chooser-v1#x":             cc + "by/4.0/",
		"http://creativecommons.org/licenses/by-nc-nd/3.0/us/":                      cc + "by-nc-nd/3.0/us/",
		"http://creativecommons.org/licenses/by/3.0/igo/legalcode":                  cc + "by/3.0/igo/",
		"http://creativecommons.org/licenses/by-nd-nc/1.0/":                         cc + "by-nd-nc/1.0/",
		"creativecommons.org/licenses/by/4.0/":                                      cc + "by/4.0/",
		"http://creativecommons.org/publicdomain/zero/1.0/deed.en":                  "https://creativecommons.org/publicdomain/zero/1.0/",
		"https://creativecommons.org/publicdomain/mark/1.0/":                        "https://creativecommons.org/publicdomain/mark/1.0/",
		"https://rightsstatements.org/page/InC-EDU/1.0/?language=en":                "http://rightsstatements.org/vocab/InC-EDU/1.0/",
		"http://rightsstatements.org/vocab/noc-us/1.0/":                             "http://rightsstatements.org/vocab/NoC-US/1.0/",
		"http://opendatacommons.org/licenses/odbl/":                                 "https://opendatacommons.org/licenses/odbl/1-0/",
		"http://www.opendefinition.org/licenses/odc-by":                             "https://opendatacommons.org/licenses/by/1-0/",
		"https://spdx.org/licenses/CC-BY-SA-4.0.html":                               cc + "by-sa/4.0/",
		"https://spdx.org/licenses/MIT.html":                                        "https://spdx.org/licenses/MIT",
		"https://opensource.org/licenses/MIT":                                       "https://spdx.org/licenses/MIT",
		"https://opensource.org/licenses/BSD-3-Clause":                              "https://spdx.org/licenses/BSD-3-Clause",
		"https://www.apache.org/licenses/LICENSE-2.0.txt":                           "https://spdx.org/licenses/Apache-2.0",
		"https://www.gnu.org/licenses/gpl-3.0-standalone.html":                      "https://www.gnu.org/licenses/gpl-3.0.html",
		"http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",

		// Identifiers and names with a version.
		"CC-BY-4.0":        cc + "by/4.0/",
		"cc-by-nc-nd-4.0":  cc + "by-nc-nd/4.0/",
		"CC BY 4.0":        cc + "by/4.0/",
		"CC_BY_SA_3.0":     cc + "by-sa/3.0/",
		"CCBY 4.0":         cc + "by/4.0/",
		"CC-BY-ND-NC 1.0":  cc + "by-nd-nc/1.0/",
		"CC BY-NC-ND v4.0": cc + "by-nc-nd/4.0/",
		"Creative Commons Attribution 4.0 International":                       cc + "by/4.0/",
		"Creative Commons Attribution 4.0 International License":               cc + "by/4.0/",
		"Creative Commons: Attribution-NonCommercial-ShareAlike 4.0":           cc + "by-nc-sa/4.0/",
		"Creative Commons Attribution License, version 3.0":                    cc + "by/3.0/",
		"Attribution-NonCommercial-NoDerivs 3.0 United States":                 cc + "by-nc-nd/3.0/us/",
		"Attribution-NonCommercial-NoDerivs 2.0 UK: England & Wales":           cc + "by-nc-nd/2.0/uk/",
		"Attribution-Noncommercial-Share Alike 3.0 Unported":                   cc + "by-nc-sa/3.0/",
		"Atribución-NoComercial-SinDerivadas 4.0 Internacional":                cc + "by-nc-nd/4.0/",
		"Reconocimiento-NoComercial-SinObraDerivada 3.0 España":                cc + "by-nc-nd/3.0/es/",
		"Creative Commons Namensnennung - Keine Bearbeitung 4.0 International": cc + "by-nd/4.0/",
		"Attribution - Pas d'Utilisation Commerciale 4.0 International":        cc + "by-nc/4.0/",
		"Atribuição-NãoComercial-SemDerivações 4.0 Internacional":              cc + "by-nc-nd/4.0/",
		"Attribuzione - Non opere derivate 4.0 Internazionale":                 cc + "by-nd/4.0/",
		"表示 - 非営利 - 継承 4.0 国際":                                                 cc + "by-nc-sa/4.0/",
		"CC0":                                                                  "https://creativecommons.org/publicdomain/zero/1.0/",
		"cc-zero":                                                              "https://creativecommons.org/publicdomain/zero/1.0/",
		"Creative Commons Zero v1.0 Universal":                                 "https://creativecommons.org/publicdomain/zero/1.0/",
		"CC0 1.0 Universal (CC0 1.0) Public Domain Dedication":                 "https://creativecommons.org/publicdomain/zero/1.0/",
		"Public Domain Mark 1.0":                                               "https://creativecommons.org/publicdomain/mark/1.0/",
		"MIT License":                                                          "https://spdx.org/licenses/MIT",
		"apache-2.0":                                                           "https://spdx.org/licenses/Apache-2.0",
		"GPL-2.0":                                                              "https://spdx.org/licenses/GPL-2.0-only",
		"GPL-2.0+":                                                             "https://spdx.org/licenses/GPL-2.0-or-later",
		`BSD 3-Clause "New" or "Revised" License`:                              "https://spdx.org/licenses/BSD-3-Clause",
		"Open Data Commons Open Database License (ODbL) v1.0":                  "https://opendatacommons.org/licenses/odbl/1-0/",

		// Sentences that have one of these.
		"License: http://creativecommons.org/licenses/by-nc-sa/4.0/":                                                                                      cc + "by-nc-sa/4.0/",
		"All authors hold their own copyright. http://creativecommons.org/licenses/by-nc-nd/3.0/us/.":                                                     cc + "by-nc-nd/3.0/us/",
		"Copyright (c) 2015 Ada Harrow (https://creativecommons.org/licenses/by/4.0)":                                                                     cc + "by/4.0/",
		`This work is licensed under a <a href="http://creativecommons.org/licenses/by/4.0/">Creative Commons Attribution 4.0 International License</a>.`: cc + "by/4.0/",
		"Distributed under the terms of the Creative Commons Attribution License 4.0, which permits use.":                                                 cc + "by/4.0/",
		"© 2019 The Authors. Published by Shores Press under CC BY-NC-ND 4.0 (Creative Commons Attribution-NonCommercial-NoDerivatives 4.0).":             cc + "by-nc-nd/4.0/",
	} {
		got, err := LicenceOf(value)
		if got != want || err != nil {
			t.Errorf("LicenceOf(%q) = %q, %v, want %q", value, got, err, want)
		}
	}
}

func TestLicenceOfRefused(t *testing.T) {
	for value, want := range map[string]error{
		"cc_by_nc_nd": errVersionless,
		"CC BY":       errVersionless,
		"CC BY 2.1":   errVersionless, // which was only ever ported
		"see http://creativecommons.org/licenses/by/ for it": errVersionless,
		"https://creativecommons.org/publicdomain/zero/2.0/": ErrUnknownLicence,
		"CCBY":                         errVersionless,
		"CC BY Waiver":                 errVersionless,
		"CC Attribution":               errVersionless,
		"CC BY 5.0":                    errVersionless, // there is no such version
		"Creative Commons Attribution": errVersionless,
		"http://creativecommons.org/licenses/by-nc-nd/":                                  errVersionless,
		"http://www.opendefinition.org/licenses/cc-by":                                   errVersionless,
		"Distributed under the Creative Commons Attribution License, which permits use.": errVersionless,
		"Attribution-NonCommercial 4.0 Spain":                                            ErrUnknownLicence, // 4.0 was not ported
		"CC BY-NC 4.0 Spain":                                                             errVersionless,
		"info:eu-repo/semantics/openAccess":                                              errAccessRight,
		"http://purl.org/coar/access_right/c_abf2":                                       errAccessRight,
		"Open Access": errAccessRight,
		"restricted":  errAccessRight,
		"İzinli":      errAccessRight,
		"This article is available in open access.":      errAccessRight,
		"All Rights Reserved":                            errCopyrightNotice,
		"© 2016 The Authors":                             errCopyrightNotice,
		"Tous droits réservés © Revue des rivages, 2015": errCopyrightNotice,
		"Copyright (c) 2015 Journal of Shores":           errCopyrightNotice,
		"Public domain":                                  errCopyrightNotice,
		"In Copyright":                                   errCopyrightNotice,
		"Public domain. The library considers that this work is no longer under copyright.": errCopyrightNotice,
		"default":     errNoLicence,
		"None stated": errNoLicence,
		"":            errNoLicence,
		" . ":         errNoLicence,
		"Metadata may be used without restrictions as long as the oai identifier remains attached to it.": errMetadataLicence,
		"All metadata are available under CC0 1.0.":                                                       errMetadataLicence,
		"Text CC BY 4.0, images CC BY-NC 4.0":                                                             errSeveralLicences,
		"https://www.example.edu/terms-of-use":                                                            ErrUnknownLicence,
		"http://rightsstatements.org/vocab/XYZ/1.0/":                                                      ErrUnknownLicence,
		"Shores Press": ErrUnknownLicence,
		"by":           ErrUnknownLicence,
		"DANS License": ErrUnknownLicence,
		"Permission is granted by the author 3.0": ErrUnknownLicence,
	} {
		got, err := LicenceOf(value)
		if got != "" || !errors.Is(err, want) {
			t.Errorf("LicenceOf(%q) = %q, %v, want it refused: %v", value, got, err, want)
		}
	}
}

// TestLicenceTable checks the table against what reads it.
func TestLicenceTable(t *testing.T) {
	for _, row := range rows("licences") {
		switch kind := row[0]; kind {
		case "name":
			if got, err := LicenceOf(row[1]); got != row[2] {
				t.Errorf("LicenceOf(%q) = %q, %v, want %q", row[1], got, err, row[2])
			}
		case "url":
			if got, err := LicenceOf("https://" + row[1]); got != row[2] {
				t.Errorf("LicenceOf(https://%s) = %q, %v, want %q", row[1], got, err, row[2])
			}
		case "statement":
			want := "http://rightsstatements.org/vocab/" + row[1] + "/1.0/"
			if got, _ := LicenceOf(want); got != want {
				t.Errorf("LicenceOf(%q) = %q", want, got)
			}
		case "refused":
			if got, _ := LicenceOf(row[1]); got != "" {
				t.Errorf("LicenceOf(%q) = %q, want it refused", row[1], got)
			}
		case "eprints":
			if got, ok := EPrintsLicence(row[1]); !ok || got != row[2] {
				t.Errorf("EPrintsLicence(%q) = %q, %v, want %q", row[1], got, ok, row[2])
			}
			if again, err := LicenceOf(row[2]); again != row[2] {
				t.Errorf("LicenceOf(%q) = %q, %v", row[2], again, err)
			}
		case "part", "port":
		default:
			t.Errorf("a row of unknown kind %q", kind)
		}
	}
}

// TestLicenceFamilies: licences of institutions and governments, each as it is
// named and as it is addressed.
func TestLicenceFamilies(t *testing.T) {
	const dppl = "https://www.hbz-nrw.de/produkte/open-access/lizenzen/dppl/dppl/"
	for value, want := range map[string]string{
		dppl + "DPPL_v3_en_11-2008":                                         dppl + "DPPL_v3_en_11-2008",
		"http://www.dipp.nrw.de/lizenzen/dppl/dppl/DPPL_v2_de_06-2004.html": dppl + "DPPL_v2_de_06-2004",
		"Digital Peer Publishing Licence (DPPL) v3.0":                       dppl + "DPPL_v3_en_11-2008",
		"Licence Ouverte / Open Licence version 2.0":                        "https://www.etalab.gouv.fr/licence-ouverte-open-licence",
		"http://hal.archives-ouvertes.fr/licences/etalab/":                  "https://www.etalab.gouv.fr/licence-ouverte-open-licence",
		"Open Government Licence v2":                                        "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/2/",
		"OGL-UK-1.0":                                                        "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/1/",
		"Datenlizenz Deutschland – Namensnennung – Version 2.0":             "https://www.govdata.de/dl-de/by-2-0",
		"http://dcat-ap.de/def/licenses/dl-zero-de/2.0":                     "https://www.govdata.de/dl-de/zero-2-0",
		"Norsk lisens for offentlige data (NLOD) 2.0":                       "https://data.norge.no/nlod/en/2.0",
		"http://data.norge.no/nlod/no/1.0":                                  "https://data.norge.no/nlod/en/1.0",
		"GNU General Public License, version 3":                             "https://www.gnu.org/licenses/gpl-3.0.html",
		"GFDL 1.2":                                                          "https://www.gnu.org/licenses/old-licenses/fdl-1.2.html",
		"LGPLv3":                                                            "https://www.gnu.org/licenses/lgpl-3.0.html",
		"ODbL":                                                              "https://opendatacommons.org/licenses/odbl/1-0/",
		"Open Data Commons Attribution License":                             "https://opendatacommons.org/licenses/by/1-0/",
	} {
		if got, err := LicenceOf(value); got != want {
			t.Errorf("LicenceOf(%q) = %q, %v, want %q", value, got, err, want)
		}
	}
	for _, id := range []string{"cc_by", "CC_BY_4", "cc by 4", "default"} {
		if got, ok := EPrintsLicence(id); ok != (id == "cc_by") {
			t.Errorf("EPrintsLicence(%q) = %q, %v", id, got, ok)
		}
	}
}

// TestSaysLicence: an address outside the table is a house licence if it says
// so itself, and nothing says that it is none.
func TestSaysLicence(t *testing.T) {
	for address, want := range map[string]bool{
		"https://opus.example.edu/default/license/index/licId/3":        true,
		"https://journal.example.org/Lizenzen/haus.pdf":                 true,
		"https://licencias.example.es/2":                                true,
		"https://repo.example.edu/12":                                   false,
		"https://repo.example.edu/copyright":                            false,
		"https://creativecommons.org/licenses/":                         false,
		"https://creativecommons.org/licenses/by/4.0/":                  false,
		"http://hal.archives-ouvertes.fr/licences/copyright/":           false,
		"https://www.rioxx.net/licenses/all-rights-reserved":            false,
		"All rights reserved; see https://journal.example.org/licence/": false,
	} {
		if got := SaysLicence(address); got != want {
			t.Errorf("SaysLicence(%q) = %v, want %v", address, got, want)
		}
	}
}

// FuzzLicenceOf: what LicenceOf returns is canonical.
func FuzzLicenceOf(f *testing.F) {
	for _, s := range []string{
		"CC BY 4.0", "http://creativecommons.org/licenses/by/3.0/us/", "Creative Commons Attribution Share Alike 3.0 Spain", "GPL-2.0+",
		"http://rightsstatements.org/vocab/InC/1.0/", "© 2016", "http http://a http", "cc", "CC0", "see https://spdx.org/licenses/MIT.html.",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		uri, err := LicenceOf(value)
		if (err == nil) != (uri != "") {
			t.Fatalf("LicenceOf(%q) = %q, %v", value, uri, err)
		}
		if err != nil || !strings.Contains(uri, "creativecommons.org") {
			return
		}
		if again, err := LicenceOf(uri); again != uri {
			t.Errorf("LicenceOf(%q) = %q, of which it makes %q, %v", value, uri, again, err)
		}
	})
}

func BenchmarkLicenceOf(b *testing.B) {
	for name, value := range map[string]string{
		"uri":   "http://creativecommons.org/licenses/by-nc-nd/4.0/",
		"name":  "Attribution-NonCommercial-NoDerivs 3.0 United States",
		"none":  "info:eu-repo/semantics/openAccess",
		"prose": "© 2019 The Authors. This article may be read by everybody and copied by nobody without the permission of the publisher.",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = LicenceOf(value)
			}
		})
	}
}
