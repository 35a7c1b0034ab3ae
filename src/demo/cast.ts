import type { AccountStory, RepStory } from './accounts.ts'
import type { CampaignStory } from './campaigns.ts'
import { type Company, companies, type Person } from './people.ts'
import { minutesAfter, type Teller } from './teller.ts'

/** A person in a campaign, and how far it has got. */
export type Prospect = {
  id: string
  personId: string
  campaign: CampaignStory
  company: Company
  person: Person
  rep: RepStory
  /** Among the people of the campaign, from 0. */
  place: number
  /** When the campaign's email left. */
  writtenAt: Date | undefined
}

const EMAILS_A_DAY = 12
const MINUTES_BETWEEN = 17

/** Everybody in the account's campaigns, in the order in which they were added. */
export const castProspects = (
  teller: Teller,
  { reps }: AccountStory,
  campaigns: readonly CampaignStory[],
): Prospect[] =>
  campaigns.flatMap(campaign =>
    companiesOf([campaign])
      .flatMap(company => company.people.map(person => ({ company, person })))
      .map(({ company, person }, index): Prospect => {
        const key = campaign.reps[index % campaign.reps.length]
        return {
          id: teller.id('prospect', campaign.key, person[2]),
          personId: teller.id('person', person[2]),
          campaign,
          company,
          person,
          rep: reps.find(rep => rep.key === key)!,
          place: index,
          writtenAt: writtenAt(teller, campaign, index),
        }
      }),
  )

function writtenAt(teller: Teller, campaign: CampaignStory, index: number): Date | undefined {
  const { launchedDaysAgo, written = Number.POSITIVE_INFINITY } = campaign
  if (launchedDaysAgo === undefined || index >= written) return undefined
  const day = launchedDaysAgo - Math.floor(index / EMAILS_A_DAY)
  return minutesAfter(teller.at(day, '07:30'), (index % EMAILS_A_DAY) * MINUTES_BETWEEN)
}

export const companiesOf = (campaigns: readonly CampaignStory[]): Company[] => {
  const domains = new Set(campaigns.flatMap(campaign => campaign.audience))
  return companies.filter(company => domains.has(company.domain))
}

export const emailOf = ({ person, company }: Pick<Prospect, 'person' | 'company'>): string =>
  `${person[2]}@${company.domain}`

export const fullNameOf = ([firstName, lastName]: Person): string => `${firstName} ${lastName}`

/** The person in that campaign; without a campaign, in the one it was added to last. */
export function findProspect(prospects: readonly Prospect[], slug: string, campaign?: string): Prospect {
  const found = prospects.find(
    prospect => prospect.person[2] === slug && (!campaign || prospect.campaign.key === campaign),
  )
  if (!found) throw new Error(`The story of the demo names ${slug}, who is in no campaign ${campaign ?? ''}`)
  return found
}
