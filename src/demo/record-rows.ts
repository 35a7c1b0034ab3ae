import type { AccountStory } from './accounts.ts'
import type { CampaignStory } from './campaigns.ts'
import { companiesOf, type Prospect } from './cast.ts'
import type { OptOutStory } from './opt-outs.ts'
import { minutesAfter, type Rows, type Teller, userIdOf } from './teller.ts'

/** The address book was read in before anything else happened. */
const IMPORTED_DAYS_AGO = 88

const madeAt = (at: Date) => ({ created_at: at, updated_at: at })

export function companyRows({ accountId, id, at }: Teller, campaigns: readonly CampaignStory[]): Rows {
  return companiesOf(campaigns).map((company, index) => ({
    account_id: accountId,
    id: id('company', company.domain),
    name: company.name,
    domain: company.domain,
    website: `https://www.${company.domain}/`,
    industries: [company.industry],
    city: company.city,
    state: company.state ?? null,
    country: company.country,
    ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO), index)),
  }))
}

export function personRows({ accountId, id, at }: Teller, campaigns: readonly CampaignStory[]): Rows {
  return companiesOf(campaigns)
    .flatMap(company => company.people.map(person => ({ company, person })))
    .map(({ company, person: [firstName, lastName, slug, title, phone] }, index) => ({
      account_id: accountId,
      id: id('person', slug),
      first_name: firstName,
      last_name: lastName,
      email: `${slug}@${company.domain}`,
      linkedin_url: `https://www.linkedin.com/in/demo-${slug.replaceAll('.', '-')}`,
      phone: phone ?? null,
      title,
      company_id: id('company', company.domain),
      city: company.city,
      state: company.state ?? null,
      country: company.country,
      timezone: company.timezone,
      ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO), index)),
    }))
}

/** Everybody with a number said yes to calls when they were imported; where their law asks for it, it is kept so. */
export const consentRows = ({ accountId, id, at }: Teller, campaigns: readonly CampaignStory[]): Rows =>
  companiesOf(campaigns)
    .flatMap(company => company.people)
    .flatMap(([firstName, lastName, slug, , phone]) =>
      phone ? [{ name: `${firstName} ${lastName}`, slug, phone }] : [],
    )
    .map(({ name, slug, phone }, index) => ({
      account_id: accountId,
      id: id('consent', slug),
      phone,
      name,
      kind: 'written',
      covers: 'ai_voice_marketing',
      proof: 'Ticked on the form: “Acme Cold Chain may call me about its loggers, also with an AI voice.”',
      source: 'Form on the website',
      given_at: at(IMPORTED_DAYS_AGO),
      ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO), index)),
    }))

export const repRows = ({ accountId, id, at }: Teller, { reps }: AccountStory): Rows =>
  reps.map((rep, index) => ({
    account_id: accountId,
    id: id('rep', rep.key),
    name: rep.name,
    owned_by_id: userIdOf(rep.ownedBy),
    ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO + 1), index)),
  }))

export const mailboxRows = ({ accountId, id, at }: Teller, { reps }: AccountStory): Rows =>
  reps.map((rep, index) => ({
    account_id: accountId,
    id: id('mailbox', rep.key),
    rep_id: id('rep', rep.key),
    kind: 'sandbox',
    email: rep.email,
    sender_name: rep.name,
    status: 'active',
    ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO + 1), index)),
  }))

/** The campaign that the demo launches is a draft until then. */
export const campaignRows = ({ accountId, id, at }: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.map(campaign => ({
    account_id: accountId,
    id: id('campaign', campaign.key),
    name: campaign.name,
    description: campaign.description,
    status: campaign.launchedDaysAgo === undefined ? 'draft' : campaign.status,
    is_archived: campaign.isArchived ?? false,
    is_evergreen: campaign.isEvergreen ?? false,
    launched_at: campaign.launchedDaysAgo === undefined ? null : at(campaign.launchedDaysAgo, '07:20'),
    ...madeAt(at(campaign.createdDaysAgo, '09:45')),
  }))

export const campaignRepRows = ({ accountId, id }: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.flatMap(campaign =>
    campaign.reps.map((rep, index) => ({
      account_id: accountId,
      campaign_id: id('campaign', campaign.key),
      rep_id: id('rep', rep),
      position: index + 1,
    })),
  )

/** The first step of a campaign goes by the campaign's name alone. */
const stepsOf = ({ key, subject, body, followUps = [] }: CampaignStory) => [
  { names: [key], subject, body, thread: 'new', delayMinutes: 0 },
  ...followUps.map((step, index) => ({
    ...step,
    names: [key, String(index + 2)],
    subject: null,
    thread: 'same',
  })),
]

export const stepRows = ({ accountId, id, at }: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.flatMap(campaign =>
    stepsOf(campaign).map(({ names, thread, delayMinutes }, index) => ({
      account_id: accountId,
      id: id('step', ...names),
      campaign_id: id('campaign', campaign.key),
      position: index + 1,
      channel: 'email',
      thread,
      delay_amount: delayMinutes,
      delay_unit: 'minutes',
      ...madeAt(at(campaign.createdDaysAgo, '09:45')),
    })),
  )

export const variantRows = ({ accountId, id, at }: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.flatMap(campaign =>
    stepsOf(campaign).map(({ names, subject, body }) => ({
      account_id: accountId,
      id: id('variant', ...names),
      step_id: id('step', ...names),
      position: 1,
      subject,
      body,
      weight: 1,
      ...madeAt(at(campaign.createdDaysAgo, '09:45')),
    })),
  )

export const prospectRows = ({ accountId, id, at }: Teller, prospects: readonly Prospect[]): Rows =>
  prospects.map(({ campaign, person, rep, writtenAt, ...prospect }, index) => {
    const [status, reason] = campaign.outcomes?.[person[2]] ?? [writtenAt ? 'completed' : 'pending']
    const addedAt = new Date(at(campaign.createdDaysAgo, '09:50').getTime() + index)
    return {
      account_id: accountId,
      id: prospect.id,
      campaign_id: id('campaign', campaign.key),
      person_id: prospect.personId,
      rep_id: id('rep', rep.key),
      status,
      status_reason: reason ?? null,
      steps_done: writtenAt ? 1 : 0,
      next_step_at: writtenAt ? null : addedAt,
      created_at: addedAt,
      updated_at: writtenAt ?? addedAt,
    }
  })

export const tagRows = ({ accountId, id, at }: Teller, names: Iterable<string>): Rows =>
  [...new Set(names)].map((name, index) => ({
    account_id: accountId,
    id: id('tag', name),
    name,
    ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO), index)),
  }))

export const optOutRows = ({ accountId, id, at }: Teller, optOuts: readonly OptOutStory[]): Rows =>
  optOuts.map(({ kind, value, name, source, daysAgo }) => ({
    account_id: accountId,
    id: id('opt-out', kind, value),
    kind,
    value,
    name,
    source,
    ...madeAt(at(daysAgo, '18:30')),
  }))
