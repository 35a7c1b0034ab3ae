import { createHash } from 'node:crypto'
import type { ReceivedMail } from './answer-mails.ts'
import { trialCampaign } from './campaigns.ts'
import { companiesOf } from './cast.ts'
import { companies } from './people.ts'
import { openTeller } from './teller.ts'

/** How twenty people take to a campaign; one who is `late` says nothing until the second mail. */
export const demeanors = [
  ...['reply', 'away', 'bounce', 'reply', 'unsubscribe', 'silence', 'complaint', 'reply', 'late', 'link'],
  ...['silence', 'away', 'silence', 'reply', 'late', 'silence', 'reply', 'silence', 'late', 'silence'],
] as const

export type Reaction = Exclude<(typeof demeanors)[number], 'late'>

/** Whom the demo's own campaign writes to, in their order. */
const trialPlaces = new Map(
  companiesOf([trialCampaign])
    .flatMap(({ domain, people }) => people.map(([, , slug]) => ({ slug, email: `${slug}@${domain}` })))
    .filter(({ slug }) => !trialCampaign.paused?.[slug])
    .map(({ slug, email }) => ({ email, id: prospectIdOf(slug) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ email }, place) => [email, place] as const),
)

function prospectIdOf(slug: string): string {
  return openTeller('acme', new Date(0)).id('prospect', trialCampaign.key, slug)
}

/** A number that goes with the address alone: whoever it is behaves the same, whichever process plays them. */
export const placeOf = (email: string): number =>
  trialPlaces.get(email) ?? createHash('sha256').update(email).digest().readUInt16LE()

export const countryOf = (email: string): string | undefined =>
  companies.find(({ domain }) => email.endsWith(`@${domain}`))?.country

/** One address has one fate: nobody both bounces and answers. Who is away or wants no more says so once. */
export function reactionTo({ to, references }: Pick<ReceivedMail, 'to' | 'references'>): Reaction {
  const demeanor = demeanors[placeOf(to) % demeanors.length]!
  const isFirst = references === ''
  switch (demeanor) {
    case 'late':
      return isFirst ? 'silence' : 'reply'
    case 'bounce':
      return demeanor
    default:
      return isFirst ? demeanor : 'silence'
  }
}
