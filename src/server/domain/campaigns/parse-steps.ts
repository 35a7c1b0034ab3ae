import { randomUUIDv7 } from 'node:crypto'
import {
  maxNoteLength,
  type onAnsweredActions,
  type stepChannels,
  type stepThreads,
  templateVariables,
} from '../../../contract/campaigns.ts'
import type { Input } from '../../../contract/index.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { type ErrorDetail, invalid, invalidAll } from '../../kernel/errors.ts'
import { findTemplateError } from '../../protocols/templates/find-template-error.ts'
import { countTags } from '../../protocols/templates/template.ts'
import type { Delay } from './step-delay.ts'

type StepInput = Input<'setCampaignSteps'>['steps'][number]

export type StepChannel = (typeof stepChannels)[number]

const defaultAcceptWithinDays = 21
const defaultCall = { onAnswered: 'stop', retries: 2, retryAfter: { amount: 4, unit: 'hours' } } as const
/** Returns whether the steps of a channel have no text. */
const hasNoText = (channel: StepChannel): boolean =>
  channel === 'linkedin_view' || channel === 'linkedin_like' || channel === 'call'
const maxCallDataBytes = 16 * 1024
/** Limit on Liquid tags and spintax options across all steps, because each takes time to check. */
const maxTags = 10_000

/** The IDs of a stored step and its variants. */
export type StepIds = { id: string; variants: string[] }

export type Variant = { id: string; position: number; subject: string | null; body: string; weight: number }

export type Step = {
  id: string
  position: number
  channel: StepChannel
  delay: Delay
  /** Set for LinkedIn messages only. */
  acceptWithinDays: number | null
  /** Set for calls only. */
  call: StepCall | null
  thread: (typeof stepThreads)[number]
  variants: Variant[]
}

export type StepCall = {
  assistantId: string | null
  data: Record<string, string> | null
  onAnswered: (typeof onAnsweredActions)[number]
  retries: number
  retryAfter: Delay
}

/**
 * Returns the steps to store, reusing the IDs of the stored steps they replace. Their templates may use custom fields
 * with these keys. Throws ValidationError with all errors.
 */
export async function parseSteps(
  given: readonly StepInput[],
  customKeys: readonly string[],
  stored: readonly StepIds[] = [],
): Promise<Step[]> {
  const errors: ErrorDetail[] = []
  const addError = (path: string, message: string) => void errors.push({ path, message })
  const ids = matchIds(
    given,
    stored.map(step => step.id),
    (index, message) => addError(`steps.${index}.id`, message),
  )
  const steps = given.map((step, index): Step => {
    const path = `steps.${index}`
    const storedVariantIds = stored.find(({ id }) => id === ids[index])?.variants ?? []
    if (step.position !== undefined && step.position !== index + 1)
      addError(`${path}.position`, `must be ${index + 1}: steps follow the order of the list`)
    const variants = parseVariants(step, path, storedVariantIds, addError)
    const isEmail = step.channel === 'email'
    const thread = isEmail ? (step.thread ?? (variants.every(isSubjectless) ? 'same' : 'new')) : 'new'
    if (!isEmail)
      for (const [field, message] of findTaskErrors(step, variants)) addError(`${path}${field}`, message)
    else if (thread === 'same' && !given.slice(0, index).some(({ channel }) => channel === 'email'))
      addError(path, 'must have a subject, because it starts the thread')
    else for (const message of findThreadErrors(thread, variants)) addError(path, message)
    if (step.channel !== 'linkedin_message' && step.acceptWithinDays !== undefined)
      addError(`${path}.acceptWithinDays`, 'is only allowed for linkedin_message')
    if (step.channel !== 'call' && step.call) addError(`${path}.call`, 'is only allowed for call')
    return {
      id: ids[index]!,
      position: index + 1,
      channel: step.channel,
      delay:
        step.delay ?? (index === 0 ? { amount: 0, unit: 'minutes' } : { amount: 3, unit: 'business_days' }),
      acceptWithinDays:
        step.channel === 'linkedin_message' ? (step.acceptWithinDays ?? defaultAcceptWithinDays) : null,
      call: step.channel === 'call' ? parseCall(step.call, `${path}.call`, addError) : null,
      thread,
      variants,
    }
  })
  await checkTemplates(steps, given, [...templateVariables, ...customKeys], addError)
  if (errors.length > 0) throw invalidAll(errors)
  return steps
}

type AddError = (path: string, message: string) => void

function parseCall(given: StepInput['call'], path: string, addError: AddError): StepCall {
  const { assistantId, data, ...rules } = given ?? {}
  if (Buffer.byteLength(JSON.stringify(data ?? {})) > maxCallDataBytes)
    addError(`${path}.data`, 'must be at most 16 kB as JSON')
  return { ...defaultCall, ...rules, assistantId: assistantId ?? null, data: data ?? null }
}

