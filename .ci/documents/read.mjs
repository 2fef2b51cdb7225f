// Reads references of BibTeX and RIS as citation-js does, for the tests of
// bridge/description.
//
//   node read.mjs DOCUMENTS
//
// DOCUMENTS is a file with a list of texts in JSON. The answer is a list of what
// each says in CSL-JSON; what cannot be read is a text with the reason.
import fs from 'node:fs'
import { Cite } from '@citation-js/core'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-ris'

const read = text => {
  try {
    const forceType = text.startsWith('TY  - ') ? '@ris/file' : '@biblatex/text'
    return new Cite(text, { forceType, generateGraph: false }).data
  } catch (e) {
    return String(e)
  }
}
process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')).map(read)))
