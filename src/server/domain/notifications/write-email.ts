import { escapeHtml } from '../../protocols/mime/body.ts'

/** A section of an email, with the URL of the page that shows more. */
export type EmailSection = { title: string; url: string; lines: string[] }

export const pluralize = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

type Email = { sections: EmailSection[]; reason: string; settingsUrl: string }

/** Writes an email as text and as HTML. The last line says why it was sent and where to turn such emails off. */
export const writeEmail = (email: Email): { text: string; html: string } => ({
  text: writeText(email),
  html: writeHtml(email),
})

const writeText = ({ sections, reason, settingsUrl }: Email): string =>
  [
    ...sections.map(({ title, url, lines }) => [title, ...lines.map(line => `- ${line}`), url].join('\n')),
    `${reason} Change this or turn it off: ${settingsUrl}`,
  ].join('\n\n')

const font = "font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif"

const writeHtml = ({ sections, reason, settingsUrl }: Email): string => `<!doctype html>
<html lang="en"><head><meta name="color-scheme" content="light dark"></head>
<body style="margin: 0; padding: 24px; ${font}">
${sections.map(writeSection).join('\n')}
<p style="margin: 24px 0 0; font-size: 13px; opacity: 0.75">${escapeHtml(reason)}
<a href="${escapeHtml(settingsUrl)}">Change this or turn it off</a></p>
</body></html>`

const writeSection = ({ title, url, lines }: EmailSection): string =>
  `<h2 style="margin: 20px 0 4px; font-size: 16px"><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></h2>
<ul style="margin: 0; padding-left: 20px">
${lines.map(line => `<li>${escapeHtml(line)}</li>`).join('\n')}
</ul>`
