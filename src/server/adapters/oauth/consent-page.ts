import { createHash } from 'node:crypto'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif }
body { margin: 0; padding: min(8vh, 8vw) 1.25rem 2rem }
main { max-width: 34rem; margin: 0 auto; overflow-wrap: anywhere }
.product { font-weight: 600; margin: 0 }
h1 { margin-block: .5rem 1rem; font-size: 1.5rem; line-height: 1.25 }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1rem; margin: 1.5rem 0 }
dt { opacity: .75 }
dd { margin: 0 }
a { color: inherit }
.warning { border-inline-start: 4px solid #d97706; padding: .25rem 1rem; margin: 1.5rem 0 }
.choice { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 2rem }
select { font: inherit; max-width: 100% }
button { font: inherit; padding: .7rem 1.4rem; border: 1px solid #1d4ed8; border-radius: .5rem; background: #1d4ed8; color: #fff; cursor: pointer }
button[value=deny] { background: transparent; color: inherit; border-color: currentColor }
button:focus-visible, select:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * Nothing is loaded from anywhere, no script runs, no other page can show this one in a frame. The form leads to us,
 * and from there to the application: browsers hold redirects of a form to the policy too.
 */
export const securityHeaders = (leadsTo = '') => ({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'${leadsTo && ` ${leadsTo}`}; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  // Without any, a browser would say `Origin: null` of the form that the page sends back to us.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

export const pageHeaders = (leadsTo?: string) => ({
  'content-type': 'text/html; charset=utf-8',
  ...securityHeaders(leadsTo),
})

export type Consent = {
  clientName: string
  /** Who published what the client says of itself, when that is known. */
  publisher: string | undefined
  host: string
  isLoopback: boolean
  /** Those to choose from, the suggested one in front. */
  accounts: { id: string; name: string }[]
  email: string
  canWrite: boolean
  csrfToken: string
}

export const consentPage = (consent: Consent): string =>
  page(
    `Connect ${consent.clientName} to Overture?`,
    `<dl>
<dt>Application</dt><dd><b>${escaped(consent.clientName)}</b>${consent.publisher ? `, published by <b>${escaped(consent.publisher)}</b>` : ' (name not verified)'}</dd>
<dt>Redirects to</dt><dd><b>${escaped(consent.host)}</b></dd>
<dt>${consent.accounts.length > 1 ? '<label for="account">Account</label>' : 'Account'}</dt><dd>${accountField(consent.accounts)}</dd>
<dt>Signed in as</dt><dd>${escaped(consent.email)}</dd>
</dl>
<p>Within the limits of your role, it will be able to:</p>
<ul>
<li>read campaigns, people, messages, calls and the Do Not Contact list</li>
${consent.canWrite ? '<li>add prospects, pause and resume them, write drafts, <b>send email</b>, add tags, and add to the Do Not Contact list</li>' : ''}
</ul>
${consent.isLoopback ? '<p class="warning">This application runs on a computer, where any program can use this name. Allow it only if you started this connection yourself just now, on this computer.</p>' : ''}
<p>You can disconnect it at any time under Settings, Connected apps.</p>
<form method="post" class="choice" id="answer">
<input type="hidden" name="csrf" value="${escaped(consent.csrfToken)}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Do not allow</button>
</form>`,
  )

/** The account that the person saw goes with the answer, whatever has changed since. */
const accountField = (accounts: Consent['accounts']): string =>
  accounts.length > 1
    ? `<select name="account" id="account" form="answer">${accounts
        .map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`)
        .join('')}</select>`
    : accounts
        .map(
          ({ id, name }) =>
            `<b>${escaped(name)}</b><input type="hidden" name="account" form="answer" value="${escaped(id)}">`,
        )
        .join('')

export const messagePage = (title: string, message: string): string =>
  page(
    title,
    `<p>${escaped(message)}</p>\n<p>Go back to the application and connect again, or <a href="/">open Overture</a>.</p>`,
  )

/** Titles every page that ends without a connection. */
export const notConnected = 'The application was not connected'

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="product">Overture</p>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`

const escaped = (text: string): string =>
  stripHidden(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
