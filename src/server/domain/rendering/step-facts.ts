import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'
import { type NewProspectLimit, newProspectLimitColumns } from '../campaigns/new-prospect-limit.ts'
import { nextStep } from '../campaigns/next-step.ts'
import type { StepCall, StepChannel } from '../campaigns/parse-steps.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import { stepCallJson } from '../campaigns/stored-steps.ts'
import { type Clock, clockColumns, delayStartsAt } from '../prospects/due-time.ts'
import { inboxSyncedAt } from '../prospects/inbox-freshness.ts'
import { selectInvitation } from '../prospects/linkedin-connections.ts'
import { selectSender, selectSenders, selectTaskRep } from '../prospects/sender.ts'
import { personVariableColumns, toVariables, type Variables, type VariablesRow } from './person-variables.ts'

export type DueStep = {
  id: string
  channel: StepChannel
  delay: Delay
  acceptWithinDays: number | null
  call: StepCall | null
  thread: 'same' | 'new'
  variants: { id: string; subject: string | null; body: string; weight: number }[]
}

/** Facts needed to plan one step, read in one statement. */
export type StepFacts = {
  prospectId: string
  campaignId: string
  campaignStatus: string
  isSendingPaused: boolean
  prospectStatus: string
  personId: string
  step: DueStep | undefined
  /** True when nothing has been sent yet and more steps follow this one. */
  isFirstOfMany: boolean
  /** The time when the delay of the step started. */
  delayStartsAt: Date
  /** When the least recently synced inbox that may contain a reply was last synced; null if there is none. */
  inboxSyncedAt: Date | null
  clock: Clock
  mailboxWaitsUntil: Date | null
  /** The campaign's limit; set for prospects that have not been contacted yet. */
  newProspectLimit: NewProspectLimit | undefined
  rep:
    | {
        id: string
        name: string
        mailboxId: string
        /** True if the mailbox has a daily cap or a gap. */
        isPaced: boolean
        email: string
        senderName: string
      }
    | undefined
  /** True if the step will be sent from a mailbox other than that of the prospect's dispatch key. */
  hasOtherMailbox: boolean
  /** The rep for steps that need no mailbox; the same as `rep` if that is set. */
  taskRep: { id: string; mailboxId: string | null } | undefined
  /** The rep's LinkedIn invitation to the person. */
  invitation: { acceptedAt: Date | null } | undefined
  contact: { email: string | null; linkedinUrl: string | null; phone: string | null }
  variables: Variables
  accountNumber: number
  optOutLine: string | null
  postalAddress: string | null
  /** True if the campaign sends nothing to disposable and role addresses. */
  holdsRiskyAddresses: boolean
}

type Row = Clock &
  NewProspectLimit &
  Omit<VariablesRow, 'repName' | 'senderName' | 'mailboxEmail'> &
  Omit<
    StepFacts,
    'step' | 'clock' | 'newProspectLimit' | 'rep' | 'taskRep' | 'invitation' | 'contact' | 'variables'
  > & {
    stepId: string | null
    taskRepId: string | null
    isInvited: boolean
    acceptedAt: Date | null
    repId: string | null
    repName: string
    hasBegun: boolean
    mailboxId: string
    isPaced: boolean
    mailboxEmail: string
    senderName: string
  }

/**
 * Reads the facts of claimed prospects and locks their rows in the order of their IDs. Omits prospects whose claim is
 * void or was released. Each row is looked up by its key, because a single lookup of several rows may make PostgreSQL
 * read the whole campaign.
 */
export const readStepFacts = (
  tx: Sql,
  claims: readonly { id: string; epoch: bigint }[],
  now: Date,
): Promise<StepFacts[]> => {
  const inOrder = claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const campaignReps = tx`
    cr.account_id = ${currentAccount(tx)} and cr.campaign_id in (select campaign_id from locked)`
  return selectFacts(tx, now, {
    first: tx`
      with locked as materialized (
        select p.*
          from unnest(${inOrder.map(({ id }) => id)}::uuid[], ${inOrder.map(({ epoch }) => String(epoch))}::bigint[])
               claimed(id, epoch)
         cross join lateral (
                 select *
                   from prospects
                  where account_id = ${currentAccount(tx)} and id = claimed.id and lease_epoch = claimed.epoch
                    and lease_until is not null
                  limit 1
                    for update) p),
      -- Selected once for all prospects, because a campaign may have dozens of mailboxes.
      senders as materialized (${selectSenders(tx, campaignReps)})`,
    prospects: tx`locked`,
    senders: tx`select * from senders where campaign_id = c.id`,
    step: nextStep(tx),
    where: tx`order by r.id`,
  })
}

/**
 * Selects the facts of prospects `r`. `prospects` is the relation of the prospects, and `senders` selects the possible
 * senders of campaign `c`. Both may read common table expressions that `first` defines.
 */
