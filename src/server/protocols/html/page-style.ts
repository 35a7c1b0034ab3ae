import { createHash } from 'node:crypto'

/** The style sheet of pages that work without scripts or other files. It matches the web app's colors and cards. */
export const pageStyle = `
:root { color-scheme: light dark; font: .875rem/1.5 'Inter Variable', system-ui, sans-serif;
  --page: light-dark(#f8f7f4, #181715); --surface: light-dark(#fefdfb, #1f1e1b); --line: light-dark(#e2ded6, #38352f);
  --edge: light-dark(#8b857b, #837d72); --text: light-dark(#25221e, #ece8e1); --muted: light-dark(#645e56, #aca59b);
  --accent: light-dark(#0f6460, #67c5bc); --solid: light-dark(#0f6460, #1d756f);
  --solid-hover: light-dark(#0b504d, #185f5a); --on-solid: #f6fbfa;
  --amber: light-dark(#774900, #e6b862); --amber-quiet: light-dark(#faedd1, #36290f) }
@media (prefers-contrast: more) { :root { --muted: var(--text); --line: var(--edge) } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text) }
main { max-width: 28rem; min-height: 100dvh; margin: 0 auto; padding: 2.5rem 1rem; display: flex; flex-direction: column;
  justify-content: center; overflow-wrap: anywhere }
.product { font-weight: 600; font-size: 1rem; margin: 0 0 1.5rem }
.card { border: 1px solid var(--line); border-radius: .625rem; background: var(--surface); padding: 1.25rem }
@media (min-width: 45rem) { .card { padding: 1.75rem } }
h1 { margin: 0 0 1rem; font-size: 1.25rem; line-height: 1.3; font-weight: 600 }
p, ul { margin: 1rem 0 0 }
ul { padding-inline-start: 1.25rem }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .375rem 1rem; margin: 0 }
dt { color: var(--muted) }
dd { margin: 0 }
b { font-weight: 600 }
a { color: var(--accent) }
.warning { border-radius: .375rem; background: var(--amber-quiet); color: var(--amber); padding: .625rem .75rem }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem }
select { font: inherit; color: inherit; background: var(--surface); width: 100%; height: 2.25rem; padding: 0 .5rem;
  border: 1px solid var(--edge); border-radius: .375rem }
button { font: inherit; font-weight: 500; min-height: 2.25rem; padding: .25rem .875rem; border: 1px solid var(--solid);
  border-radius: .375rem; background: var(--solid); color: var(--on-solid); cursor: pointer }
button:hover { background: var(--solid-hover) }
button[value=deny] { background: var(--surface); color: inherit; border-color: var(--edge) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`

/** The Content-Security-Policy source that allows the style sheet. */
export const pageStyleSource = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`

/** Returns a page. The title must not contain HTML. */
export const toPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
