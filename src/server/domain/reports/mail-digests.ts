import type { Role } from '../../../contract/permissions.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { claimDigests } from '../accounts/problem-checks.ts'
import { countWaiting } from '../auth/me.ts'
import { hasSystemMail, sendSystemMail } from '../auth/system-mail.ts'
import { listProblems } from './problems.ts'
import { asMember } from './record-problems.ts'

const MAX_MEMBERS = 500
/** After this many failures in a row, the mail server is considered down. */
const MAX_FAILURES = 3

type Subscriber = { userId: string; role: Role; email: string }

/**
 * Once a day from 8:00 in the account's time zone, emails members who turned it on a summary of what needs their
 * attention. Members with nothing to do get no email. An email that cannot be sent is not repeated, so that nobody
 * gets two.
 */
export async function mailDigests(app: App, accountId: string, signal: AbortSignal): Promise<void> {
  if (!hasSystemMail(app.config)) return
  const day = await claimDay(app, accountId)
  if (!day) return
  let failures = 0
  for (const subscriber of day.subscribers) {
    if (signal.aborted || failures === MAX_FAILURES) return
    try {
      const lines = await readDigest(app, accountId, subscriber)
      if (lines.length === 0) continue
      const ending = `You get this email because you turned it on in your profile: ${getPublicUrl(app.config)}/settings/profile`
      await sendSystemMail(app.config, {
        to: subscriber.email,
        subject: `To do in ${day.name}`,
        text: [...lines, '', ending].join('\n'),
      })
      failures = 0
    } catch (err) {
      failures++
      app.log.warn({ accountId, err }, 'engine: a daily email could not be sent')
    }
  }
}

/** Marks today as done. Returns undefined before 8:00, and when it was done already. */
const claimDay = (
  app: App,
  accountId: string,
): Promise<{ name: string; subscribers: Subscriber[] } | undefined> =>
  inAccount(app.db.work, accountId, async tx => {
    const name = await claimDigests(tx, accountId, app.now())
    if (!name) return undefined
    const subscribers = await tx<Subscriber[]>`
      select m.user_id as "userId", m.role, u.email
        from members m join users u on u.id = m.user_id
       where m.account_id = ${accountId} and m.has_digest
       order by m.user_id
       limit ${MAX_MEMBERS}`
    return { name, subscribers }
  })

const readDigest = (app: App, accountId: string, { userId, role }: Subscriber): Promise<string[]> =>
  inAccount(app.db.work, accountId, async tx => {
    const reader = asMember(app, tx, { accountId, userId, role })
    const waiting = await countWaiting(reader)
    const { data: problems } = await listProblems(reader)
    const counts: [count: number, one: string, many: string][] = [
      [waiting.replies, 'reply to answer', 'replies to answer'],
      [waiting.tasks, 'open task', 'open tasks'],
      [waiting.emailDrafts, 'email draft to send', 'email drafts to send'],
      [waiting.linkedinDrafts, 'LinkedIn draft to send', 'LinkedIn drafts to send'],
      [
        waiting.unconfirmedEmails,
        'email whose delivery is unconfirmed',
        'emails whose delivery is unconfirmed',
      ],
      [waiting.callRequests, 'call to approve', 'calls to approve'],
    ]
    return [
      ...counts
        .filter(([count]) => count > 0)
        .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`),
      ...problems.map(({ message, nextStep }) => `Problem: ${message} ${nextStep}`),
    ]
  })
