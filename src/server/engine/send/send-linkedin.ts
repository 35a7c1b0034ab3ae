import { accountColumns, type ConnectedAccount, setAccountStatus } from '../../domain/linkedin/accounts.ts'
import { findMember, findMemberId } from '../../domain/linkedin/members.ts'
import {
  type ClaimedLinkedinSend,
  DISCONNECTED,
  endLinkedinSend,
  findWait,
  holdLinkedinSend,
  markAsked,
  postponeLinkedinSend,
} from '../../domain/linkedin/sends.ts'
import {
  type Deed,
  findProfile,
  type NotDone,
  sendInvitation,
  sendMessage,
} from '../../domain/linkedin/unipile.ts'
import { lockPair, recordLinkedinEntry } from '../../domain/messages/record-linkedin-message.ts'
import { findOptOut } from '../../domain/people/opt-outs/opted-out.ts'
import { stopProspect, takeStepBack } from '../../domain/prospects/advance-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { recordInvitation } from '../../domain/prospects/linkedin-connections.ts'
import { finishDraft, finishTask } from '../../domain/tasks/finish-task.ts'
import { endTask, noteTasks } from '../../domain/tasks/write-tasks.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'

const HOUR_MS = 3_600_000
/** How often Unipile may be away, or take no more, before it is given up: for hours. */
const MAX_ATTEMPTS = 20
const TRIED_AGAIN = { baseMs: 60_000, maxMs: HOUR_MS }

type Task = {
  id: string
  channel: 'linkedin_connect' | 'linkedin_message'
  text: string | null
  status: string
  repId: string
  personId: string
  prospectId: string
  campaignId: string
  stepId: string | null
  isStepRemoved: boolean | null
  /** The draft that is sent. */
  linkedinMessageId: string | null
  prospectStatus: string
  campaignStatus: string
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  chatId: string | null
}

type Claimed = { app: App; claim: ClaimedLinkedinSend; account: ConnectedAccount | undefined; task: Task }
type Doing = Claimed & { account: ConnectedAccount }

/**
 * An invitation or a message that the provider sends in place of the rep. Asked at most once: that it is asked is
 * committed before, and an answer that is lost is left to the rep, who can look.
 */
export async function sendLinkedin(app: App, claim: ClaimedLinkedinSend): Promise<void> {
  const found = await inAccount(app.db.work, claim.accountId, tx => readTask(tx, claim.taskId))
  if (!found) return
  const claimed: Claimed = { app, claim, ...found }
  const { task, account } = claimed
  if (claim.isLost) return record(claimed, { outcome: 'unknown', reason: 'the server stopped meanwhile' })
  if (!account) return record(claimed, { outcome: 'refused', reason: DISCONNECTED })
  const doing: Doing = { ...claimed, account }
  const memberId = await memberIdOf(doing)
  if (typeof memberId !== 'string') return record(doing, memberId)
  if (!(await passGate(doing))) return
  await failpoint('linkedin.marked', claim.accountId)
  if (!(await isStillWelcome(doing))) return
  const deed =
    task.channel === 'linkedin_connect'
      ? await sendInvitation(app, account, { memberId, note: task.text })
      : await sendMessage(app, account, { memberId, chatId: task.chatId, text: task.text! })
  await record(doing, deed)
  app.log.info({ accountId: claim.accountId, taskId: claim.taskId, outcome: deed.outcome })
}

async function readTask(tx: Sql, taskId: string) {
  const [task] = await tx<Task[]>`
    select t.id, t.channel, t.text, t.status, t.rep_id as "repId", t.person_id as "personId",
           t.prospect_id as "prospectId", t.campaign_id as "campaignId", t.step_id as "stepId",
           (select removed_at is not null from campaign_steps
             where account_id = t.account_id and id = t.step_id) as "isStepRemoved",
           t.linkedin_message_id as "linkedinMessageId", r.status as "prospectStatus", c.status as "campaignStatus", p.email, p.linkedin_url as "linkedinUrl", p.phone,
           (select chat_id from linkedin_conversations v
             where v.account_id = t.account_id and v.rep_id = t.rep_id and v.person_id = t.person_id
               and v.chat_id is not null
             order by v.id = (select conversation_record_id from linkedin_messages m
                               where m.account_id = t.account_id and m.id = t.linkedin_message_id) desc nulls last,
                      v.created_at desc
             limit 1) as "chatId"
      from tasks t
      join prospects r on r.account_id = t.account_id and r.id = t.prospect_id
      join campaigns c on c.account_id = t.account_id and c.id = t.campaign_id
      join persons p on p.account_id = t.account_id and p.id = t.person_id
     where t.account_id = current_account_id() and t.id = ${taskId}`
  const [account] = await tx<ConnectedAccount[]>`
    select ${accountColumns(tx)}
      from linkedin_sends e
      join linkedin_accounts l on l.account_id = e.account_id and l.id = e.linkedin_account_id
     where e.account_id = current_account_id() and e.task_id = ${taskId}`
  return task && { task, account }
}

/** What LinkedIn calls the person; asked of the provider once, and remembered. */
async function memberIdOf({ app, claim, account, task }: Doing): Promise<string | NotDone> {
  const known = await inAccount(app.db.work, claim.accountId, tx => findMemberId(tx, task.personId))
  const slug = /\/in\/([^/]+)$/.exec(task.linkedinUrl ?? '')?.[1]
  if (known) return known
  if (!slug) return { outcome: 'refused', reason: 'no profile of the person is known' }
  const profile = await findProfile(app, account, decodeURIComponent(slug))
  if (!('memberId' in profile)) return profile
  await inAccount(app.db.work, claim.accountId, tx =>
    findMember(tx, { memberId: profile.memberId, linkedinUrl: task.linkedinUrl! }),
  )
  return profile.memberId
}

