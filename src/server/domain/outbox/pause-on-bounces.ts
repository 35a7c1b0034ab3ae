import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { pauseMailbox } from '../mailboxes/pause-mailbox.ts'
import { stepBackRamp } from '../mailboxes/quota.ts'
import { BOUNCE_WINDOW, selectLastReports } from '../mailboxes/usage.ts'

type Kind = 'bounce' | 'complaint'

/** The rate is measured over the last `emails` emails and needs at least `minReports` reports. */
const windows: Record<Kind, { emails: number; minReports: number; text: string }> = {
  bounce: { emails: BOUNCE_WINDOW, minReports: 5, text: 'went to addresses that do not exist' },
  complaint: { emails: 1_000, minReports: 2, text: 'were reported as spam' },
}

/** A mailbox in warm-up slows down long before it pauses. */
const STEP_BACK = { minReports: 2, percent: 2 }

/**
 * Records, once per email, that it bounced because an address does not exist, or was reported as spam. Pauses its
 * mailbox when the account's limit is exceeded.
 */
export async function recordReport(tx: Sql, messageId: string, kind: Kind): Promise<void> {
  const column = kind === 'bounce' ? tx`hard_bounced_at` : tx`complained_at`
  const [reported] = await tx<{ mailboxId: string }[]>`
    update email_sends
       set ${column} = now(), updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and ${column} is null
    returning mailbox_id as "mailboxId"`
  if (!reported) return
  const { mailboxId } = reported
  // Concurrent reports wait here, so that the last one counts them all.
  await tx`select from mailboxes where account_id = ${currentAccount(tx)} and id = ${mailboxId} for no key update`
  const { emails, minReports, text } = windows[kind]
  const limit = kind === 'bounce' ? tx`a.max_bounce_percent` : tx`a.max_complaint_percent`
  const [rate] = await tx<{ emails: number; reports: number; limit: string; isExceeded: boolean }[]>`
    select last.emails, last.reports, ${limit}::text as limit, 100 * last.reports > ${limit} * last.emails as "isExceeded"
      from mailboxes b
      join accounts a on a.id = b.account_id
     cross join lateral (
       select count(*)::int as emails, count(${column})::int as reports
         from (${selectLastReports(tx, emails)}) sends) last
     where b.account_id = ${currentAccount(tx)} and b.id = ${mailboxId}`
  const { reports, isExceeded } = rate!
  if (
    kind === 'bounce' &&
    reports >= STEP_BACK.minReports &&
    100 * reports > STEP_BACK.percent * rate!.emails
  )
    await stepBackRamp(tx, mailboxId)
  if (reports >= minReports && isExceeded)
    await pauseMailbox(
      tx,
      mailboxId,
      `${reports} of its last ${rate!.emails} emails ${text}, more than ${rate!.limit}%`,
    )
}
