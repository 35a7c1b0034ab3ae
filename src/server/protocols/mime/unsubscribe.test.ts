import { describe, expect, it } from 'vitest'
import { composeMessage } from './compose.ts'
import { parseUnsubscribeSubject, renderOptOutLine, toUnsubscribeHeaders } from './unsubscribe.ts'

const token = 'aZ09_-'.repeat(22)
const link = { url: `https://out.acme.example/u/${token}`, token }

describe('the headers of a campaign email', () => {
  it('contain an unfolded unsubscribe URL and address and announce one-click', async () => {
    const { bytes } = await composeMessage({
      messageId: '<1@acme.example>',
      from: { address: 'ada@acme.example' },
      to: [{ address: 'grace@navy.example' }],
      subject: 'Hello',
      text: 'Hello',
      headers: toUnsubscribeHeaders("ada+x%&'@acme.example", link),
      date: new Date(0),
    })
    const head = bytes.toString().split('\r\n\r\n')[0]!
    const unfolded = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
    expect(unfolded).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(unfolded).toContain(
      `List-Unsubscribe: <https://out.acme.example/u/${token}>, <mailto:ada%2Bx%25%26'@acme.example?subject=unsubscribe%20${token}>`,
    )
    expect(head).not.toMatch(/[^\r\n]{999}/)
  })
})

describe('an unsubscribe email', () => {
  it.each([
    ['as the email client writes it', `unsubscribe ${token}`],
    ['folded on its way', `unsubscribe ${token.slice(0, 70)}\r\n ${token.slice(70)}`],
    ['in capital letters', `  UNSUBSCRIBE   ${token} `],
  ])('is recognized by its subject %s', (_how, subject) => {
    expect(parseUnsubscribeSubject(subject)).toBe(token)
  })

  it.each(['unsubscribe', 'Re: Hello', '', 'unsubscribe me please', `x ${token}`, `unsubscribe ${token}!`])(
    'is not recognized by "%s"',
    subject => {
      expect(parseUnsubscribeSubject(subject)).toBeUndefined()
    },
  )
})

describe('the opt-out line', () => {
  const { url } = link

  it('contains the link in place of its placeholder, or at the end if it has no placeholder', () => {
    expect(renderOptOutLine(url, 'Enough? {{ unsubscribeUrl }} stops it.', 'text')).toBe(
      `Enough? ${url} stops it.`,
    )
    expect(renderOptOutLine(url, 'Reply stop.', 'text')).toBe(`Reply stop.\n${url}`)
  })

  it('links a word in place of its placeholder in HTML, or is itself the link if it has no placeholder', () => {
    expect(renderOptOutLine(url, 'A & B: {{unsubscribeUrl}}', 'html')).toBe(
      `A &amp; B: <a href="${url}">Unsubscribe</a>`,
    )
    expect(renderOptOutLine(url, 'Reply <stop>\nor else', 'html')).toBe(
      `<a href="${url}">Reply &lt;stop&gt;<br>or else</a>`,
    )
  })
})
