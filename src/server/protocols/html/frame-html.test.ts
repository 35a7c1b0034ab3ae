import { describe, expect, it } from 'vitest'
import { toFrameHtml } from './frame-html.ts'

const show = (html: string, withRemoteImages = false) => toFrameHtml(html, { withRemoteImages })

describe('toFrameHtml', () => {
  it('folds each outermost quote and keeps the answers between them', () => {
    expect(
      show('<blockquote>1<blockquote>2</blockquote></blockquote>Yes.<blockquote>3</blockquote>No.'),
    ).toBe(
      '<details><summary>Quoted text</summary><blockquote>1<blockquote>2</blockquote></blockquote></details>Yes.' +
        '<details><summary>Quoted text</summary><blockquote>3</blockquote></details>No.',
    )
  })

  const header = '<b>From:</b> Ada<br /><b>Sent:</b> Monday<br /><b>To:</b> Bob<br /><b>Subject:</b> Demo'

  it.each([
    ['Outlook', `<p>Yes.</p>`, `<div><div style="border:none"><p>${header}</p></div></div><p>Hello</p>`],
    [
      'Outlook on the web',
      '<div>Yes.</div>',
      `<hr /><div dir="ltr"><font face="Calibri">${header}</font></div>Hello`,
    ],
    [
      'old Outlook',
      '<p>Yes.',
      `<br />-----Original Message-----<br />From: Ada<br />Sent: 1<br />Subject: Demo</p>`,
    ],
  ])('folds the original below an answer from %s', (_program, own, original) => {
    expect(show(own + original)).toBe(`${own}<details><summary>Quoted text</summary>${original}</details>`)
  })

  it('does not fold sentences that only resemble a header', () => {
    const html = '<p>From: our office.</p><p>It starts at noon. To: everyone.</p>'
    expect(show(html)).toBe(html)
    const quoted = `<blockquote><p>${header}</p></blockquote>No.`
    expect(show(quoted)).toBe(
      `<details><summary>Quoted text</summary><blockquote><p>${header}</p></blockquote></details>No.`,
    )
  })

  it('reads hostile HTML in a single pass', () => {
    const html = `${'<div>'.repeat(20_000)}${'From: '.repeat(20_000)}${'<'.repeat(20_000)}`
    expect(show(html)).toBe(html)
  })

  it('does not fold indented paragraphs, but folds a quote inside them', () => {
    expect(
      show('<blockquote style="border:none">1<blockquote type="cite">2</blockquote>3</blockquote>'),
    ).toBe(
      '<blockquote style="border:none">1<details><summary>Quoted text</summary><blockquote type="cite">2</blockquote></details>3</blockquote>',
    )
  })

  it('folds the footer of a campaign email', () => {
    expect(show('<p>Hi</p>\n<p><small><a>Unsubscribe</a></small></p>\n<p><small>1 Main St</small></p>')).toBe(
      '<p>Hi</p><details><summary>Footer</summary>\n<p><small><a>Unsubscribe</a></small></p>\n<p><small>1 Main St</small></p></details>',
    )
  })

  const images =
    '<img alt="a" src="https://a.example/1.png" /><img src="data:image/png;base64,AA" /><img src="cid:1" /><img src="/v1/me" />'

  it('leaves out every image that would be requested', () => {
    expect(show(images)).toBe('<img alt="a" /><img src="data:image/png;base64,AA" /><img /><img />')
  })

  it('includes remote images on request, but none from this server', () => {
    expect(show(images, true)).toBe(
      '<img alt="a" src="https://a.example/1.png" /><img src="data:image/png;base64,AA" /><img /><img />',
    )
  })
})
