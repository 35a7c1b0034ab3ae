import type { AccountStory } from './accounts.ts'
import type { CampaignStory } from './campaigns.ts'
import { companiesOf, type Prospect } from './cast.ts'
import { addedAt, CALL_TRIES, type Fate } from './fates.ts'
import type { OptOutStory } from './opt-outs.ts'
import { stepsOf } from './steps.ts'
import { minutesAfter, type Rows, type Teller, userIdOf } from './teller.ts'

/** By prospect. */
export type Fates = ReadonlyMap<string, Fate>

const DAY_MINUTES = 24 * 60
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
    email: rep.email,
    sender_name: rep.name,
    ...(rep.mailboxFault ? failing(rep.mailboxFault, at(0)) : working),
    ...madeAt(minutesAfter(at(IMPORTED_DAYS_AGO + 1), index)),
  }))

const working = {
  ...{ kind: 'sandbox', smtp_host: null, smtp_port: null, smtp_tls: null },
  ...{ status: 'active', status_reason: null, fault_count: 0, retry_at: null },
}

/** Each start of the demo puts off when it is signed in to again: no such server exists. */
const failing = (reason: string, madeAt: Date) => ({
  ...{ kind: 'smtp', smtp_host: 'mail.acme.example', smtp_port: 587, smtp_tls: 'starttls' },
  ...{ status: 'failing', status_reason: reason, fault_count: 3 },
  retry_at: madeAt,
})

/** The campaign that the demo launches is a draft until then. */
export const campaignRows = (
  teller: Teller,
  campaigns: readonly CampaignStory[],
  prospects: readonly Prospect[],
  fates: Fates,
): Rows =>
  campaigns.map(campaign => ({
    account_id: teller.accountId,
    id: teller.id('campaign', campaign.key),
    name: campaign.name,
    description: campaign.description,
    status: campaign.launchedDaysAgo === undefined ? 'draft' : campaign.status,
    is_archived: campaign.isArchived ?? false,
    is_evergreen: campaign.isEvergreen ?? false,
    launched_at: launchedAt(teller, campaign) ?? null,
    created_at: teller.at(campaign.createdDaysAgo, '09:45'),
    updated_at: campaignChangedAt(teller, campaign, prospects, fates),
  }))

const launchedAt = ({ at }: Teller, { launchedDaysAgo }: CampaignStory): Date | undefined =>
  launchedDaysAgo === undefined ? undefined : at(launchedDaysAgo, '07:20')

/** It was launched, then paused after the last mail that left, or completed by the last thing that happened in it. */
function campaignChangedAt(
  teller: Teller,
  campaign: CampaignStory,
  prospects: readonly Prospect[],
  fates: Fates,
): Date {
  const own = prospects.filter(prospect => prospect.campaign === campaign).map(({ id }) => fates.get(id)!)
  const latest = (times: (Date | undefined)[]) =>
    new Date(Math.max(...times.flatMap(time => (time ? [time.getTime()] : []))))
  const launched = launchedAt(teller, campaign)
  if (!launched) return teller.at(campaign.createdDaysAgo, '09:45')
  switch (campaign.status) {
    case 'paused':
      return minutesAfter(latest([launched, ...own.flatMap(({ emails }) => emails.map(({ at }) => at))]), 5)
    case 'completed':
      // It goes into the archive a day later.
      return minutesAfter(
        latest([launched, ...own.map(({ changedAt }) => changedAt)]),
        campaign.isArchived ? DAY_MINUTES : 0,
      )
    default:
      return launched
  }
}

export const campaignRepRows = ({ accountId, id }: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.flatMap(campaign =>
    campaign.reps.map((rep, index) => ({
      account_id: accountId,
      campaign_id: id('campaign', campaign.key),
      rep_id: id('rep', rep),
      position: index + 1,
    })),
  )

export const stepRows = (teller: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.flatMap(campaign =>
    stepsOf(teller, campaign).map(({ id, channel, delayMinutes, ...step }, index) => ({
      account_id: teller.accountId,
      id,
      campaign_id: teller.id('campaign', campaign.key),
      position: index + 1,
      channel,
      thread: index > 0 && channel === 'email' ? 'same' : 'new',
      ...delayColumns(delayMinutes),
      accept_within_days: channel === 'linkedin_message' ? 30 : null,
      ...callColumns('assistant' in step ? teller.id('assistant', step.assistant) : undefined),
      ...madeAt(teller.at(campaign.createdDaysAgo, '09:45')),
    })),
  )

const delayColumns = (minutes: number) =>
  minutes % DAY_MINUTES === 0 && minutes > 0
    ? { delay_amount: minutes / DAY_MINUTES, delay_unit: 'days' }
    : { delay_amount: minutes, delay_unit: 'minutes' }

const callColumns = (assistantId: string | undefined) => ({
  assistant_id: assistantId ?? null,
  on_answered: assistantId ? 'stop' : null,
  retries: assistantId ? CALL_TRIES - 1 : null,
  retry_after_amount: assistantId ? 1 : null,
  retry_after_unit: assistantId ? 'days' : null,
})

export const variantRows = (teller: Teller, campaigns: readonly CampaignStory[]): Rows =>
  campaigns.flatMap(campaign =>
    stepsOf(teller, campaign).flatMap(step =>
      step.variants.map(({ id, subject, body }, index) => ({
        account_id: teller.accountId,
        id,
        step_id: step.id,
        position: index + 1,
        subject: subject ?? null,
        body,
        weight: 1,
        ...madeAt(teller.at(campaign.createdDaysAgo, '09:45')),
      })),
    ),
  )

export const prospectRows = (teller: Teller, prospects: readonly Prospect[], fates: Fates): Rows =>
  prospects.map(prospect => {
    const { campaign, rep, personId, id } = prospect
    const { status, reason, stepsDone, nextStepAt, awayUntil, emails, changedAt } = fates.get(id)!
    const created = addedAt(teller, prospect)
    return {
      account_id: teller.accountId,
      id,
      campaign_id: teller.id('campaign', campaign.key),
      person_id: personId,
      rep_id: teller.id('rep', rep.key),
      status,
      status_reason: reason,
      steps_done: stepsDone,
      next_step_at: nextStepAt,
      away_until: awayUntil,
      mailbox_id: emails.length > 0 ? teller.id('mailbox', rep.key) : null,
      created_at: created,
      updated_at: changedAt ?? created,
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
  optOuts.map(({ kind, value, name, source, daysAgo, time = '18:30', campaign }) => ({
    account_id: accountId,
    id: id('opt-out', kind, value),
    kind,
    value,
    name,
    source,
    email_message_id: campaign ? id('email', campaign, value.split('@')[0]!, 'campaign') : null,
    ...madeAt(at(daysAgo, time)),
  }))