export async function selectFacts(
  tx: Sql,
  now: Date,
  {
    first = tx``,
    prospects = tx`prospects`,
    senders,
    step = noStep(tx),
    where,
  }: { first?: Fragment; prospects?: Fragment; senders?: Fragment; step?: Fragment; where: Fragment },
): Promise<StepFacts[]> {
  // The limits force a lookup by key even before the tables have statistics.
  const rows = await tx<Row[]>`
    ${first}
    select r.id as "prospectId", c.id as "campaignId", c.status as "campaignStatus", r.status as "prospectStatus", p.id as "personId",
           ${delayStartsAt(tx)} as "delayStartsAt", ${clockColumns(tx)}, ${newProspectLimitColumns(tx)}, r.began_at is not null as "hasBegun",
           ${inboxSyncedAt(tx)} as "inboxSyncedAt",
           st.id as "stepId",
           r.steps_done = 0 and exists (select from campaign_steps later
                                         where later.account_id = st.account_id and later.campaign_id = st.campaign_id
                                           and later.removed_at is null and later.position > st.position) as "isFirstOfMany",
           sender.rep_id as "repId", coalesce(sender.rep_id, other.rep_id) as "taskRepId",
           invitation.invited_at is not null as "isInvited", invitation.accepted_at as "acceptedAt",
           coalesce(sender.name, other.name) as "repName", sender.mailbox_id as "mailboxId", sender.is_paced as "isPaced",
           sender.mailbox_waits_until as "mailboxWaitsUntil",
           (r.mailbox_id is not null or r.began_at is not null) and sender.mailbox_id is distinct from r.mailbox_id
             as "hasOtherMailbox",
           sender.email as "mailboxEmail", coalesce(sender.sender_name, other.name) as "senderName",
           coalesce(sender.signature, other.signature) as signature,
           ${personVariableColumns(tx)},
           a.number as "accountNumber", a.opt_out_line as "optOutLine", a.postal_address as "postalAddress",
           a.sending_paused_at is not null as "isSendingPaused", c.hold_risky_addresses as "holdsRiskyAddresses"
      from ${prospects} r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      left join lateral (select * from persons where account_id = r.account_id and id = r.person_id limit 1) p on true
      join accounts a on a.id = r.account_id
      left join lateral (select * from companies where account_id = p.account_id and id = p.company_id limit 1) o on true
      left join lateral (${step}) st on true
      left join lateral (${selectSender(tx, now, senders)}) sender on true
      left join lateral (${selectTaskRep(tx)}) other on true
      left join lateral (${selectInvitation(tx)}) invitation on true
     where r.account_id = ${currentAccount(tx)} ${where}`
  // Read separately, because many prospects share a step.
  const stepIds = new Set(rows.flatMap(({ stepId }) => stepId ?? []))
  const steps = stepIds.size > 0 ? await selectSteps(tx, tx`and st.id = any(${[...stepIds]}::uuid[])`) : []
  const stepsById = new Map(steps.map(step => [step.id, step]))
  return rows.map(row => toFacts(row, stepsById.get(row.stepId ?? '')))
}

const noStep = (tx: Sql): Fragment => tx`select * from campaign_steps where false`

/** Builds the JSON of step `st` with its variants that were not removed. */
const stepJson = (tx: Sql): Fragment => tx`
  json_build_object(
    'id', st.id,
    'channel', st.channel,
    'acceptWithinDays', st.accept_within_days,
    'call', ${stepCallJson(tx)},
    'delay', json_build_object('amount', st.delay_amount, 'unit', st.delay_unit),
    'thread', st.thread,
    'variants', (select coalesce(json_agg(json_build_object('id', v.id, 'subject', v.subject, 'body', v.body,
                                                            'weight', v.weight) order by v.position), '[]')
                   from campaign_step_variants v
                  where v.account_id = st.account_id and v.step_id = st.id and v.removed_at is null))`

/** Finds all steps of a campaign, in order. */
export const findSteps = (tx: Sql, campaignId: string): Promise<DueStep[]> =>
  selectSteps(tx, tx`and st.campaign_id = ${campaignId} and st.removed_at is null order by st.position`)

async function selectSteps(tx: Sql, where: Fragment): Promise<DueStep[]> {
  const rows = await tx<{ step: DueStep }[]>`
    select ${stepJson(tx)} as step from campaign_steps st where st.account_id = ${currentAccount(tx)} ${where}`
  return rows.map(({ step }) => step)
}

function toFacts(row: Row, step: DueStep | undefined): StepFacts {
  const { email, linkedinUrl, timezone, phone, country, schedule, accountTimezone, awayUntil } = row
  return {
    prospectId: row.prospectId,
    campaignId: row.campaignId,
    campaignStatus: row.campaignStatus,
    isSendingPaused: row.isSendingPaused,
    prospectStatus: row.prospectStatus,
    personId: row.personId,
    step,
    isFirstOfMany: row.isFirstOfMany,
    delayStartsAt: row.delayStartsAt,
    inboxSyncedAt: row.inboxSyncedAt,
    mailboxWaitsUntil: row.mailboxWaitsUntil,
    hasOtherMailbox: row.hasOtherMailbox,
    newProspectLimit: row.hasBegun || row.perDay === null ? undefined : row,
    clock: { timezone, phone, country, schedule, accountTimezone, awayUntil },
    rep: row.repId
      ? {
          id: row.repId,
          name: row.repName,
          mailboxId: row.mailboxId,
          isPaced: row.isPaced,
          email: row.mailboxEmail,
          senderName: row.senderName,
        }
      : undefined,
    taskRep: row.taskRepId ? { id: row.taskRepId, mailboxId: row.mailboxId ?? null } : undefined,
    invitation: row.isInvited ? { acceptedAt: row.acceptedAt } : undefined,
    contact: { email, linkedinUrl, phone },
    variables: toVariables(row),
    accountNumber: row.accountNumber,
    optOutLine: row.optOutLine,
    postalAddress: row.postalAddress,
    holdsRiskyAddresses: row.holdsRiskyAddresses,
  }
}
