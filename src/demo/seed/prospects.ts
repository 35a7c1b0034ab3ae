import type { SeedAccount, SeedRep } from '../data/accounts.ts'
import type { SeedCampaign } from '../data/campaigns.ts'
import { type Company, companies, type Person } from '../data/people.ts'
import { addMinutes, type SeedContext } from './seed-context.ts'

/** A person in a campaign. */
export type SeedProspect = {
  id: string
  personId: string
  campaign: SeedCampaign
  company: Company
  person: Person
  rep: SeedRep
  /** Position in the campaign, from 0. */
  index: number
  /** When the first email was sent. */
  sentAt: Date | undefined
}

const EMAILS_PER_DAY = 12
const MINUTES_BETWEEN_EMAILS = 17

/** Returns the prospects of all campaigns, in the order they were added. */
export const buildProspects = (
  seed: SeedContext,
  { reps }: SeedAccount,
  campaigns: readonly SeedCampaign[],
): SeedProspect[] =>
  campaigns.flatMap(campaign =>
    findCompanies([campaign])
      .flatMap(company => company.people.map(person => ({ company, person })))
      .map(({ company, person }, index): SeedProspect => {
        const key = campaign.reps[index % campaign.reps.length]
        return {
          id: seed.id('prospect', campaign.key, person[2]),
          personId: seed.id('person', person[2]),
          campaign,
          company,
          person,
          rep: reps.find(rep => rep.key === key)!,
          index,
          sentAt: getFirstSentAt(seed, campaign, index),
        }
      }),
  )

function getFirstSentAt(seed: SeedContext, campaign: SeedCampaign, index: number): Date | undefined {
  const { launchedDaysAgo, sentCount = Number.POSITIVE_INFINITY } = campaign
  if (launchedDaysAgo === undefined || index >= sentCount) return undefined
  const day = launchedDaysAgo - Math.floor(index / EMAILS_PER_DAY)
  return addMinutes(seed.at(day, '07:30'), (index % EMAILS_PER_DAY) * MINUTES_BETWEEN_EMAILS)
}

export const findCompanies = (campaigns: readonly SeedCampaign[]): Company[] => {
  const domains = new Set(campaigns.flatMap(campaign => campaign.audience))
  return companies.filter(company => domains.has(company.domain))
}

export const getEmail = ({ person, company }: Pick<SeedProspect, 'person' | 'company'>): string =>
  `${person[2]}@${company.domain}`

export const getFullName = ([firstName, lastName]: Person): string => `${firstName} ${lastName}`

/**
 * Finds a person in a campaign; without a campaign, in the first one that contains the person. Throws when there is
 * none.
 */
export function findProspect(
  prospects: readonly SeedProspect[],
  slug: string,
  campaign?: string,
): SeedProspect {
  const found = prospects.find(
    prospect => prospect.person[2] === slug && (!campaign || prospect.campaign.key === campaign),
  )
  if (!found)
    throw new Error(
      `The seed data names ${slug}, who is not in ${campaign ? `the campaign ${campaign}` : 'any campaign'}.`,
    )
  return found
}
