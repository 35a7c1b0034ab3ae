import { createHash } from 'node:crypto'

/** A webhook request as the page shows it; `at` is its time in milliseconds, unique per request. */
export type ReceivedEvent = {
  at: number
  id: string
  type: string
  body: string
  /** Why the signature was rejected; undefined when it is valid. */
  error: string | undefined
  isRepeated: boolean
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0; padding: 2rem 1.25rem }
main { max-width: 48rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 }
ol { list-style: none; padding: 0 }
ol:empty::after { content: 'No events yet. The next email of the campaign appears here moments after it is sent.' }
li { padding: .75rem 0; border-top: 1px solid #8886 }
b { margin-right: .75rem }
.good, .bad { padding: .1rem .5rem; border-radius: .3rem; font-size: .875rem }
.good { background: #15803d; color: #fff }
.bad { background: #b91c1c; color: #fff }
small { display: block }
summary { cursor: pointer }
pre { white-space: pre-wrap; font-size: .8125rem }
`

const script = (maxEvents: number) => `
const list = document.querySelector('ol')
async function poll() {
  try {
    const after = list.firstElementChild?.dataset.at ?? 0
    const response = await fetch('?after=' + after, { signal: AbortSignal.timeout(5000) })
    if (response.ok) list.insertAdjacentHTML('afterbegin', await response.text())
    while (list.children.length > ${maxEvents}) list.lastElementChild.remove()
  } catch {
    // The server is restarting: the next poll tries again.
  }
  setTimeout(poll, 2000)
}
setTimeout(poll, 2000)
`

const toCspHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const getPageHeaders = (maxEvents: number) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${toCspHash(style)}; script-src ${toCspHash(script(maxEvents))}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
})

export const renderPage = (events: readonly ReceivedEvent[], maxEvents: number): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Demo webhook</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Demo webhook</h1>
<p>A webhook of the Acme account sends every event to this page, which verifies its signature with the webhook’s secret,
as your own endpoint would. The page shows the last ${maxEvents} events, newest first, and updates automatically.</p>
<p>See the deliveries, or send a test event, in <a href="/settings/webhooks">Settings → Webhooks</a>.</p>
<ol>${renderItems(events)}</ol>
</main>
<script>${script(maxEvents)}</script>
</body>
</html>
`

/** Renders the events as list items, newest first. */
export const renderItems = (events: readonly ReceivedEvent[]): string => events.map(renderItem).join('')

function renderItem({ at, id, type, body, error, isRepeated }: ReceivedEvent): string {
  const time = new Date(at).toISOString()
  return `<li data-at="${at}">
<b>${escapeHtml(type)}</b>
${error ? `<span class="bad">Not verified</span> ${escapeHtml(error)}` : '<span class="good">Verified</span>'}
<small><time datetime="${time}">${time.slice(11, 19)} UTC</time> · ${escapeHtml(id)}${isRepeated ? ' · duplicate' : ''}</small>
<details><summary>Payload</summary><pre>${escapeHtml(body)}</pre></details>
</li>`
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
