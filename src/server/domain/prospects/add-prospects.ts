import { randomUUIDv7 } from 'node:crypto'
import { prospectInput } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { type AppError, invalid, invalidAll, notFound } from '../../kernel/errors.ts'
import { audit } from '../accounts/audit-log.ts'
import { forbidAppTriggeredCalls } from '../campaigns/forbid-app-triggered-calls.ts'
import type { RescheduleSteps } from '../campaigns/prospect-effects.ts'
import { findOwnDomains } from '../people/companies/own-domains.ts'
import type { ImportElement } from '../people/persons/import-rows.ts'
import type { ParsedPerson } from '../people/persons/parse-person.ts'
import {
  findTagErrors,
  formatErrors,
  noDetails,
  openCustomDetails,
  type PersonDetails,
  parseElement,
  writePersons,
} from '../people/persons/person-details.ts'
import type { IndexedPerson } from '../people/persons/person-index.ts'
import { resolvePersons } from '../people/persons/resolve-persons.ts'
import { retryAtFilledCompanies } from './filled-companies.ts'
import { forbidAppChangedCallees } from './forbid-app-changed-callees.ts'
import { forbidUnapprovedChanges } from './forbid-unapproved-changes.ts'
import { retryIncompletePersons } from './incomplete.ts'
import { type AddOutcome, findSkipReasons } from './skip-reasons.ts'
import { insertProspects } from './write-prospects.ts'

type Result = Output<'addProspectsToCampaign'>['data'][number]

/** Finds, by prospect, the variables of the campaign's steps that these prospects have no value for. */
export type FindMissing = (
  ctx: Context,
  campaignId: string,
  prospectIds: readonly string[],
) => Promise<Map<string, string[]>>

export type AddEffects = {
  findMissing: FindMissing
  /** Recomputes when waiting steps are due, because a time zone may have become known. */
  rescheduleSteps: RescheduleSteps
}

const inputFields = Object.keys(prospectInput.shape)

export async function addProspectsToCampaign(
  ctx: Context,
  { campaignId, data }: Input<'addProspectsToCampaign'>,
  effects: AddEffects,
): Promise<Output<'addProspectsToCampaign'>> {
  await forbidAppTriggeredCalls(ctx, campaignId)
  const elements = data.map(element =>
    Object.fromEntries(Object.entries(element).filter(([key]) => inputFields.includes(key))),
  ) as ImportElement[]
  const outcomes = await addProspects(ctx, campaignId, elements, {
    ...{ onInvalid: 'reject', effects },
    ...(elements.some(({ custom }) => custom) && { details: await openCustomDetails(ctx) }),
  })
  const added = outcomes.filter(({ outcome }) => outcome === 'added').length
  const warnings = data.flatMap((element, index) =>
    Object.keys(element)
      .filter(key => !inputFields.includes(key))
      .map(key => `data.${index}.${key.slice(0, 100)} is an unknown field and was ignored`),
  )
  for (const [index, { missing }] of outcomes.entries())
    if (missing) warnings.push(`data.${index} ${toMissingMessage(missing)}`)
  return {
    data: outcomes.map(({ missing, ...outcome }, index) => ({ index, ...outcome }) as Result),
    total: data.length,
    added,
    skipped: data.length - added,
    ...(warnings.length > 0 && { warnings }),
  }
}

export const toMissingMessage = (missing: readonly string[]): string =>
  `has no value for ${missing.join(', ')}, which the campaign’s steps use: nothing is sent to this prospect until every value is set`

/**
 * Adds a batch of at most a few thousand prospects to a campaign within the current transaction. Returns the outcomes
 * in the order of the elements. An invalid element makes the batch fail (`reject`), or gets the outcome `invalid`
 * (`report`).
 */
