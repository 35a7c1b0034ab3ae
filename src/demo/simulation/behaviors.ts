import { createHash } from 'node:crypto'
import { trialCampaign } from '../data/campaigns.ts'
import { companies } from '../data/people.ts'
import { findCompanies } from '../seed/prospects.ts'
import { createSeedContext } from '../seed/seed-context.ts'
import type { ReceivedEmail } from './compose-replies.ts'

/** How twenty recipients respond to a campaign; `late_reply` is a reply to the second email only. */
export const behaviors = [
  ...['reply', 'out_of_office', 'bounce', 'reply', 'unsubscribe_reply', 'none', 'complaint', 'reply'],
  ...['late_reply', 'unsubscribe_link', 'none', 'out_of_office', 'none', 'reply', 'late_reply', 'none'],
  ...['reply', 'none', 'late_reply', 'none'],
] as const

export type Reaction = Exclude<(typeof behaviors)[number], 'late_reply'>

/** Numbers of the trial campaign's recipients by email address, in the order in which they are emailed. */
const trialRecipientNumbers = new Map(
  findCompanies([trialCampaign])
    .flatMap(({ domain, people }) => people.map(([, , slug]) => ({ slug, email: `${slug}@${domain}` })))
    .filter(({ slug }) => !trialCampaign.paused?.[slug])
    .map(({ slug, email }) => ({ email, id: getProspectId(slug) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ email }, index) => [email, index] as const),
)

function getProspectId(slug: string): string {
  return createSeedContext('acme', new Date(0)).id('prospect', trialCampaign.key, slug)
}

/** Returns a number that depends on the address alone, so that a recipient behaves the same in every process. */
export const getRecipientNumber = (email: string): number =>
  trialRecipientNumbers.get(email) ?? createHash('sha256').update(email).digest().readUInt16LE()

export const getCountry = (email: string): string | undefined =>
  companies.find(({ domain }) => email.endsWith(`@${domain}`))?.country

/** Returns the reaction to an email. Each address has one behavior and reacts once, but a bounce repeats. */
export function chooseReaction({ to, references }: Pick<ReceivedEmail, 'to' | 'references'>): Reaction {
  const behavior = behaviors[getRecipientNumber(to) % behaviors.length]!
  const isFirst = references === ''
  switch (behavior) {
    case 'late_reply':
      return isFirst ? 'none' : 'reply'
    case 'bounce':
      return behavior
    default:
      return isFirst ? behavior : 'none'
  }
}
