import type { Context } from '../../kernel/context.ts'
import type { ComposedEmail } from '../../protocols/mime/compose.ts'
import { type SmtpSettings, shortTimeouts } from '../../protocols/smtp/connection.ts'
import { openSmtpPool } from '../../protocols/smtp/pool.ts'
import type { SendResult } from '../../protocols/smtp/result.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'

type MailboxFacts = {
  isSendingPaused: boolean
  isPaused: boolean
  isActive: boolean
  isWaiting: boolean
}

/** Returns why a test email can't be sent from this mailbox to this address now; undefined if it can. */
export async function findTestProblem(
  tx: Context,
  mailboxId: string,
  email: string,
): Promise<string | undefined> {
  const { sql, accountId, app } = tx
  const [facts] = await sql<MailboxFacts[]>`
    select a.sending_paused_at is not null as "isSendingPaused", b.paused_at is not null as "isPaused",
           b.status = 'active' and b.removed_at is null as "isActive", coalesce(b.retry_at > ${app.now()}, false) as "isWaiting"
      from mailboxes b
      join accounts a on a.id = b.account_id
     where b.account_id = ${accountId} and b.id = ${mailboxId}`
  if (facts?.isSendingPaused) return 'The account has paused all sending. Resume it first.'
  if (!facts?.isActive || facts.isPaused)
    return 'The mailbox does not work or was paused automatically. Verify or resume it first.'
  if (facts.isWaiting) return 'The mail server of the mailbox is unavailable at the moment. Try again later.'
  const optOut = await findOptOut(tx, { personId: undefined, emails: [email] })
  return optOut && `${optOut.value} is on the Do Not Contact list, which also applies to tests.`
}

/** Delivers a test email while the caller waits, unless there is a problem at the last moment. */
export async function deliverTest(
  transport: SmtpSettings,
  message: ComposedEmail,
  findLastProblem: () => Promise<string | undefined>,
): Promise<{ result: SendResult; problem: string | undefined }> {
  await using pool = openSmtpPool({ ...transport, timeouts: shortTimeouts })
  let problem: string | undefined
  const gate = async () => {
    problem = await findLastProblem()
    return problem === undefined
  }
  const result = await pool.send({ ...message, gate })
  return { result, problem }
}