export async function addProspects(
  ctx: Context,
  campaignId: string,
  elements: readonly ImportElement[],
  {
    onInvalid,
    effects: { findMissing, rescheduleSteps },
    details = noDetails,
  }: { onInvalid: 'reject' | 'report'; effects: AddEffects; details?: PersonDetails },
): Promise<AddOutcome[]> {
  const [campaign, ownDomains] = await Promise.all([lockOpenCampaign(ctx, campaignId), findOwnDomains(ctx)])
  const parsed = elements.map(element => parseElement(element, { ...campaign, ownDomains }, details))
  if (onInvalid === 'reject') throwErrors(parsed)
  const readable = parsed.filter(({ errors }) => errors.length === 0)
  const resolved = await resolvePersons(
    ctx,
    readable.map(({ facts }) => facts),
  )
  const found = readable.map(({ facts, custom }, index) => ({
    ...{ person: resolved.persons[index]!, facts: facts.person, custom },
  }))
  const skipReasons = await findSkipReasons(ctx, campaign, found)
  const tagErrors = await findTagErrors(ctx, resolved.persons, details)

  const firstOutcomes = new Map<IndexedPerson, AddOutcome>()
  const toOutcome = ({ person }: { person: IndexedPerson }): AddOutcome => {
    const error = tagErrors.get(person)
    if (error) return { outcome: 'invalid', reason: error }
    const first = firstOutcomes.get(person)
    if (first)
      return {
        ...first,
        outcome: 'duplicate_in_request',
        reason: 'is the same person as in an earlier element',
      }
    const outcome = skipReasons.get(person) ?? {
      outcome: 'added',
      prospectId: randomUUIDv7(),
      personId: person.id,
    }
    firstOutcomes.set(person, outcome)
    return outcome
  }
  const outcomes = found.map(toOutcome)
  const added = listAdded(firstOutcomes.values())
  const wanted = found.filter(
    ({ person }) => !tagErrors.has(person) && firstOutcomes.get(person)?.outcome !== 'do_not_contact',
  )
  const { changed, filled } = await writePersons(
    ctx,
    resolved,
    wanted,
    details,
    insertProspects(ctx, campaignId, added, ctx.app.now()),
    audit(ctx, 'add_prospects', 'campaign', campaignId),
  )
  await forbidUnapprovedChanges(ctx, { personIds: changed })
  if (changed.length > 0) {
    await forbidAppChangedCallees(ctx, { personIds: changed })
    await retryIncompletePersons(ctx, changed)
  }
  if (filled.length > 0) await rescheduleSteps(ctx, { personIds: filled })
  await retryAtFilledCompanies(ctx, resolved.listFilledCompanies(wanted.map(({ person }) => person)))
  const missing = await findMissing(
    ctx,
    campaignId,
    added.map(({ id }) => id),
  )
  const described = outcomes
    .map(outcome =>
      outcome.outcome === 'added' ? { ...outcome, missing: missing.get(outcome.prospectId!) } : outcome,
    )
    .values()
  return parsed.map(({ errors }) =>
    errors.length > 0 ? { outcome: 'invalid', reason: formatErrors(errors) } : described.next().value!,
  )
}

const listAdded = (outcomes: Iterable<AddOutcome>) =>
  [...outcomes].flatMap(({ outcome, prospectId, personId }) =>
    outcome === 'added' ? [{ id: prospectId!, personId: personId! }] : [],
  )

/** Locks the campaign against status changes until the batch is stored: a concurrent completion must see the batch. */
export async function lockOpenCampaign(
  { sql, accountId }: Context,
  campaignId: string,
  notFoundError: AppError = notFound('campaign'),
): Promise<{ id: string; skipActiveElsewhere: boolean; defaultCountry: string | undefined }> {
  const [campaign] = await sql<
    { status: string; isArchived: boolean; skipActiveElsewhere: boolean; defaultCountry: string | null }[]
  >`
    select c.status, c.is_archived as "isArchived", c.skip_active_elsewhere as "skipActiveElsewhere",
           a.default_country as "defaultCountry"
      from campaigns c
      join accounts a on a.id = c.account_id
     where c.account_id = ${accountId} and c.id = ${campaignId}
       for share of c`
  if (!campaign) throw notFoundError
  const { status, isArchived, skipActiveElsewhere, defaultCountry } = campaign
  if (isArchived || status === 'completed') {
    throw invalid(
      'campaignId',
      `belongs to a campaign that is ${isArchived ? 'archived' : 'completed'} and accepts no more prospects`,
    )
  }
  return { id: campaignId, skipActiveElsewhere, defaultCountry: defaultCountry ?? undefined }
}

function throwErrors(parsed: readonly ParsedPerson[]): void {
  const details = parsed.flatMap(({ errors }, index) =>
    errors.map(({ path, message }) => ({
      path: ['data', index, path].filter(part => part !== '').join('.'),
      message,
    })),
  )
  if (details.length > 0) throw invalidAll(details)
}
