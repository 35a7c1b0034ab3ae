import { createHash } from 'node:crypto'

/** What came in; `at` is when, and larger with each. */
export type Caught = {
  at: number
  id: string
  type: string
  body: string
  fault: string | undefined
  isRepeated: boolean
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0; padding: 2rem 1.25rem }
main { max-width: 48rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 }
ol { list-style: none; padding: 0 }
ol:empty::after { content: 'Nothing came yet. The next email of the campaign is told here, moments after it was sent.' }
li { padding: .75rem 0; border-top: 1px solid #8886 }
b { margin-right: .75rem }
.good, .bad { padding: .1rem .5rem; border-radius: .3rem; font-size: .875rem }
.good { background: #15803d; color: #fff }
.bad { background: #b91c1c; color: #fff }
small { display: block }
summary { cursor: pointer }
pre { white-space: pre-wrap; font-size: .8125rem }
`

const script = (most: number) => `
const list = document.querySelector('ol')
async function look() {
  try {
    const after = list.firstElementChild?.dataset.at ?? 0
    const answer = await fetch('?after=' + after, { signal: AbortSignal.timeout(5000) })
    if (answer.ok) list.insertAdjacentHTML('afterbegin', await answer.text())
    while (list.children.length > ${most}) list.lastElementChild.remove()
  } catch {
    // The server is away; the next look finds it.
  }
  setTimeout(look, 2000)
}
setTimeout(look, 2000)
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const pageHeaders = (most: number) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script(most))}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
})

export const catcherPage = (caught: readonly Caught[], most: number): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Webhooks of the demo</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Webhooks of the demo</h1>
<p>A webhook of Acme posts every event to this address. Each one is verified here as a program of yours would do it, with
the webhook’s secret. The last ${most} are shown, the newest first; the page follows by itself.</p>
<p><a href="/settings/webhooks">Settings, Webhooks</a> shows the same from the other side, and posts test events.</p>
<ol>${listItems(caught)}</ol>
</main>
<script>${script(most)}</script>
</body>
</html>
`

/** The newest first. */
export const listItems = (caught: readonly Caught[]): string => caught.map(listItem).join('')

function listItem({ at, id, type, body, fault, isRepeated }: Caught): string {
  const time = new Date(at).toISOString()
  return `<li data-at="${at}">
<b>${escaped(type)}</b>
${fault ? `<span class="bad">Not verified</span> ${escaped(fault)}` : '<span class="good">Verified</span>'}
<small><time datetime="${time}">${time.slice(11, 19)} UTC</time> · ${escaped(id)}${isRepeated ? ' · came before' : ''}</small>
<details><summary>What was posted</summary><pre>${escaped(body)}</pre></details>
</li>`
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
