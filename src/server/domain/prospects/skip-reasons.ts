import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { type AddedPerson, type Candidate, findBlockers } from '../people/persons/find-blockers.ts'
import { findOtherProspects, type OtherProspect } from './write-prospects.ts'

type Result = Omit<Output<'addProspectsToCampaign'>['data'][number], 'index'>

/** The outcome of one element; `invalid` only if errors are reported instead of thrown. */
export type AddOutcome = Omit<Result, 'outcome'> & {
  outcome: Result['outcome'] | 'invalid'
  /** Variables that the campaign's steps use and an added prospect has no value for. */
  missing?: string[] | undefined
}

/** The reason a person is not added. */
type SkipOutcome = Extract<
  Result['outcome'],
  'already_in_campaign' | 'do_not_contact' | 'in_other_active_campaign'
>

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
  // Duplicates come first, so a duplicate is kept only if the person has no other prospect in this campaign.
  const inThisCampaign = new Map(others.filter(isInCampaign).map(other => [other.personId, other]))
  const inOtherCampaign = new Set(
    campaign.skipActiveElsewhere
      ? others.filter(other => !isInCampaign(other) && !leaving.has(other.id)).map(other => other.personId)
      : [],
  )
  const findOutcome = (person: P): (AddOutcome & { outcome: SkipOutcome }) | undefined => {
    const known = person.isNew ? {} : { personId: person.id }
    const prospect = inThisCampaign.get(person.id)
    if (prospect) return { ...known, outcome: 'already_in_campaign', prospectId: prospect.id }
    const blocker = blockers.get(person)
    if (blocker)
      return { ...known, outcome: 'do_not_contact', reason: `${blocker.value} is on the Do Not Contact list` }
    return inOtherCampaign.has(person.id)
      ? {
          ...known,
          outcome: 'in_other_active_campaign',
          reason: 'the person is in another active campaign',
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

const isInCampaign = (other: OtherProspect) => other.isInCampaign
