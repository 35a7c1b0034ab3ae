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
 * Returns headers that forbid external resources, scripts and framing. `redirectSource` is the CSP source of the
 * application: browsers apply `form-action` to the redirects that follow a form as well.
 */
export const securityHeaders = (redirectSource = '') => ({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'${redirectSource && ` ${redirectSource}`}; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  // With no-referrer, browsers would send the form with `Origin: null`.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

export const pageHeaders = (redirectSource?: string) => ({
  'content-type': 'text/html; charset=utf-8',
  ...securityHeaders(redirectSource),
})

export type Consent = {
  clientName: string
  /** Host of the client metadata document; undefined for a registered client. */
  publisher: string | undefined
  redirectHost: string
  isLocal: boolean
  /** Accounts to choose from, the suggested one first. */
  accounts: { id: string; name: string }[]
  email: string
  canWrite: boolean
  csrfToken: string
}

export const renderConsentPage = (consent: Consent): string =>
  renderPage(
    `Connect ${consent.clientName} to Overture?`,
    `<dl>
<dt>Application</dt><dd><b>${escapeHtml(consent.clientName)}</b>${consent.publisher ? `, published by <b>${escapeHtml(consent.publisher)}</b>` : ' (name not verified)'}</dd>
<dt>Redirects to</dt><dd><b>${escapeHtml(consent.redirectHost)}</b></dd>
<dt>${consent.accounts.length > 1 ? '<label for="account">Account</label>' : 'Account'}</dt><dd>${renderAccountField(consent.accounts)}</dd>
<dt>Signed in as</dt><dd>${escapeHtml(consent.email)}</dd>
</dl>
<p>Within the limits of your role, it can:</p>
<ul>
<li>read campaigns, people, messages, calls and the Do Not Contact list</li>
${consent.canWrite ? '<li>add prospects, pause and resume them, write drafts, <b>send email</b>, add tags, and add to the Do Not Contact list</li>' : ''}
</ul>
${consent.isLocal ? '<p class="warning">This application runs on your computer, where any program can use this name. Allow it only if you just started this connection yourself on this computer.</p>' : ''}
<p>You can disconnect it at any time in Settings → Connected apps.</p>
<form method="post" class="choice" id="consent">
<input type="hidden" name="csrf" value="${escapeHtml(consent.csrfToken)}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  )

/** The form submits the account that the user saw, even if their memberships change in the meantime. */
const renderAccountField = (accounts: Consent['accounts']): string =>
  accounts.length > 1
    ? `<select name="account" id="account" form="consent">${accounts
        .map(({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`)
        .join('')}</select>`
    : accounts
        .map(
          ({ id, name }) =>
            `<b>${escapeHtml(name)}</b><input type="hidden" name="account" form="consent" value="${escapeHtml(id)}">`,
        )
        .join('')

export const renderMessagePage = (title: string, message: string): string =>
  renderPage(
    title,
    `<p>${escapeHtml(message)}</p>\n<p>Go back to the application and connect again, or <a href="/">open Overture</a>.</p>`,
  )

export const NOT_CONNECTED_TITLE = 'The application was not connected'

const renderPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="product">Overture</p>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`

const escapeHtml = (text: string): string =>
  stripHidden(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
