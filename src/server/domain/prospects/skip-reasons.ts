import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { findOptOutForEach } from '../people/opt-outs/find-opt-outs.ts'
import type { IndexedPerson } from '../people/persons/person-index.ts'
import type { PersonFacts } from '../people/persons/write-persons.ts'
import { findOtherProspects, type OtherProspect } from './write-prospects.ts'

type Result = Omit<Output<'addProspectsToCampaign'>['data'][number], 'index'>

/** Outcome for one element; `invalid` only where faults are reported instead of refused. */
export type AddOutcome = Omit<Result, 'outcome'> & {
  outcome: Result['outcome'] | 'invalid'
  /** Variables that the campaign's steps use and an added prospect has no value for. */
  missing?: string[] | undefined
}

/** Why a person is not added. */
type SkipOutcome = Extract<
  Result['outcome'],
  'already_in_campaign' | 'do_not_contact' | 'in_other_active_campaign'
>

type ContactFacts = Pick<PersonFacts, 'email' | 'linkedinUrl' | 'phone'>
type AddedPerson = ContactFacts & Pick<IndexedPerson, 'id' | 'isNew'>

/** A person to be added, and the facts of the element itself; both are checked against the Do Not Contact list. */
type Candidate<P> = { person: P; facts: ContactFacts }

/** Returns the outcome of each candidate that cannot be added. Ignores the prospects that are `leaving`. */
export async function findSkipReasons<P extends AddedPerson>(
  ctx: Context,
  campaign: { id: string; skipActiveElsewhere: boolean },
  candidates: readonly Candidate<P>[],
  leaving: ReadonlySet<string> = new Set(),
): Promise<Map<P, AddOutcome & { outcome: SkipOutcome }>> {
  const stored = candidates.flatMap(({ person }) => (person.isNew ? [] : person.id))
  const [blockers, others] = await Promise.all([
    findBlockers(ctx, candidates),
    stored.length > 0 ? findOtherProspects(ctx, campaign.id, stored) : [],
  ])
  const here = new Map(others.filter(isHere).map(other => [other.personId, other]))
  const elsewhere = new Set(
    campaign.skipActiveElsewhere
      ? others.filter(other => !isHere(other) && !leaving.has(other.id)).map(other => other.personId)
      : [],
  )
  const findOutcome = (person: P): (AddOutcome & { outcome: SkipOutcome }) | undefined => {
    const known = person.isNew ? {} : { personId: person.id }
    const prospect = here.get(person.id)
    if (prospect) return { ...known, outcome: 'already_in_campaign', prospectId: prospect.id }
    const blocker = blockers.get(person)
    if (blocker)
      return { ...known, outcome: 'do_not_contact', reason: `${blocker.value} is on the Do Not Contact list` }
    return elsewhere.has(person.id)
      ? {
          ...known,
          outcome: 'in_other_active_campaign',
          reason: 'another active campaign is working on this person',
        }
      : undefined
  }
  return new Map(
    candidates.flatMap(({ person }) => {
      const outcome = findOutcome(person)
      return outcome ? [[person, outcome]] : []
    }),
  )
}

const isHere = (other: OtherProspect) => other.isHere

/** Finds the entry of the Do Not Contact list that blocks each candidate, by what is on file or by the element. */
async function findBlockers<P extends AddedPerson>(
  ctx: Context,
  candidates: readonly Candidate<P>[],
): Promise<Map<P, OptOutIdentifier>> {
  const toContact = ({ email, linkedinUrl, phone }: ContactFacts, personId: string | null) => ({
    ...{ personId, emails: email ? [email] : [], linkedinUrl, phone },
  })
  const found = await findOptOutForEach(
    ctx,
    candidates.flatMap(({ person, facts }) => [
      toContact(person, person.isNew ? null : person.id),
      toContact(omitKnownContact(facts, person), null),
    ]),
  )
  // Several elements may be the same person; the first blocked one counts.
  const blocked = candidates.flatMap(({ person }, index): [P, OptOutIdentifier][] => {
    const entry = found[2 * index] ?? found[2 * index + 1]
    return entry ? [[person, entry]] : []
  })
  return new Map(blocked.reverse())
}

/** Returns the element's contact details that differ from those on file. */
const omitKnownContact = (facts: ContactFacts, person: ContactFacts): ContactFacts => ({
  email: facts.email === person.email ? null : facts.email,
  linkedinUrl: facts.linkedinUrl === person.linkedinUrl ? null : facts.linkedinUrl,
  phone: facts.phone === person.phone ? null : facts.phone,
})
