// Harvests a repository whose metadata is one element of text, and prints it.
const { OaiPmh } = require('oai-pmh')

const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

async function list(url) {
  const repository = new OaiPmh(url)
  await repository.identify()
  for await (const r of repository.listRecords({ metadataPrefix: 'oai_dc' })) {
    const element = r.metadata && r.metadata['t:text']
    const text = element ? `<t:text xmlns:t="${element.$['xmlns:t']}">${escape(element._)}</t:text>` : ''
    console.log([r.header.identifier, r.header.$ ? r.header.$.status : '', text].join('\t'))
  }
}

list(process.argv[2]).catch(e => { console.error(e); process.exit(1) })
