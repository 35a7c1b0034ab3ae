import type { Output, RawInput } from '../../../contract/index.ts'

export type StoredStep = Output<'getCampaign'>['steps'][number]
export type StepInput = RawInput<'setCampaignSteps'>['steps'][number]
type StepUpdate = Omit<RawInput<'updateCampaignStep'>, 'campaignId'>
export type Channel = StoredStep['channel']
export type Unit = StoredStep['delay']['unit']

/** A delay whose amount is kept as typed. */
export type DelayDraft = { amount: string; unit: Unit }
/** A variant of a step. `key` identifies it before and after the server assigns its `id`. */
export type VariantDraft = {
  key: string
  id: string | undefined
  subject: string
  body: string
  weight: string
}
export type FactDraft = { key: string; name: string; value: string }
export type CallDraft = {
  assistantId: string
  facts: FactDraft[]
  onAnswered: 'stop' | 'continue'
  retries: string
  retryAfter: DelayDraft
}
export type StepDraft = {
  key: string
  id: string | undefined
  channel: Channel
  delay: DelayDraft
  thread: 'same' | 'new'
  acceptWithinDays: string
  call: CallDraft
  variants: VariantDraft[]
}

/** Returns a key for React. Avoids randomUUID, which browsers offer only over HTTPS. */
const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export const createFact = (name = '', value = ''): FactDraft => ({ key: createKey(), name, value })

const toDelayDraft = ({ amount, unit }: StoredStep['delay']): DelayDraft => ({ amount: `${amount}`, unit })

export const createVariant = (copied?: VariantDraft): VariantDraft => ({
  key: createKey(),
  id: undefined,
  subject: copied?.subject ?? '',
  body: copied?.body ?? '',
  weight: '1',
})

const createCall = (assistantId = ''): CallDraft => ({
  assistantId,
  facts: [],
  onAnswered: 'stop',
  retries: '2',
  retryAfter: { amount: '4', unit: 'hours' },
})

export const hasText = (channel: Channel): boolean =>
  !['linkedin_view', 'linkedin_like', 'call'].includes(channel)

/** Returns an empty step. The first step starts immediately. Every email but the first continues the thread. */
export function createStep(channel: Channel, before: readonly StepDraft[], assistantId?: string): StepDraft {
  const isFirst = before.length === 0
  return {
    key: createKey(),
    id: undefined,
    channel,
    delay: isFirst ? { amount: '0', unit: 'minutes' } : { amount: '3', unit: 'business_days' },
    thread: before.some(step => step.channel === 'email') ? 'same' : 'new',
    acceptWithinDays: '21',
    call: createCall(assistantId),
    variants: hasText(channel) ? [createVariant()] : [],
  }
}

export const toDraft = (step: StoredStep): StepDraft => ({
  key: step.id,
  id: step.id,
  channel: step.channel,
  delay: toDelayDraft(step.delay),
  thread: step.thread ?? 'new',
  acceptWithinDays: `${step.acceptWithinDays ?? 21}`,
  call: step.call
    ? {
        assistantId: step.call.assistantId ?? '',
        facts: Object.entries(step.call.data ?? {}).map(([name, value]) => createFact(name, value)),
        onAnswered: step.call.onAnswered,
        retries: `${step.call.retries}`,
        retryAfter: toDelayDraft(step.call.retryAfter),
      }
    : createCall(),
  // An invitation without a note has no variant.
  variants:
    step.variants.length > 0 ? step.variants.map(toVariantDraft) : createStep(step.channel, []).variants,
})

const toVariantDraft = ({
  id,
  subject = '',
  body,
  weight,
}: StoredStep['variants'][number]): VariantDraft => ({
  key: id,
  id,
  subject,
  body,
  weight: `${weight}`,
})

/** Reports whether an email starts a thread: the first one always does. */
export const startsThread = (step: StepDraft, hasEarlierEmail: boolean): boolean =>
  step.channel === 'email' && (step.thread === 'new' || !hasEarlierEmail)

const isCount = (text: string, minimum: number): boolean => /^\d+$/.test(text) && Number(text) >= minimum

/** Returns what a step still needs before it can be saved; undefined if it is complete. */
export function findUnmetRequirement(step: StepDraft, hasEarlierEmail: boolean): string | undefined {
  const { channel, delay, call, variants } = step
  if (!isCount(delay.amount, 0)) return 'a whole number for the delay'
  if (channel === 'linkedin_message' && !isCount(step.acceptWithinDays, 1))
    return 'a whole number of days to wait'
  if (channel === 'call') {
    if (call.retries !== '0' && !isCount(call.retryAfter.amount, 1))
      return 'a whole number for the retry delay'
    if (call.facts.some(({ name, value }) => !name.trim() !== !value.trim()))
      return 'a name and a value for each fact'
    const names = call.facts.map(({ name }) => name.trim()).filter(Boolean)
    return new Set(names).size < names.length ? 'a different name for each fact' : undefined
  }
  if (!hasText(channel) || isPlainInvitation(step)) return undefined
  if (variants.some(({ weight }) => !isCount(weight, 0))) return 'a whole number for the weight'
  if (startsThread(step, hasEarlierEmail) && variants.some(({ subject }) => !subject.trim()))
    return 'a subject'
  if (variants.some(({ body }) => !body.trim())) return channel === 'task' ? 'instructions' : 'a message'
  return undefined
}

