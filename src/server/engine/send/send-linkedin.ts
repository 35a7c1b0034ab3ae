import { accountColumns, type ConnectedAccount, setAccountStatus } from '../../domain/linkedin/accounts.ts'
import {
  findRecipientOptOut,
  findStoredRecipient,
  lookUpRecipient,
  type Recipient,
} from '../../domain/linkedin/recipient.ts'
import {
  type ClaimedLinkedinSend,
  DISCONNECTED,
  endLinkedinSend,
  findPacingDelay,
  lockLinkedinSend,
  markRequested,
  postponeLinkedinSend,
} from '../../domain/linkedin/sends.ts'
import { findStepHold } from '../../domain/linkedin/step-hold.ts'
import { type LinkedinResult, sendInvitation, sendMessage } from '../../domain/linkedin/unipile.ts'
import { lockPair, recordLinkedinEntry } from '../../domain/messages/record-linkedin-message.ts'
import { revertStep, stopProspect } from '../../domain/prospects/advance-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { recordInvitation } from '../../domain/prospects/linkedin-connections.ts'
import { finishDraft, finishTask } from '../../domain/tasks/finish-task.ts'
import { endTask, reopenTask, setTaskReason } from '../../domain/tasks/write-tasks.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'

const HOUR_MS = 3_600_000
/** Attempts, over about 14 hours, before a send is given up while Unipile is unavailable or limits requests. */
const MAX_ATTEMPTS = 20
const BACKOFF = { baseMs: 60_000, maxMs: HOUR_MS }
/** The reason for a send that waits for its account, campaign or prospect to be resumed. */
const PAUSED = 'it is paused'
/** The reason for a send whose recipient was found by a profile URL that has changed since. */
const PROFILE_CHANGED = 'the profile URL changed'

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
  /** The draft to send. */
  linkedinMessageId: string | null
  prospectStatus: string
  campaignStatus: string
  isSendingPaused: boolean
  isErased: boolean
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  chatId: string | null
}

type LinkedinSend = {
  app: App
  claim: ClaimedLinkedinSend
  account: ConnectedAccount | undefined
  task: Task
}
/** A send through a connected account; the recipient is undefined before it is looked up at the provider. */
type ConnectedSend = LinkedinSend & { account: ConnectedAccount; recipient: Recipient | undefined }

/**
 * Sends a LinkedIn invitation or message for a rep through the provider. Makes the request at most once: it is recorded
 * first, and when the response is lost the rep checks on LinkedIn.
 */
export async function sendLinkedin(app: App, claim: ClaimedLinkedinSend): Promise<void> {
  const found = await inAccount(app.db.work, claim.accountId, tx => readTask(tx, claim.taskId))
  if (!found) return
  const send: LinkedinSend = { app, claim, ...found }
  const { task, account } = send
  if (claim.isLost) return record(send, { outcome: 'unknown', reason: 'Overture stopped in the meantime' })
  if (!account) return record(send, { outcome: 'refused', reason: DISCONNECTED })
  const stored = await inAccount(app.db.work, claim.accountId, tx => findStoredRecipient(tx, task))
  // LinkedIn limits how many profiles are looked up, so a send that has to wait looks up none.
  if (!stored && !(await passGate({ ...send, account, recipient: undefined }))) return
  const recipient = stored ?? (await lookUpRecipient(app, account, task.linkedinUrl))
  if ('outcome' in recipient) return record(send, recipient)
  const connected: ConnectedSend = { ...send, account, recipient }
  if (!(await passGate(connected))) return
  await failpoint('linkedin.marked', claim.accountId)
  if (!(await passSecondCheck(connected))) return
  const { memberId } = recipient
  const result =
    task.channel === 'linkedin_connect'
      ? await sendInvitation(app, account, { memberId, note: task.text })
      : await sendMessage(app, account, { memberId, chatId: task.chatId, text: task.text! })
  await record(connected, result)
  app.log.info({ accountId: claim.accountId, taskId: claim.taskId, outcome: result.outcome })
}

