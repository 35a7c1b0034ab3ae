import { pageStyleSource, toPage } from '../../protocols/html/page-style.ts'

/** Allows no scripts and no resources; the form may only post to this server. */
export const unsubscribePageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${pageStyleSource}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-robots-tag': 'noindex, nofollow',
}

type Link = { email: string | undefined; accountName: string }

export const confirmPage = ({ email, accountName }: Link): string =>
  page(
    'Unsubscribe',
    `<p>Stop emails from <b>${escapeHtml(accountName)}</b> to ${nameRecipient(email)}?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
  )

export const unsubscribedPage = ({ email, accountName }: Link): string =>
  page(
    'You are unsubscribed',
    `<p><b>${escapeHtml(accountName)}</b> will no longer email ${nameRecipient(email)}.</p>
<p>An email that is being delivered right now may still arrive.</p>`,
  )

export const previewLinkPage = (): string =>
  page(
    'This opt-out link is only a preview',
    `<p>It does not opt anyone out. Each recipient of a launched campaign gets their own working link.</p>`,
  )

export const invalidLinkPage = (): string =>
  page(
    'This link does not work',
    `<p>It may be incomplete. Open it from the email, or copy all of it.</p>
<p>You can also reply to the email and ask to unsubscribe.</p>`,
  )

export const temporaryErrorPage = (): string =>
  page(
    'Something went wrong',
    `<p>Nothing was changed. Try again in a few minutes, or reply to the email and ask to unsubscribe.</p>`,
  )

const nameRecipient = (email: string | undefined): string => (email ? `<b>${escapeHtml(email)}</b>` : 'you')

const page = (title: string, body: string): string =>
  toPage(title, `<div class="card">\n<h1>${title}</h1>\n${body}\n</div>`)

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
