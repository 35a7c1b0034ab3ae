import { describe, expect, it } from 'vitest'
import { prepareSteps, type StoredStep } from './step-drafts.ts'
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
const stored = [email, followUp, invitation]

const edit = (...actions: Parameters<typeof reduceEditor>[1][]): EditorState =>
  actions.reduce(reduceEditor, createEditorState(stored))

describe('the step editor', () => {
  it('saves unedited steps unchanged', () => {
    const { input, gaps } = prepareSteps(createEditorState(stored).steps, stored)
    expect(gaps.size).toBe(0)
    expect(input).toEqual(
      stored.map(({ position: _, variants, ...step }) => ({
        ...step,
        ...(variants.length > 0 && { variants }),
      })),
    )
  })

  it('keeps the ids of steps and variants that move', () => {
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
    expect([...prepared.gaps.values()]).toEqual(['instructions'])
  })

  it('requires a subject when a follow-up becomes the first email', () => {
    const { steps } = edit({ type: 'move', key: 'follow-up', to: 0 })
    const prepared = prepareSteps(steps, stored)
    expect(prepared.gaps.get('follow-up')).toBe('a subject')
    expect(prepared.isBlocked).toBe(true)
  })

  it('recreates a step that was deleted in the meantime', () => {
    const { input } = prepareSteps(createEditorState(stored).steps, [email, invitation])
    expect(input[1]).not.toHaveProperty('id')
    expect(input[1]?.variants?.[0]).not.toHaveProperty('id')
  })

  it('assigns the ids of the response to steps that moved during the request', () => {
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