/** Parses the variants; `subject` and `body` on the step itself are shorthand for a single variant. */
function parseVariants(
  step: StepInput,
  path: string,
  storedVariantIds: readonly string[],
  addError: AddError,
): Variant[] {
  const isShort = step.variants === undefined
  const mayBeEmpty = hasNoText(step.channel) || step.channel === 'linkedin_connect'
  if (isShort && step.body === undefined && mayBeEmpty) return []
  if (isShort && step.body === undefined) addError(`${path}.body`, 'is required, unless there are variants')
  if (!isShort && (step.body ?? step.subject) !== undefined)
    addError(path, 'must have subject and body in its variants')
  const given = step.variants ?? [{ subject: step.subject, body: step.body ?? '', weight: 1 }]
  const toPath = (index: number) => (isShort ? path : `${path}.variants.${index}`)
  const ids = matchIds(given, storedVariantIds, (index, message) => addError(`${toPath(index)}.id`, message))
  if (given.every(({ weight = 1 }) => weight === 0))
    addError(`${path}.variants`, 'must include a variant with a weight above 0')
  return given.map(({ subject, body, weight = 1 }, index) => {
    return { id: ids[index]!, position: index + 1, subject: subject ?? null, body, weight }
  })
}

const isSubjectless = ({ subject }: Variant): boolean => subject === null

function* findTaskErrors(step: StepInput, variants: readonly Variant[]): Generator<[field: string, string]> {
  if (step.thread !== undefined) yield ['.thread', 'is only allowed for email']
  if (!variants.every(isSubjectless) || step.subject)
    yield ['', 'must not have a subject, which only emails have']
  if (hasNoText(step.channel) && variants.length > 0) yield ['', 'must not have body or variants']
  const isTooLong = ({ body }: Variant) => !body.includes('{') && [...body].length > maxNoteLength
  if (step.channel === 'linkedin_connect' && variants.some(isTooLong))
    yield ['', `must have an invitation note of at most ${maxNoteLength} characters`]
}

function findThreadErrors(thread: Step['thread'], variants: readonly Variant[]): string[] {
  if (thread === 'new' && variants.some(({ subject }) => subject === null))
    return ['must have a subject in each variant, because it starts a thread']
  if (thread === 'same' && variants.some(({ subject }) => subject !== null))
    return ['must not have a subject, because it replies in the thread; omit it or set thread to new']
  return []
}

/** Returns an ID for each item: the ID it names, or a new ID. If no item names an ID, items match by position. */
function matchIds(
  given: readonly { id?: string | undefined }[],
  stored: readonly string[],
  addError: (index: number, message: string) => void,
): string[] {
  const named = given.map(({ id }) => id?.toLowerCase())
  const byPosition = named.every(id => id === undefined)
  return named.map((id, index) => {
    if (id === undefined) return (byPosition && stored[index]) || randomUUIDv7()
    if (!stored.includes(id))
      addError(index, 'must be the ID of an existing step or variant; omit it to create one')
    else if (named.indexOf(id) < index) addError(index, 'must not be repeated')
    return id
  })
}

/** Yields every template of the steps with its path in the input. */
function* listTemplates(steps: readonly Step[], given: readonly StepInput[]): Generator<[string, string]> {
  for (const [index, { variants, call }] of steps.entries()) {
    const path = `steps.${index}`
    for (const [variantIndex, { subject, body }] of variants.entries()) {
      const variantPath = given[index]!.variants ? `${path}.variants.${variantIndex}` : path
      if (subject) yield [`${variantPath}.subject`, subject]
      yield [`${variantPath}.body`, body]
    }
    for (const [name, text] of Object.entries(call?.data ?? {})) yield [`${path}.call.data.${name}`, text]
  }
}

/** Checks each distinct text once and yields to other requests between texts. */
async function checkTemplates(
  steps: readonly Step[],
  given: readonly StepInput[],
  variables: readonly string[],
  addError: AddError,
): Promise<void> {
  const yieldIfDue = createYielder()
  const checked = new Map<string, string | undefined>()
  let tags = 0
  for (const [path, text] of listTemplates(steps, given)) {
    if (!checked.has(text)) {
      await yieldIfDue()
      tags += countTags(text) + text.split('|').length
      if (tags > maxTags)
        throw invalid(
          'steps',
          `must not contain more than ${maxTags} Liquid tags and spintax options in total`,
        )
      checked.set(text, findTemplateError(text, variables))
    }
    const message = checked.get(text)
    if (message) addError(path, message)
  }
}
