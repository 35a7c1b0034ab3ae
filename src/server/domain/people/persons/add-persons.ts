import type { Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import { getDefaultCountry } from '../../accounts/default-country.ts'
import { findOwnDomains } from '../companies/own-domains.ts'
import { findBlockers } from './find-blockers.ts'
import type { ImportElement } from './import-rows.ts'
import {
  findTagErrors,
  formatErrors,
  type PersonDetails,
  parseElement,
  writePersons,
} from './person-details.ts'
import { resolvePersons } from './resolve-persons.ts'

type Outcome = Output<'importPersons'>['persons'][number]['outcome'] | 'invalid' | 'do_not_contact'
export type PersonOutcome = { outcome: Outcome; personId?: string; reason?: string | undefined }

/** Effects on the prospects of changed persons. Higher-level modules implement them. */
export type ChangeEffects = {
  forbidAppChangedCallees: (ctx: Context, people: { personIds: readonly string[] }) => Promise<void>
  retryIncompletePersons: (ctx: Context, personIds: readonly string[]) => Promise<void>
  /** Recomputes when their next steps are due, because a time zone may have become known. */
  rescheduleSteps: (ctx: Context, people: { personIds: readonly string[] }) => Promise<void>
  retryAtFilledCompanies: (ctx: Context, companyIds: readonly string[]) => Promise<void>
}

/**
 * Creates a batch of at most a few thousand persons within the current transaction, and fills the unknown fields of
 * existing ones. Returns the outcomes in the order of the elements. IDs increase over time: persons with an ID after
 * `startId` came from an earlier batch of the same import.
 */
export async function addPersons(
  ctx: Context,
  elements: readonly ImportElement[],
  { details, startId, ...effects }: ChangeEffects & { details: PersonDetails; startId: string },
): Promise<PersonOutcome[]> {
  const [defaultCountry, ownDomains] = await Promise.all([getDefaultCountry(ctx), findOwnDomains(ctx)])
  const parsed = elements.map(element => parseElement(element, { defaultCountry, ownDomains }, details))
  const readable = parsed.filter(({ errors }) => errors.length === 0)
  const resolved = await resolvePersons(
    ctx,
    readable.map(({ facts }) => facts),
  )
  const found = readable.map(({ facts, custom }, index) => ({
    ...{ person: resolved.persons[index]!, facts: facts.person, custom },
  }))
  const blockers = await findBlockers(ctx, found)
  const tagErrors = await findTagErrors(ctx, resolved.persons, details)
  const wanted = found.filter(({ person }) => !blockers.has(person) && !tagErrors.has(person))
  const { changed, filled } = await writePersons(ctx, resolved, wanted, details)
  if (changed.length > 0) {
    await effects.forbidAppChangedCallees(ctx, { personIds: changed })
    await effects.retryIncompletePersons(ctx, changed)
  }
  if (filled.length > 0) await effects.rescheduleSteps(ctx, { personIds: filled })
  await effects.retryAtFilledCompanies(ctx, resolved.listFilledCompanies(wanted.map(({ person }) => person)))
  const updated = new Set(changed)
  const seen = new Set<string>()
  const outcomes = found
    .map(({ person }): PersonOutcome => {
      const blocker = blockers.get(person)
      const error = tagErrors.get(person)
      if (blocker)
        return { outcome: 'do_not_contact', reason: `${blocker.value} is on the Do Not Contact list` }
      if (error) return { outcome: 'invalid', reason: error }
      const { id: personId, isNew } = person
      const isDuplicate = seen.has(personId) || (!isNew && personId > startId)
      seen.add(personId)
      if (isDuplicate) return { outcome: 'duplicate', personId }
      return { outcome: isNew ? 'created' : updated.has(personId) ? 'updated' : 'unchanged', personId }
    })
    .values()
  return parsed.map(({ errors }) =>
    errors.length > 0 ? { outcome: 'invalid', reason: formatErrors(errors) } : outcomes.next().value!,
  )
}
