// The pages can be read without this script. It writes times in the reader's own
// time zone; each keeps its time in UTC as a title. Where a page follows a run, it
// shows what the server tells, and says when it no longer hears anything.
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

for (const part of document.querySelectorAll('[data-live]')) {
  const [state, shown] = ['.live', '.now'].map((name) => part.querySelector(name))
  let silence
  const say = (text) => { if (state.textContent !== text) state.textContent = text }
  const lost = () => say('No longer live: the connection is lost. What stands here may be old.')
  const heard = () => {
    say('Live.')
    clearTimeout(silence)
    silence = setTimeout(lost, 30_000)
  }
  const events = new EventSource(part.dataset.live)
  events.addEventListener('run', (event) => {
    shown.innerHTML = event.data
    localTimes(shown)
    heard()
  })
  events.addEventListener('still', heard)
  events.onerror = () => { clearTimeout(silence); lost() }
}
