import { describe, expect, test } from 'vitest'
import { toTextParts } from './body.ts'
import { addSignature } from './signature.ts'

const add = (body: string, signature: string) =>
  addSignature({ body, format: 'text', parts: toTextParts(body) }, signature)

describe('the signature of an email that a person wrote', () => {
  test('follows the text in both parts', () => {
    expect(add('Hi Ada,\n\ngladly.\n', 'Grace\nUS Navy')).toEqual({
      text: 'Hi Ada,\n\ngladly.\n\nGrace\nUS Navy',
      html: '<p>Hi Ada,</p>\n<p>gladly.</p>\n<p>Grace<br>\nUS Navy</p>',
    })
  })

  test('keeps its formatting in the HTML part', () => {
    const { text, html } = add('Gladly.', '<p><b>Grace</b></p>')
    expect(text).toBe('Gladly.\n\nGrace')
    expect(html).toBe('<p>Gladly.</p>\n<p><b>Grace</b></p>')
  })

  test('is not added to an email that already contains it, regardless of line breaks', () => {
    expect(add('Gladly.\n\nGrace US Navy', 'Grace\nUS Navy').text).toBe('Gladly.\n\nGrace US Navy')
  })

  test('is added above a forwarded message', () => {
    const { text, html } = add(
      'See below.\n\n---------- Forwarded message ----------\nFrom: Ada\n\nHello',
      'Grace',
    )
    expect(text).toMatch(/^See below\.\n\nGrace\n\n-+ Forwarded message -+\nFrom: Ada\n\nHello$/)
    expect(html.indexOf('Grace')).toBeLessThan(html.indexOf('Forwarded'))
  })

  test('is added even if the forwarded message contains it', () => {
    const forwarded = '---------- Forwarded message ----------\nFrom: Grace\n\nHello\n\nGrace, US Navy'
    expect(add(`See below.\n\n${forwarded}`, 'Grace, US Navy').text).toBe(
      `See below.\n\nGrace, US Navy\n\n${forwarded}`,
    )
    const signed = `See below.\n\nGrace, US Navy\n\n${forwarded}`
    expect(add(signed, 'Grace, US Navy').text).toBe(signed)
  })

  test('is added below an email in HTML', () => {
    const parts = { text: 'Gladly.', html: '<p>Gladly.</p>' }
    expect(addSignature({ body: parts.html, format: 'html', parts }, 'Grace').html).toBe(
      '<p>Gladly.</p>\n<p>Grace</p>',
    )
  })
})