async function readTask(tx: Sql, taskId: string) {
  const [task] = await tx<Task[]>`
    select t.id, t.channel, t.text, t.status, t.rep_id as "repId", t.person_id as "personId",
           t.prospect_id as "prospectId", t.campaign_id as "campaignId", t.step_id as "stepId",
           (select removed_at is not null from campaign_steps
             where account_id = t.account_id and id = t.step_id) as "isStepRemoved",
           t.linkedin_message_id as "linkedinMessageId", r.status as "prospectStatus", c.status as "campaignStatus",
           a.sending_paused_at is not null as "isSendingPaused", p.erased_at is not null as "isErased", p.email, p.linkedin_url as "linkedinUrl", p.phone,
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
      join accounts a on a.id = t.account_id
     where t.account_id = current_account_id() and t.id = ${taskId}`
  const [account] = await tx<ConnectedAccount[]>`
    select ${accountColumns(tx)}
      from linkedin_sends e
      join linkedin_accounts l on l.account_id = e.account_id and l.id = e.linkedin_account_id
     where e.account_id = current_account_id() and e.task_id = ${taskId}`
  return task && { task, account }
}

/**
 * Checks that nothing forbids the send and, once the recipient is known, marks the send as requested, in one
 * transaction. Returns false if the send was refused or postponed.
 */
const passGate = ({ app, claim, account, recipient, task }: ConnectedSend): Promise<boolean> =>
  retryOnDeadlock(() =>
    inAccount(app.db.work, claim.accountId, async tx => {
      const now = app.now()
      await lockPair(tx, task)
      await tx`select from prospects where account_id = current_account_id() and id = ${task.prospectId} for update`
      if (!(await lockLinkedinSend(tx, claim))) return false
      const { task: fresh } = (await readTask(tx, claim.taskId))!
      const refuse = async (reason: string) => {
        await endLinkedinSend(tx, task.id, 'refused', reason)
        return false
      }
      if (fresh.status !== 'open') return refuse(`the task is ${fresh.status}`)
      if (await stopOptedOut({ app, claim, recipient }, tx, fresh, now)) return false
      if (fresh.isStepRemoved) {
        await endTask(tx, task.id, { status: 'cancelled', reason: 'steps_changed', endedAt: now })
        await revertStep(tx, task.prospectId, now)
        return refuse('steps_changed')
      }
      const wait =
        findDelay(task, fresh, now) ??
        (await findHoldDelay(app, tx, task.id, now)) ??
        (task.stepId === null ? undefined : await findPacing(tx, account, fresh, now))
      if (wait) {
        await postponeLinkedinSend(tx, task.id, { ...wait, isAttempt: false })
        return false
      }
      if (recipient) await markRequested(tx, task.id, now)
      return true
    }),
  )

/** Returns the delay of a send whose profile URL has changed since the task was read, or that is paused. */
function findDelay(task: Task, fresh: Task, now: Date) {
  if (fresh.linkedinUrl !== task.linkedinUrl) return { dueAt: now, reason: PROFILE_CHANGED }
  const { isSendingPaused, stepId, campaignStatus, prospectStatus } = fresh
  return isSendingPaused || (stepId !== null && (campaignStatus !== 'active' || prospectStatus === 'paused'))
    ? { dueAt: new Date(now.getTime() + HOUR_MS), reason: PAUSED }
    : undefined
}

/**
 * Returns the delay of a send whose step has to wait, for example for the schedule. Checked again here, because the
 * step may have been planned days ago.
 */
async function findHoldDelay(app: App, tx: Sql, taskId: string, now: Date) {
  const hold = await findStepHold(app, tx, taskId, now)
  return hold && { dueAt: hold.until ?? new Date(now.getTime() + HOUR_MS), reason: hold.reason }
}

const findPacing = (tx: Sql, account: ConnectedAccount, { channel }: Task, now: Date) =>
  findPacingDelay(tx, { linkedinAccountId: account.id, isInvitation: channel === 'linkedin_connect' }, now)

/** Checks opt-outs, replies and pauses again after the commit. Those recorded later find the send in flight. */
const passSecondCheck = ({ app, claim, recipient, task }: ConnectedSend): Promise<boolean> =>
  inAccount(app.db.work, claim.accountId, async tx => {
    await tx`select from prospects where account_id = current_account_id() and id = ${task.prospectId} for update`
    if (!(await lockLinkedinSend(tx, claim))) return false
    const { task: fresh } = (await readTask(tx, claim.taskId))!
    const now = app.now()
    if (await stopOptedOut({ app, claim, recipient }, tx, fresh, now)) return false
    // An erased person can't be found on the Do Not Contact list. A reply has cancelled the task.
    if (fresh.isErased || fresh.status !== 'open') {
      await endLinkedinSend(
        tx,
        task.id,
        'refused',
        fresh.isErased ? 'do_not_contact' : `the task is ${fresh.status}`,
      )
      return false
    }
    const wait = findDelay(task, fresh, now)
    if (wait) await postponeLinkedinSend(tx, task.id, { ...wait, isAttempt: false })
    return !wait
  })

