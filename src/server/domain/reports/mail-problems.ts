import { getPublicUrl } from '../../kernel/config.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { claimProblemMail } from '../accounts/problem-checks.ts'
import { hasSystemMail, sendSystemMail } from '../auth/system-mail.ts'

const MAX_PROBLEMS = 50
const MAX_OWNERS = 20

type Report = {
  name: string
  problems: { id: string; message: string; nextStep: string }[]
  owners: string[]
}

/**
 * Emails new problems to the account's owners, at most every 15 minutes. Problems that usually end by themselves are left
 * out. If no owner could be reached, the next email contains them again.
 */
export async function mailProblems(app: App, accountId: string, signal: AbortSignal): Promise<void> {
  if (!hasSystemMail(app.config)) return
  const report = await claimReport(app, accountId)
  if (!report) return
  const mail = writeEmail(app, report)
  let reached = 0
  for (const to of report.owners) {
    if (signal.aborted) break
    try {
      await sendSystemMail(app.config, { to, ...mail })
      reached++
    } catch (err) {
      app.log.warn({ accountId, err }, 'engine: a mail about problems could not be sent')
    }
  }
  if (reached === 0) return
  const ids = report.problems.map(({ id }) => id)
  await inAccount(app.db.work, accountId, async tx => {
    await tx`
      update problems set mailed_at = ${app.now()} where account_id = ${accountId} and id = any(${ids}::uuid[])`
  })
}

/** Returns what to mail, unless there is nothing new or the last email is too recent. */
const claimReport = (app: App, accountId: string): Promise<Report | undefined> =>
  inAccount(app.db.work, accountId, async tx => {
    const problems = await tx<Report['problems']>`
      select id, details ->> 'message' as message, details ->> 'nextStep' as "nextStep"
        from problems
       where account_id = ${accountId} and mailed_at is null and kind <> 'mailbox_waiting'
       order by created_at, id
       limit ${MAX_PROBLEMS}`
    if (problems.length === 0) return undefined
    const name = await claimProblemMail(tx, accountId, app.now())
    if (!name) return undefined
    const owners = await tx<{ email: string }[]>`
      select u.email
        from members m join users u on u.id = m.user_id
       where m.account_id = ${accountId} and m.role = 'owner'
       order by m.created_at, u.id
       limit ${MAX_OWNERS}`
    return { name, problems, owners: owners.map(({ email }) => email) }
  })

const writeEmail = ({ config }: App, { name, problems }: Report): { subject: string; text: string } => ({
  subject: problems.length === 1 ? `A problem in ${name}` : `${problems.length} problems in ${name}`,
  text: [
    ...problems.map(({ message, nextStep }) => `${message}\n${nextStep}`),
    `You get this email because you own ${name}. Open Overture: ${getPublicUrl(config)}`,
  ].join('\n\n'),
})
