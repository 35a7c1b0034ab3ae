import type { Role } from '../../../contract/permissions.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type App, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import type { SendResult } from '../../protocols/smtp/result.ts'
import { hasSystemMail, type SystemMail, sendGatedSystemMail } from '../auth/system-mail.ts'
import { asMember } from '../reports/record-problems.ts'
import { withAllNotifications } from './create-notifications.ts'
import { listRecipients } from './notification-settings.ts'
import { notificationTexts } from './notifications.ts'
import { readDigest } from './write-digest.ts'
import { type EmailSection, pluralize, writeEmail } from './write-email.ts'

export const EMAIL_LEASE_MS = 60_000
const MAX_EMAILS = 200
/** After this many consecutive failures, the mail server is considered down. */
const MAX_FAILURES = 3
const RETRY_MS = 5 * 60_000
const MAX_RETRY_MS = 3_600_000
/** Emails that are still unsent after this time are skipped. */
const MAX_AGE_MS = 12 * 3_600_000
const MAX_LINES = 20

type Claim = {
  id: string
  userId: string
  isDigest: boolean
  epoch: string
  attempts: number
  createdAt: Date
  email: string
  role: Role
  account: string
}

/** Sends the account's due emails to members, one at a time. Each email is sent at most once, even after a crash. */
export async function sendEmails(app: App, accountId: string, signal: AbortSignal): Promise<void> {
  if (!hasSystemMail(app.config)) return
  let failures = 0
  for (let count = 0; count < MAX_EMAILS && failures < MAX_FAILURES && !signal.aborted; count++) {
    const claim = await claimEmail(app, accountId)
    if (!claim) return
    await failpoint('notification.claimed', accountId)
    failures = (await sendEmail(app, accountId, claim)) ? 0 : failures + 1
  }
}

const claimEmail = (app: App, accountId: string): Promise<Claim | undefined> =>
  withAllNotifications(app, accountId, async tx => {
    const now = app.now()
    const [claim] = await tx<Claim[]>`
      with due as (
        select id from notification_emails
         where account_id = ${accountId} and state = 'queued' and due_at <= ${now}
           and (lease_until is null or lease_until <= ${now})
         order by due_at, id
         limit 1
           for no key update skip locked)
      update notification_emails e
         set lease_until = ${new Date(now.getTime() + EMAIL_LEASE_MS)}, epoch = epoch + 1, attempts = attempts + 1,
             updated_at = now()
        from due, members m, users u, accounts a
       where e.account_id = ${accountId} and e.id = due.id
         and m.account_id = e.account_id and m.user_id = e.user_id and u.id = e.user_id and a.id = e.account_id
   returning e.id, e.user_id as "userId", e.digest_on is not null as "isDigest", e.epoch::text, e.attempts,
             e.created_at as "createdAt", u.email, m.role, a.name as account`
    return claim
  })

/** Sends the email and records the result. Returns false if the mail server is failing. */
async function sendEmail(app: App, accountId: string, claim: Claim): Promise<boolean> {
  const record = (changes: Record<string, unknown>) => recordResult(app, accountId, claim, changes)
  const isOld = app.now().getTime() - claim.createdAt.getTime() > MAX_AGE_MS
  const mail = isOld ? undefined : await composeEmail(app, accountId, claim)
  if (!mail) {
    await record({ state: 'skipped' })
    return true
  }
  const result = await trySend(app, accountId, claim, mail)
  await failpoint('notification.answered', accountId)
  switch (result.outcome) {
    case 'sent':
      await record({ state: 'sent' })
      return true
    case 'withheld':
    // The server may have accepted the email, so it is not sent again.
    case 'unknown':
      return true
    case 'rejected':
      app.log.warn({ accountId, reason: result.reason }, 'notifications: an email was rejected')
      await record({ state: 'failed' })
      return true
    default: {
      app.log.warn({ accountId, reason: result.reason }, 'notifications: an email could not be sent')
      const delayMs = Math.min(RETRY_MS * 2 ** (claim.attempts - 1), MAX_RETRY_MS)
      const dueAt = new Date(app.now().getTime() + delayMs)
      await record({ state: 'queued', due_at: dueAt, lease_until: null })
      return false
    }
  }
}