/**
 * Cancels the task, and pauses the prospect if it belongs to a step, when the person is on the Do Not Contact list. The
 * step is planned again once the prospect is resumed. Returns whether the person is on the list.
 */
async function stopOptedOut(
  { app, claim: { accountId }, recipient }: Pick<ConnectedSend, 'app' | 'claim' | 'recipient'>,
  tx: Sql,
  task: Task,
  endedAt: Date,
): Promise<boolean> {
  const optOut = await findRecipientOptOut({ app, sql: tx, accountId }, task, recipient)
  if (!optOut) return false
  await endTask(tx, task.id, { status: 'cancelled', reason: 'do_not_contact', endedAt })
  if (task.stepId) {
    await stopProspect(tx, task.prospectId, 'paused', 'do_not_contact', endedAt)
    await completeCampaign(tx, task.campaignId)
  }
  await endLinkedinSend(tx, task.id, 'refused', 'do_not_contact')
  return true
}

const record = (send: LinkedinSend, result: LinkedinResult): Promise<void> =>
  retryOnDeadlock(() =>
    inAccount(send.app.db.work, send.claim.accountId, async tx => {
      const { claim, task } = send
      await lockPair(tx, task)
      await tx`select from prospects where account_id = current_account_id() and id = ${task.prospectId} for update`
      if (!(await lockLinkedinSend(tx, claim))) return
      const { task: fresh } = (await readTask(tx, claim.taskId))!
      if (!fresh.isErased) {
        const mayBeSent = result.outcome === 'done' || result.outcome === 'unknown'
        // The prospect left the sequence during the request. A cancelled step would be planned again after a resume.
        if (mayBeSent && fresh.stepId && fresh.status === 'cancelled') await reopenTask(tx, task.id)
        return recordResult(tx, send, result)
      }
      // Recorded as sent, without anything else about an erased person.
      const redacted = result.outcome === 'done' ? { outcome: result.outcome, id: '' } : result
      await recordResult(tx, { ...send, task: { ...task, text: '' } }, redacted)
    }),
  )

async function recordResult(
  tx: Sql,
  { app, claim, account, task }: LinkedinSend,
  result: LinkedinResult,
): Promise<void> {
  const now = app.now()
  if (result.outcome === 'done') {
    await endLinkedinSend(tx, task.id, 'sent', result.id)
    if (account) await setAccountStatus(tx, account.id, { status: 'working' })
    const { linkedinMessageId } = task
    if (linkedinMessageId) return finishDraft(tx, { ...task, linkedinMessageId }, toEntry(task, result, now))
    if (task.channel === 'linkedin_connect') await recordInvitation(tx, task, now)
    else await recordLinkedinEntry(tx, { ...toEntry(task, result, now), type: 'campaign' })
    await finishTask(tx, task, { status: 'completed', endedAt: now })
    return
  }
  const { outcome, reason } = result
  if (outcome === 'unknown') {
    await endLinkedinSend(tx, task.id, 'unconfirmed', reason)
    return setTaskReason(
      tx,
      [task.id],
      `It may have been sent: ${reason}. Check on LinkedIn, then complete or skip the task.`,
    )
  }
  if (outcome === 'refused' || (outcome === 'later' && claim.attempts >= MAX_ATTEMPTS)) {
    await endLinkedinSend(tx, task.id, 'refused', reason)
    return setTaskReason(tx, [task.id], `It was not sent: ${reason}. Do it by hand or skip it.`)
  }
  if (account && outcome === 'account_failed')
    await setAccountStatus(tx, account.id, { status: 'failing', reason })
  const isAttempt = outcome === 'later'
  const earliest = new Date(now.getTime() + (isAttempt ? result.retryAfterMs : HOUR_MS))
  const backedOff = nextAttemptAt(now, claim.attempts - 1, BACKOFF)
  const dueAt = isAttempt && backedOff > earliest ? backedOff : earliest
  await postponeLinkedinSend(tx, task.id, { dueAt, reason, isAttempt })
}

const toEntry = (task: Task, { id, chatId }: { id: string; chatId?: string }, now: Date) => ({
  ...{ repId: task.repId, personId: task.personId, text: task.text!, happenedAt: now },
  ...(id && { messageId: id }),
  ...(chatId && { chatId }),
})
