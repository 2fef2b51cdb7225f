// The pages can be read without this script. It writes times in the reader's own
// time zone; each keeps its time in UTC as a title.
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short',
})
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

function localTimes(within) {
  for (const time of within.querySelectorAll('time[datetime]:not([title])')) {
    const utc = time.textContent
    time.title = utc.includes('UTC') ? utc : time.dateTime
    time.textContent = (utc.includes(':') ? moment : date).format(new Date(time.dateTime))
  }
}

localTimes(document)
