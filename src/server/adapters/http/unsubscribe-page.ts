import { createHash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif }
body { margin: 0; padding: 12vh 1.25rem 2rem }
main { max-width: 32rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 }
button { font: inherit; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: #1d4ed8; color: #fff; cursor: pointer }
button:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px }
`

/** Allows no scripts and no resources; the form may only post to this server. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-robots-tag': 'noindex, nofollow',
}

type Link = { email: string; accountName: string }

export const confirmPage = ({ email, accountName }: Link): string =>
  page(
    'Unsubscribe',
    `<p>Stop emails from <b>${escapeHtml(accountName)}</b> to <b>${escapeHtml(email)}</b>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
  )

export const unsubscribedPage = ({ email, accountName }: Link): string =>
  page(
    'You are unsubscribed',
    `<p><b>${escapeHtml(accountName)}</b> will no longer email <b>${escapeHtml(email)}</b>.</p>
<p>An email that is being delivered right now may still arrive.</p>`,
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

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
