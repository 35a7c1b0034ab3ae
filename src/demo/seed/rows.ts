import type { SeedAccount } from '../data/accounts.ts'
import type { SeedCampaign } from '../data/campaigns.ts'
import type { SeedOptOut } from '../data/opt-outs.ts'
import { CALL_ATTEMPTS, getAddedAt, type ProspectStates } from './prospect-states.ts'
import { findCompanies, type SeedProspect } from './prospects.ts'
import { addMinutes, getUserId, type Rows, type SeedContext } from './seed-context.ts'
import { buildSteps } from './steps.ts'

const MINUTES_PER_DAY = 24 * 60
/** People and companies are older than any campaign; reps and mailboxes are one day older still. */
const IMPORTED_DAYS_AGO = 88

const timestamps = (at: Date) => ({ created_at: at, updated_at: at })

export function companyRows({ accountId, id, at }: SeedContext, campaigns: readonly SeedCampaign[]): Rows {
  return findCompanies(campaigns).map((company, index) => ({
    account_id: accountId,
    id: id('company', company.domain),
    name: company.name,
    domain: company.domain,
    website: `https://www.${company.domain}/`,
    industries: [company.industry],
    city: company.city,
    state: company.state ?? null,
    country: company.country,
    ...timestamps(addMinutes(at(IMPORTED_DAYS_AGO), index)),
  }))
}

export function personRows({ accountId, id, at }: SeedContext, campaigns: readonly SeedCampaign[]): Rows {
  return findCompanies(campaigns)
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
      ...timestamps(addMinutes(at(IMPORTED_DAYS_AGO), index)),
    }))
}

/** Returns a consent to calls for everyone with a phone number, given when they were imported. */
export const consentRows = ({ accountId, id, at }: SeedContext, campaigns: readonly SeedCampaign[]): Rows =>
  findCompanies(campaigns)
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
      proof:
        'Ticked on the form: “Acme Cold Chain may call me about its loggers, including with an AI voice.”',
      source: 'Form on the website',
      given_at: at(IMPORTED_DAYS_AGO),
      ...timestamps(addMinutes(at(IMPORTED_DAYS_AGO), index)),
    }))

export const repRows = ({ accountId, id, at }: SeedContext, { reps }: SeedAccount): Rows =>
  reps.map((rep, index) => ({
    account_id: accountId,
    id: id('rep', rep.key),
    name: rep.name,
    owned_by_id: getUserId(rep.ownedBy),
    ...timestamps(addMinutes(at(IMPORTED_DAYS_AGO + 1), index)),
  }))

export const mailboxRows = ({ accountId, id, at }: SeedContext, { reps }: SeedAccount): Rows =>
  reps.map((rep, index) => ({
    account_id: accountId,
    id: id('mailbox', rep.key),
    rep_id: id('rep', rep.key),
    email: rep.email,
    sender_name: rep.name,
    ...(rep.mailboxError ? toFailingMailbox(rep.mailboxError, at(0)) : workingMailbox),
    ...timestamps(addMinutes(at(IMPORTED_DAYS_AGO + 1), index)),
  }))

const workingMailbox = {
  ...{ kind: 'sandbox', smtp_host: null, smtp_port: null, smtp_tls: null },
  ...{ status: 'active', status_reason: null, failure_count: 0, retry_at: null },
}

/** Returns a mailbox that cannot sign in. Every start postpones the next attempt, because the server does not exist. */
const toFailingMailbox = (reason: string, retryAt: Date) => ({
  ...{ kind: 'smtp', smtp_host: 'mail.acme.example', smtp_port: 587, smtp_tls: 'starttls' },
  ...{ status: 'failing', status_reason: reason, failure_count: 3 },
  retry_at: retryAt,
})

/** Returns the campaigns; the one that the demo launches starts as a draft. */
export const campaignRows = (
  seed: SeedContext,
  campaigns: readonly SeedCampaign[],
  prospects: readonly SeedProspect[],
  states: ProspectStates,
): Rows =>
  campaigns.map(campaign => ({
    account_id: seed.accountId,
    id: seed.id('campaign', campaign.key),
    name: campaign.name,
    description: campaign.description,
    status: campaign.launchedDaysAgo === undefined ? 'draft' : campaign.status,
    is_archived: campaign.isArchived ?? false,
    is_evergreen: campaign.isEvergreen ?? false,
    launched_at: getLaunchedAt(seed, campaign) ?? null,
    created_at: seed.at(campaign.createdDaysAgo, '09:45'),
    updated_at: getCampaignUpdatedAt(seed, campaign, prospects, states),
  }))

const getLaunchedAt = ({ at }: SeedContext, { launchedDaysAgo }: SeedCampaign): Date | undefined =>
  launchedDaysAgo === undefined ? undefined : at(launchedDaysAgo, '07:20')