async function trySend(app: App, accountId: string, claim: Claim, mail: SystemMail): Promise<SendResult> {
  try {
    return await sendGatedSystemMail(app.config, mail, {
      id: claim.id,
      gate: async () => {
        const isSending = await markSending(app, accountId, claim)
        await failpoint('notification.sending', accountId)
        return isSending
      },
    })
  } catch (err) {
    app.log.warn({ accountId, err }, 'notifications: an email could not be written')
    return { outcome: 'postponed', reason: (err as Error).message }
  }
}

/**
 * Commits the intent to send the final dot. Returns false if another engine has taken over, or the member has left the
 * account, which deletes the row.
 */
const markSending = (app: App, accountId: string, { id, epoch }: Claim): Promise<boolean> =>
  withAllNotifications(app, accountId, async tx => {
    const marked = await tx`
      update notification_emails set state = 'sending', updated_at = now()
       where account_id = ${accountId} and id = ${id} and epoch = ${epoch} and state = 'queued'
   returning id`
    return marked.count === 1
  })

const recordResult = (app: App, accountId: string, { id, epoch }: Claim, changes: Record<string, unknown>) =>
  withAllNotifications(app, accountId, async tx => {
    await tx`
      update notification_emails set ${tx.assignments({ ...changes, updated_at: tx`now()` } as Record<string, Fragment>)}
       where account_id = ${accountId} and id = ${id} and epoch = ${epoch}`
  })

type Content = { subject: string; sections: EmailSection[] }

/** Composes the email; returns undefined if nothing is left to report. */
async function composeEmail(app: App, accountId: string, claim: Claim): Promise<SystemMail | undefined> {
  const content = await (claim.isDigest ? readMemberDigest : readUnread)(app, accountId, claim)
  if (!content) return undefined
  const { subject, sections } = content
  const reason = claim.isDigest
    ? `This is your daily digest for ${claim.account}.`
    : `You get this email because of your notification settings in ${claim.account}.`
  const settingsUrl = `${getPublicUrl(app.config)}/settings/notifications`
  return { to: claim.email, subject: cleanSubject(subject), ...writeEmail({ sections, reason, settingsUrl }) }
}

const cleanSubject = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 150)

async function readMemberDigest(
  app: App,
  accountId: string,
  { userId, role, account }: Claim,
): Promise<Content | undefined> {
  const recipients = await withAllNotifications(app, accountId, tx => listRecipients(tx, accountId))
  const recipient = recipients.find(each => each.userId === userId)
  if (!recipient) return undefined
  const sections = await readDigest(asMember(app, app.db.work, { accountId, userId, role }), recipient)
  const [first] = sections
  return first && { subject: `Your day in ${account}: ${first.title}`, sections }
}

/**
 * Reads the notifications of the email, except those read or resolved since and those the member may no longer read.
 * Lists the first ones and counts the others.
 */
const readUnread = (
  app: App,
  accountId: string,
  { id, userId, role, account }: Claim,
): Promise<Content | undefined> =>
  withAllNotifications(app, accountId, async (tx: Sql) => {
    const ctx = asMember(app, tx, { accountId, userId, role })
    const rows = await tx<{ title: string; text: string | null; path: string; total: number }[]>`
      select t.title, left(t.text, 300) as text, t.path, count(*) over ()::int as total
        from ${withAccount(ctx)}
        join notifications n on n.account_id = s.account_id
        ${notificationTexts(ctx)}
       where n.email_id = ${id} and n.read_at is null and t.title is not null
       order by n.created_at, n.id
       limit ${MAX_LINES}`
    const [first] = rows
    if (!first) return undefined
    const { title, total } = first
    const toUrl = (path: string) => `${getPublicUrl(app.config)}${path}`
    const sections = rows.map(row => ({
      title: row.title,
      url: toUrl(row.path),
      lines: row.text ? [row.text] : [],
    }))
    const others = total - rows.length
    if (others > 0)
      sections.push({
        title: pluralize(others, 'more notification', 'more notifications'),
        url: toUrl('/'),
        lines: [],
      })
    return { subject: total === 1 ? title : `${total} notifications from ${account}`, sections }
  })
