import { describe, expect, it } from 'vitest'
import { type TemplateVariable, templateVariables } from '../../../contract/campaigns.ts'
import { renderWithPlaceholders } from './missing-variables.ts'
import { renderStep, renderTask } from './render-step.ts'

const noValues = Object.fromEntries(templateVariables.map(name => [name, null])) as Record<
  TemplateVariable,
  string | null
>
const facts = {
  prospectId: 'prospect 1',
  variables: { ...noValues, firstName: 'Ann {a|b}', senderName: 'Ada' },
  optOutLine: 'Write stop.',
  postalAddress: '12 St James Square',
  unsubscribeUrl: 'https://overture.example/u/x',
}
const step = { id: 'step 1', subject: '{Hi|Hello} {{ firstName }}', body: '{One|Two|Three} {four|five}' }
const allFacts = Array.from({ length: 200 }, (_, n) => ({ ...facts, prospectId: `prospect ${n}` }))
const firstLine = ({ body }: { body: string }) => body.split('\n')[0]!

describe('the spintax options of a step', () => {
  it('are the same for a prospect every time and vary between prospects', () => {
    const emails = allFacts.map(each => renderStep(step, each))
    expect(allFacts.map(each => renderStep(step, each))).toEqual(emails)
    expect(new Set(emails.map(firstLine)).size).toBe(6)
    expect(new Set(emails.map(({ subject }) => subject)).size).toBe(2)
  })

  it('are chosen independently in each step', () => {
    const other = allFacts.map(each => firstLine(renderStep({ ...step, id: 'step 2' }, each)))
    expect(other).not.toEqual(allFacts.map(each => firstLine(renderStep(step, each))))
  })

  it('are never taken from the value of a variable', () => {
    for (const each of allFacts) expect(renderStep(step, each).subject).toMatch(/^(Hi|Hello) Ann \{a\|b\}$/)
  })
})

describe('a signature', () => {
  const plain = 'Ada & Co\nhttps://acme.example'
  const renderBody = (body: string, signature: string | null) =>
    renderStep({ ...step, body }, { ...facts, variables: { ...facts.variables, signature } }).body
  const footer = '\n\nWrite stop.\nhttps://overture.example/u/x\n\n12 St James Square'

  it('is placed between the body and the opt-out line', () => {
    expect(renderBody('Hi', plain)).toBe(`Hi\n\n${plain}${footer}`)
    expect(renderBody('Hi', null)).toBe(`Hi${footer}`)
  })

  it('is placed only where the step uses it', () => {
    expect(renderBody('Hi\n{{ signature }}\nPS: ho', plain)).toBe(`Hi\n${plain}\nPS: ho${footer}`)
    expect(renderBody('{% if signature %}Hi{% endif %}', plain)).toBe(`Hi${footer}`)
  })

  it('is converted to the format of the step, text or HTML', () => {
    const html = '<p>Ada &amp; Co<br>\n<a href="https://acme.example">https://acme.example</a></p>'
    expect(renderBody('<p>Hi</p>', plain)).toContain(`<p>Hi</p>\n${html}\n<p><small>`)
    expect(renderBody('<p>Hi</p>{{ signature }}', plain)).toContain(`<p>Hi</p>${html}\n<p><small>`)
    expect(renderBody('<p>Hi</p>', '<b>Ada</b>')).toContain('<p>Hi</p>\n<b>Ada</b>\n')
  })

  it('keeps its format below a plain-text step, which becomes HTML', () => {
    const formatted = '<p><b>Ada</b> &amp; Co</p>'
    const footer =
      /\n<p><small><a [^>]*>Write stop\.<\/a><\/small><\/p>\n<p><small>12 St James Square<\/small><\/p>$/s
    const render = (body: string, subject: string | null = null) =>
      renderStep(
        { ...step, body, subject },
        { ...facts, variables: { ...facts.variables, signature: formatted } },
      )
    const appended = render('Hi <you>\n& all')
    expect(appended.format).toBe('html')
    expect(appended.body.replace(footer, '')).toBe(`<p>Hi &lt;you&gt;<br>\n&amp; all</p>\n${formatted}`)
    expect(appended.body).toMatch(footer)
    const inside = render('Hi\n\n{{ signature }}\n\nPS: ho', '{{ signature }}')
    expect(inside.body.replace(footer, '')).toBe(`<p>Hi</p>\n${formatted}\n<p>PS: ho</p>`)
    expect(inside.subject).toBe('Ada & Co')
    expect(render('{% if signature %}Hi{% endif %}').format).toBe('text')
  })

  it('counts as missing if a step uses it and the rep has none', () => {
    expect(() => renderBody('{{ signature }}', null)).toThrow('signature has no value')
  })

  it('is escaped after a filter has turned it into text', () => {
    expect(renderBody('<p>{{ signature | upcase }}</p>', '<b>a &amp; b</b>')).toContain('<p>A &amp; B</p>')
  })
})

describe('a step with missing variables', () => {
  const incompleteBody =
    '{{ lastName }} {{ city }} {% if title %}{{ state }}{% endif %}{{ phone | default: "none" }}'

  it('is rendered once, with placeholders for all of them', async () => {
    let renderings = 0
    const { rendered, missing } = await renderWithPlaceholders(names => {
      renderings += 1
      return renderTask({ id: 'step 1', body: incompleteBody }, { ...facts, missing: names })
    })
    expect({ renderings, rendered, missing }).toEqual({
      ...{ renderings: 1, rendered: '[lastName] [city] none', missing: ['lastName', 'city'] },
    })
  })

  it('reports all of them, in subject and body and including the signature', async () => {
    const both = { ...step, subject: '{{ company }}', body: `${incompleteBody} {{ signature }}` }
    const { rendered, missing } = await renderWithPlaceholders(names =>
      renderStep(both, { ...facts, missing: names }),
    )
    expect(rendered?.subject).toBe('[company]')
    expect(missing).toEqual(['company', 'lastName', 'city', 'signature'])
  })
})
