import { expect, it } from 'vitest'
import { splitLinks } from './split-links.ts'

it.each([
  ['no link', ['no link']],
  ['See https://acme.example/a?b=c#d.', ['See ', 'https://acme.example/a?b=c#d', '.']],
  ['(http://acme.example/x)', ['(', 'http://acme.example/x', ')']],
  ['HTTPS://ACME.EXAMPLE, or', ['', 'HTTPS://ACME.EXAMPLE', ', or']],
  ['https://a.example\nhttps://b.example', ['', 'https://a.example', '\n', 'https://b.example', '']],
  [
    'javascript:alert(1) data:text/html,x ftp://a.example',
    ['javascript:alert(1) data:text/html,x ftp://a.example'],
  ],
  ['https://', ['https://']],
])('splits “%s” at its web addresses', (text, parts) => {
  expect(splitLinks(text)).toEqual(parts)
})