/** Returns the time at which the campaign was launched, paused after its last email, or completed by its last event. */
function getCampaignUpdatedAt(
  seed: SeedContext,
  campaign: SeedCampaign,
  prospects: readonly SeedProspect[],
  states: ProspectStates,
): Date {
  const ownStates = prospects
    .filter(prospect => prospect.campaign === campaign)
    .map(({ id }) => states.get(id)!)
  const latest = (times: (Date | undefined)[]) =>
    new Date(Math.max(...times.flatMap(time => (time ? [time.getTime()] : []))))
  const launchedAt = getLaunchedAt(seed, campaign)
  if (!launchedAt) return seed.at(campaign.createdDaysAgo, '09:45')
  switch (campaign.status) {
    case 'paused':
      return addMinutes(
        latest([launchedAt, ...ownStates.flatMap(({ emails }) => emails.map(({ at }) => at))]),
        5,
      )
    case 'completed':
      // Archived campaigns were archived a day after they ended.
      return addMinutes(
        latest([launchedAt, ...ownStates.map(({ changedAt }) => changedAt)]),
        campaign.isArchived ? MINUTES_PER_DAY : 0,
      )
    default:
      return launchedAt
  }
}

export const campaignRepRows = ({ accountId, id }: SeedContext, campaigns: readonly SeedCampaign[]): Rows =>
  campaigns.flatMap(campaign =>
    campaign.reps.map((rep, index) => ({
      account_id: accountId,
      campaign_id: id('campaign', campaign.key),
      rep_id: id('rep', rep),
      position: index + 1,
    })),
  )

export const stepRows = (seed: SeedContext, campaigns: readonly SeedCampaign[]): Rows =>
  campaigns.flatMap(campaign =>
    buildSteps(seed, campaign).map(({ id, channel, delayMinutes, ...step }, index) => ({
      account_id: seed.accountId,
      id,
      campaign_id: seed.id('campaign', campaign.key),
      position: index + 1,
      channel,
      thread: index > 0 && channel === 'email' ? 'same' : 'new',
      ...toDelayColumns(delayMinutes),
      accept_within_days: channel === 'linkedin_message' ? 30 : null,
      ...toCallColumns('assistant' in step ? seed.id('assistant', step.assistant) : undefined),
      ...timestamps(seed.at(campaign.createdDaysAgo, '09:45')),
    })),
  )

const toDelayColumns = (minutes: number) =>
  minutes % MINUTES_PER_DAY === 0 && minutes > 0
    ? { delay_amount: minutes / MINUTES_PER_DAY, delay_unit: 'days' }
    : { delay_amount: minutes, delay_unit: 'minutes' }

const toCallColumns = (assistantId: string | undefined) => ({
  assistant_id: assistantId ?? null,
  on_answered: assistantId ? 'stop' : null,
  retries: assistantId ? CALL_ATTEMPTS - 1 : null,
  retry_after_amount: assistantId ? 1 : null,
  retry_after_unit: assistantId ? 'days' : null,
})

export const variantRows = (seed: SeedContext, campaigns: readonly SeedCampaign[]): Rows =>
  campaigns.flatMap(campaign =>
    buildSteps(seed, campaign).flatMap(step =>
      step.variants.map(({ id, subject, body }, index) => ({
        account_id: seed.accountId,
        id,
        step_id: step.id,
        position: index + 1,
        subject: subject ?? null,
        body,
        weight: 1,
        ...timestamps(seed.at(campaign.createdDaysAgo, '09:45')),
      })),
    ),
  )

export const prospectRows = (
  seed: SeedContext,
  prospects: readonly SeedProspect[],
  states: ProspectStates,
): Rows =>
  prospects.map(prospect => {
    const { campaign, rep, personId, id } = prospect
    const { status, reason, stepsDone, nextStepAt, awayUntil, emails, changedAt } = states.get(id)!
    const createdAt = getAddedAt(seed, prospect)
    return {
      account_id: seed.accountId,
      id,
      campaign_id: seed.id('campaign', campaign.key),
      person_id: personId,
      rep_id: seed.id('rep', rep.key),
      status,
      status_reason: reason,
      opted_out_at: status === 'opted_out' ? changedAt : null,
      steps_done: stepsDone,
      next_step_at: nextStepAt,
      away_until: awayUntil,
      mailbox_id: emails.length > 0 ? seed.id('mailbox', rep.key) : null,
      created_at: createdAt,
      updated_at: changedAt ?? createdAt,
    }
  })

export const tagRows = ({ accountId, id, at }: SeedContext, names: Iterable<string>): Rows =>
  [...new Set(names)].map((name, index) => ({
    account_id: accountId,
    id: id('tag', name),
    name,
    ...timestamps(addMinutes(at(IMPORTED_DAYS_AGO), index)),
  }))

export const optOutRows = ({ accountId, id, at }: SeedContext, optOuts: readonly SeedOptOut[]): Rows =>
  optOuts.map(({ kind, value, name, source, daysAgo, time = '18:30', campaign }) => ({
    account_id: accountId,
    id: id('opt-out', kind, value),
    kind,
    value,
    name,
    source,
    email_message_id: campaign ? id('email', campaign, value.split('@')[0]!, 'campaign') : null,
    ...timestamps(at(daysAgo, time)),
  }))
