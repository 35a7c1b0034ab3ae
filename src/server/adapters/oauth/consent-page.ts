import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { pageStyleSource, toPage } from '../../protocols/html/page-style.ts'

/**
 * Returns headers that forbid external resources, scripts and framing. `redirectSource` is the CSP source of the
 * application: browsers also apply `form-action` to redirects after the form is submitted.
 */
export const securityHeaders = (redirectSource = '') => ({
  'content-security-policy': `default-src 'none'; style-src ${pageStyleSource}; form-action 'self'${redirectSource && ` ${redirectSource}`}; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  // With no-referrer, browsers would send the form with `Origin: null`.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

export const getConsentPageHeaders = (redirectSource?: string) => ({
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
${consent.canWrite ? writeAccess : ''}
</ul>
${consent.isLocal ? '<p class="warning">This application runs on your computer, where any program can use this name. Allow it only if you just started this connection yourself on this computer.</p>' : ''}
<p>You can disconnect it at any time in Settings → Connected apps.</p>
<form method="post" id="consent">
<input type="hidden" name="csrf" value="${escapeHtml(consent.csrfToken)}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  )

/** List items for the scope `outreach.write`. Actions that may contact people are in bold. */
const writeAccess = `<li>create, change and stop campaigns, and manage drafts, tasks and meetings</li>
<li>change people and companies, and merge people permanently</li>
<li><b>launch and resume campaigns, add prospects, send email and LinkedIn messages, and request calls</b></li>
<li>add people to the Do Not Contact list and <b>remove them from it</b></li>`

/** Returns a field that submits the account that the user saw, even if their memberships change in the meantime. */
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

const renderPage = (title: string, body: string): string =>
  toPage(
    escapeHtml(title),
    `<p class="product">Overture</p>
<div class="card">
<h1>${escapeHtml(title)}</h1>
${body}
</div>`,
  )

const escapeHtml = (text: string): string =>
  stripHidden(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