/** What forbids it is read in the transaction that says that the provider is asked. */
const passGate = ({ app, claim, account, task }: Doing): Promise<boolean> =>
  retryOnDeadlock(() =>
    inAccount(app.db.work, claim.accountId, async tx => {
      const now = app.now()
      await lockPair(tx, task)
      await tx`select from prospects where account_id = current_account_id() and id = ${task.prospectId} for update`
      if (!(await holdLinkedinSend(tx, claim))) return false
      const { task: fresh } = (await readTask(tx, claim.taskId))!
      const refuse = async (reason: string) => {
        await endLinkedinSend(tx, task.id, 'refused', reason)
        return false
      }
      if (fresh.status !== 'open') return refuse(`the task is ${fresh.status}`)
      if (await stopOptedOut(tx, claim, fresh, now)) return false
      if (fresh.isStepRemoved) {
        await endTask(tx, task.id, { status: 'cancelled', reason: 'steps_changed', endedAt: now })
        await takeStepBack(tx, task.prospectId, now)
        return refuse('steps_changed')
      }
      const wait = task.stepId === null ? undefined : await findWaitOf(tx, account, fresh, now)
      if (wait) {
        await postponeLinkedinSend(tx, task.id, { ...wait, isAttempt: false })
        return false
      }
      await markAsked(tx, task.id, now)
      return true
    }),
  )

const findWaitOf = async (tx: Sql, account: ConnectedAccount, task: Task, now: Date) =>
  task.campaignStatus !== 'active' || task.prospectStatus === 'paused'
    ? { dueAt: new Date(now.getTime() + HOUR_MS), reason: 'it is paused' }
    : findWait(tx, { linkedinAccountId: account.id, isInvitation: task.channel === 'linkedin_connect' }, now)

/** Looked at again after the commit: whoever opts out from now on can see that the provider is asked. */
const isStillWelcome = ({ app, claim, task }: Doing): Promise<boolean> =>
  inAccount(app.db.work, claim.accountId, async tx => {
    await tx`select from prospects where account_id = current_account_id() and id = ${task.prospectId} for update`
    if (!(await holdLinkedinSend(tx, claim))) return false
    const { task: fresh } = (await readTask(tx, claim.taskId))!
    return !(await stopOptedOut(tx, claim, fresh, app.now()))
  })

/** Nothing is sent to somebody on the Do Not Contact list, and nothing follows. */
async function stopOptedOut(
  tx: Sql,
  { accountId }: ClaimedLinkedinSend,
  task: Task,
  endedAt: Date,
): Promise<boolean> {
  const optOut = await findOptOut({ sql: tx, accountId }, { ...task, emails: task.email ? [task.email] : [] })
  if (!optOut) return false
  if (task.stepId) {
    await stopProspect(tx, task.prospectId, 'paused', 'do_not_contact', endedAt)
    await completeCampaign(tx, task.campaignId)
  } else await endTask(tx, task.id, { status: 'cancelled', reason: 'do_not_contact', endedAt })
  await endLinkedinSend(tx, task.id, 'refused', 'do_not_contact')
  return true
}

const record = (doing: Claimed, deed: Deed): Promise<void> =>
  retryOnDeadlock(() =>
    inAccount(doing.app.db.work, doing.claim.accountId, async tx => {
      const { claim, task } = doing
      await lockPair(tx, task)
      await tx`select from prospects where account_id = current_account_id() and id = ${task.prospectId} for update`
      if (await holdLinkedinSend(tx, claim)) await recordDeed(tx, doing, deed)
    }),
  )

async function recordDeed(tx: Sql, { app, claim, account, task }: Claimed, deed: Deed): Promise<void> {
  const now = app.now()
  if (deed.outcome === 'done') {
    await endLinkedinSend(tx, task.id, 'sent', deed.id)
    if (account) await setAccountStatus(tx, account.id, { status: 'working' })
    const { linkedinMessageId } = task
    if (linkedinMessageId) return finishDraft(tx, { ...task, linkedinMessageId }, entryOf(task, deed, now))
    if (task.channel === 'linkedin_connect') await recordInvitation(tx, task, now)
    else await recordLinkedinEntry(tx, { ...entryOf(task, deed, now), type: 'campaign' })
    await finishTask(tx, task, { status: 'completed', endedAt: now })
    return
  }
  const { outcome, reason } = deed
  if (outcome === 'unknown') {
    await endLinkedinSend(tx, task.id, 'unconfirmed', reason)
    return noteTasks(
      tx,
      [task.id],
      `It may have been sent: ${reason}. Look on LinkedIn, then complete or skip it.`,
    )
  }
  if (outcome === 'refused' || (outcome === 'later' && claim.attempts >= MAX_ATTEMPTS)) {
    await endLinkedinSend(tx, task.id, 'refused', reason)
    return noteTasks(tx, [task.id], `It was not sent: ${reason}. Do it yourself, or skip it.`)
  }
  if (account && outcome === 'account_failed')
    await setAccountStatus(tx, account.id, { status: 'failing', reason })
  const isAttempt = outcome === 'later'
  const soonest = new Date(now.getTime() + (isAttempt ? deed.retryAfterMs : HOUR_MS))
  const grown = nextAttemptAt(now, claim.attempts - 1, TRIED_AGAIN)
  const dueAt = isAttempt && grown > soonest ? grown : soonest
  await postponeLinkedinSend(tx, task.id, { dueAt, reason, isAttempt })
}

const entryOf = (task: Task, { id, chatId }: { id: string; chatId?: string }, now: Date) => ({
  ...{ repId: task.repId, personId: task.personId, text: task.text!, happenedAt: now },
  ...(id && { messageId: id }),
  ...(chatId && { chatId }),
})
