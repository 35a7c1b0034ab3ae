import { createHash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif }
body { margin: 0; padding: 12vh 1.25rem 2rem }
main { max-width: 32rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 }
button { font: inherit; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: #1d4ed8; color: #fff; cursor: pointer }
button:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px }
`

/** Nothing is loaded from anywhere, no script runs, and the button leads back to this page alone. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-robots-tag': 'noindex, nofollow',
}

type Link = { email: string; accountName: string }

export const askPage = ({ email, accountName }: Link): string =>
  page(
    'Unsubscribe',
    `<p>Shall <b>${escaped(accountName)}</b> stop writing to <b>${escaped(email)}</b>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
  )

export const donePage = ({ email, accountName }: Link): string =>
  page(
    'You are unsubscribed',
    `<p><b>${escaped(accountName)}</b> will not write to <b>${escaped(email)}</b> any more.</p>
<p>A mail that was being delivered at this very moment may still arrive.</p>`,
  )

export const noSuchLinkPage = (): string =>
  page(
    'This link does not work',
    `<p>It may have been cut in two on its way. Open it from the mail itself, or copy the whole of it.</p>
<p>You can also answer the mail and say that you want no more.</p>`,
  )

export const notNowPage = (): string =>
  page(
    'That did not work',
    `<p>Nothing was changed. Please try again in a few minutes, or answer the mail and say that you want no more.</p>`,
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

const escaped = (text: string): string => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