const isPlainInvitation = ({ channel, variants }: StepDraft): boolean =>
  channel === 'linkedin_connect' && variants.every(({ body }) => !body.trim())

export type PreparedSteps = {
  /** The drafts that can be saved, in order. */
  drafts: StepDraft[]
  input: StepInput[]
  /** The unmet requirement of each incomplete step, by the key of the step. */
  unmetRequirements: Map<string, string>
  /** True if a stored step is incomplete: saving without it would delete it. */
  isBlocked: boolean
}

/** Converts drafts to input. Leaves out new steps that are incomplete, and IDs that the server doesn't know. */
export function prepareSteps(steps: readonly StepDraft[], stored: readonly StoredStep[]): PreparedSteps {
  const ids = new Set(stored.flatMap(({ id, variants }) => [id, ...variants.map(variant => variant.id)]))
  const pickKnownId = (id: string | undefined) => (id && ids.has(id) ? { id } : {})
  const prepared: PreparedSteps = { drafts: [], input: [], unmetRequirements: new Map(), isBlocked: false }
  let hasEmail = false
  for (const step of steps) {
    const requirement = findUnmetRequirement(step, hasEmail)
    if (requirement) {
      prepared.unmetRequirements.set(step.key, requirement)
      if (step.id && ids.has(step.id)) prepared.isBlocked = true
      continue
    }
    prepared.drafts.push(step)
    prepared.input.push(toInput(step, hasEmail, pickKnownId))
    hasEmail ||= step.channel === 'email'
  }
  return prepared
}

function toInput(
  step: StepDraft,
  hasEarlierEmail: boolean,
  pickKnownId: (id: string | undefined) => { id?: string },
): StepInput {
  const { channel, call, variants } = step
  const isOpener = startsThread(step, hasEarlierEmail)
  return {
    ...pickKnownId(step.id),
    channel,
    delay: toDelay(step.delay),
    ...(channel === 'email' && { thread: isOpener ? ('new' as const) : ('same' as const) }),
    ...(channel === 'linkedin_message' && { acceptWithinDays: Number(step.acceptWithinDays) }),
    ...(channel === 'call' && { call: toCallInput(call) }),
    ...(hasText(channel) &&
      !isPlainInvitation(step) && {
        variants: variants.map(({ id, subject, body, weight }) => ({
          ...pickKnownId(id),
          ...(isOpener && { subject }),
          body,
          weight: Number(weight),
        })),
      }),
  }
}

const toDelay = ({ amount, unit }: DelayDraft) => ({ amount: Number(amount), unit })

const toCallInput = ({ assistantId, facts, onAnswered, retries, retryAfter }: CallDraft) => ({
  ...(assistantId && { assistantId }),
  data: Object.fromEntries(
    facts.filter(({ name }) => name.trim()).map(({ name, value }) => [name.trim(), value]),
  ),
  onAnswered,
  retries: Number(retries),
  // Without retries, the delay isn't shown and may be incomplete.
  ...(isCount(retryAfter.amount, 1) && { retryAfter: toDelay(retryAfter) }),
})

/** Converts the input of a stored step to an update. In an update, only null removes the subjects of a reply. */
export function toStepUpdate({ id, channel: _, subject: __, body: ___, ...step }: StepInput): StepUpdate {
  const { thread, variants } = step
  const isReply = thread === 'same'
  return {
    ...step,
    stepId: id,
    variants: isReply ? variants?.map(variant => ({ ...variant, subject: null })) : variants,
  } as StepUpdate
}

/** Returns the drafts with the IDs of the steps and variants that they were saved as. */
export function mergeIds(
  steps: readonly StepDraft[],
  sent: readonly StepDraft[],
  stored: readonly StoredStep[],
): StepDraft[] {
  const ids = new Map<string, string | undefined>()
  for (const [index, draft] of sent.entries()) {
    ids.set(draft.key, stored[index]?.id)
    for (const [variantIndex, { key }] of draft.variants.entries())
      ids.set(key, stored[index]?.variants[variantIndex]?.id)
  }
  const withId = <T extends { key: string; id: string | undefined }>(draft: T): T =>
    ids.has(draft.key) && ids.get(draft.key) !== draft.id ? { ...draft, id: ids.get(draft.key) } : draft
  return steps.map(step => {
    const variants = step.variants.map(withId)
    const isSame = variants.every((variant, index) => variant === step.variants[index])
    return withId(isSame ? step : { ...step, variants })
  })
}
