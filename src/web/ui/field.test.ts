import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { CheckField, FieldGroup } from './field.tsx'

describe('CheckField', () => {
  it.each([
    [{}, []],
    [{ help: 'Only you can read it.' }, ['Only you can read it.']],
    [{ error: 'Must be off' }, ['Must be off']],
    [{ help: 'Only you can read it.', error: 'Must be off' }, ['Must be off', 'Only you can read it.']],
  ])('shows the texts %j and describes the checkbox with them', (texts, described) => {
    const html = renderToStaticMarkup(createElement(CheckField, { label: 'Private', ...texts }))
    const ids = /aria-describedby="([^"]+)"/.exec(html)?.[1]?.split(' ') ?? []
    expect(ids.map(id => new RegExp(`id="${id}"[^>]*>([^<]+)`).exec(html)?.[1])).toEqual(described)
    expect(html.includes('aria-invalid="true"')).toBe('error' in texts)
    expect(html).not.toContain(' error=')
  })
})

describe('FieldGroup', () => {
  it('shows its error and describes the group with it', () => {
    const props = { label: 'Intents', error: 'Choose at least one', children: null }
    const html = renderToStaticMarkup(createElement(FieldGroup, props))
    const id = /<fieldset[^>]* aria-describedby="([^"]+)"/.exec(html)?.[1]
    expect(html).toMatch(new RegExp(`id="${id}"[^>]*>Choose at least one<`))
  })
})
