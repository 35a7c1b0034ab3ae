import { describe, expect, it } from 'vitest'
import { createFact, prepareSteps, type StoredStep, toStepUpdate } from './step-drafts.ts'
import { assignErrors, createEditorState, type EditorState, reduceEditor } from './step-reducer.ts'

const days = (amount: number) => ({ amount, unit: 'business_days' }) as const

const email: StoredStep = {
  id: 'email',
  position: 1,
  channel: 'email',
  delay: { amount: 0, unit: 'minutes' },
  thread: 'new',
  variants: [{ id: 'a', subject: 'Hello', body: 'Hi', weight: 1 }],
}
const followUp: StoredStep = {
  id: 'follow-up',
  position: 2,
  channel: 'email',
  delay: days(3),
  thread: 'same',
  variants: [{ id: 'b', body: 'Did you see this?', weight: 1 }],
}
const invitation: StoredStep = {
  id: 'invitation',
  position: 3,
  channel: 'linkedin_connect',
  delay: days(1),
  variants: [],
}
const call: StoredStep = {
  id: 'call',
  position: 4,
  channel: 'call',
  delay: days(1),
  variants: [],
  call: { onAnswered: 'stop', retries: 2, retryAfter: { amount: 4, unit: 'hours' } },
}
const stored = [email, followUp, invitation]

const edit = (...actions: Parameters<typeof reduceEditor>[1][]): EditorState =>
  actions.reduce(reduceEditor, createEditorState(stored))

describe('the step editor', () => {
  it('saves unedited steps unchanged', () => {
    const { input, unmetRequirements } = prepareSteps(createEditorState(stored).steps, stored)
    expect(unmetRequirements.size).toBe(0)
    expect(input).toEqual(
      stored.map(({ position: _, variants, ...step }) => ({
        ...step,
        ...(variants.length > 0 && { variants }),
      })),
    )
  })

  it('keeps the IDs of steps and variants that move', () => {
    const { steps } = edit({ type: 'move', key: 'invitation', to: 0 }, { type: 'add_variant', key: 'email' })
    const { input } = prepareSteps(steps, stored)
    expect(input.map(({ id }) => id)).toEqual(['invitation', 'email', 'follow-up'])
    expect(input[1]?.variants).toEqual([
      { id: 'a', subject: 'Hello', body: 'Hi', weight: 1 },
      { subject: 'Hello', body: 'Hi', weight: 1 },
    ])
  })

  it('leaves out a new step until it is complete', () => {
    const { steps } = edit({ type: 'add', channel: 'task' })
    const prepared = prepareSteps(steps, stored)
    expect(prepared.input).toHaveLength(3)
    expect(prepared.isBlocked).toBe(false)
    expect([...prepared.unmetRequirements.values()]).toEqual(['instructions'])
  })

  it('requires a subject when a follow-up becomes the first email', () => {
    const { steps } = edit({ type: 'move', key: 'follow-up', to: 0 })
    const prepared = prepareSteps(steps, stored)
    expect(prepared.unmetRequirements.get('follow-up')).toBe('a subject')
    expect(prepared.isBlocked).toBe(true)
  })

  it('removes the subject of a step that becomes a reply', () => {
    const opener: StoredStep = { ...email, id: 'opener', position: 2 }
    const opened = createEditorState([email, opener])
    const changed = reduceEditor(opened, { type: 'change', key: 'opener', change: { thread: 'same' } })
    const toUpdate = ({ steps }: EditorState) => toStepUpdate(prepareSteps(steps, [email, opener]).input[1]!)
    expect(toUpdate(opened)).toMatchObject({ thread: 'new', variants: [{ subject: 'Hello' }] })
    expect(toUpdate(changed)).toMatchObject({ thread: 'same', variants: [{ subject: null }] })
  })

  it('requires a different name for each fact of a call', () => {
    const { steps } = createEditorState([call])
    const change = (...names: string[]) => {
      const facts = names.map(name => createFact(name, 'a value'))
      return [{ ...steps[0]!, call: { ...steps[0]!.call, facts } }]
    }
    expect(prepareSteps(change('reason', 'reason '), [call]).unmetRequirements.get('call')).toBe(
      'a different name for each fact',
    )
    expect(prepareSteps(change('reason', 'goal'), [call]).unmetRequirements.size).toBe(0)
  })

  it('requires a retry delay only for a call that is retried', () => {
    const { steps } = createEditorState([call])
    const prepare = (retries: string) => {
      const retryAfter = { amount: '', unit: 'hours' } as const
      return prepareSteps([{ ...steps[0]!, call: { ...steps[0]!.call, retries, retryAfter } }], [call])
    }
    expect(prepare('1').unmetRequirements.get('call')).toBe('a whole number for the retry delay')
    const { unmetRequirements, input } = prepare('0')
    expect(unmetRequirements.size).toBe(0)
    expect(input[0]?.call).toEqual({ data: {}, onAnswered: 'stop', retries: 0 })
  })

  it('recreates a step that was deleted in the meantime', () => {
    const { input } = prepareSteps(createEditorState(stored).steps, [email, invitation])
    expect(input[1]).not.toHaveProperty('id')
    expect(input[1]?.variants?.[0]).not.toHaveProperty('id')
  })

  it('assigns the IDs of the response to steps that moved during the request', () => {
    const before = edit({ type: 'add', channel: 'linkedin_view' })
    const sent = prepareSteps(before.steps, stored).drafts
    const key = sent.at(-1)!.key
    const moved = reduceEditor(before, { type: 'move', key, to: 0 })
    const visit: StoredStep = { ...invitation, id: 'visit', channel: 'linkedin_view' }
    const { steps } = reduceEditor(moved, { type: 'saved', sent, stored: [...stored, visit] })
    expect(steps.map(({ id }) => id)).toEqual(['visit', 'email', 'follow-up', 'invitation'])
  })

  it('shows server errors at the step and variant that they refer to', () => {
    const { steps } = createEditorState(stored)
    const details = [
      { path: 'steps.1.variants.0.body', message: 'is unknown' },
      { path: 'steps.0', message: 'must have a subject' },
      { path: 'account', message: 'is elsewhere' },
    ]
    expect(assignErrors(details, steps)).toEqual({
      'follow-up': { 'variants.b.body': 'Is unknown' },
      email: { '': 'Must have a subject' },
    })
  })
})
