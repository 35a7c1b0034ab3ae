import { getPublicUrl } from '../../kernel/config.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { listConversations } from '../inbox/conversations.ts'
import { countWaiting } from '../reports/count-waiting.ts'
import { listProblems } from '../reports/problems.ts'
import { getReport } from '../reports/report.ts'
import { listTasks } from '../tasks/tasks.ts'
import type { Recipient } from './notification-settings.ts'
import { type EmailSection, pluralize } from './write-email.ts'

const MAX_LINES = 5
const MAX_TASKS = 100
const MAX_TEXT_LENGTH = 120

/** Reads today's digest for a member, with the kinds they chose; empty if there is nothing to report. */
export async function readDigest(
  ctx: Context,
  { choices, timezone }: Pick<Recipient, 'choices' | 'timezone'>,
): Promise<EmailSection[]> {
  const wants = (kind: keyof typeof choices) => choices[kind].email === 'digest'
  const waiting = await countWaiting(ctx)
  const sections = [
    wants('reply') && (await readReplies(ctx, waiting.replies)),
    wants('approval') && readApprovals(ctx, waiting),
    wants('task') && (await readTasks(ctx, timezone)),
    wants('problem') && (await readProblems(ctx)),
    wants('campaign') && (await readCompleted(ctx)),
    await readYesterday(ctx, timezone),
  ]
  return sections.filter(section => section !== false && section !== undefined)
}

type Waiting = Awaited<ReturnType<typeof countWaiting>>

const parse = <T>({ text }: Json<T>): T => JSON.parse(text) as T
const toUrl = ({ app }: Context, path: string): string => `${getPublicUrl(app.config)}${path}`
const shorten = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).trimEnd()}…` : text

async function readReplies(ctx: Context, count: number): Promise<EmailSection | undefined> {
  if (count === 0) return undefined
  const { data } = parse(await listConversations(ctx, { view: 'needs_reply', limit: MAX_LINES }))
  return {
    title: pluralize(count, 'reply to answer', 'replies to answer'),
    url: toUrl(ctx, '/inbox'),
    lines: data.map(({ person, lastMessage }) => {
      const name = [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email
      return shorten([name, lastMessage?.text].filter(Boolean).join(': '))
    }),
  }
}

function readApprovals(
  ctx: Context,
  { emailDrafts, linkedinDrafts, callRequests, unconfirmedEmails }: Waiting,
): EmailSection | undefined {
  const lines = [
    emailDrafts && pluralize(emailDrafts, 'email draft to send', 'email drafts to send'),
    linkedinDrafts && pluralize(linkedinDrafts, 'LinkedIn draft to send', 'LinkedIn drafts to send'),
    callRequests && pluralize(callRequests, 'call to approve', 'calls to approve'),
    unconfirmedEmails &&
      pluralize(
        unconfirmedEmails,
        'email whose delivery is unconfirmed',
        'emails whose delivery is unconfirmed',
      ),
  ].filter(line => line !== 0)
  return lines.length > 0 ? { title: 'To review', url: toUrl(ctx, '/'), lines } : undefined
}

async function readTasks(ctx: Context, timezone: string): Promise<EmailSection | undefined> {
  const tomorrow = getLocalNow(ctx, timezone).startOfDay().add({ days: 1 })
  const { data, hasMore } = parse(
    await listTasks(ctx, {
      canComplete: true,
      dueBefore: tomorrow.toInstant().toString(),
      limit: MAX_TASKS,
    }),
  )
  if (data.length === 0) return undefined
  const count = hasMore ? `${data.length}+ tasks` : pluralize(data.length, 'task', 'tasks')
  return {
    title: `${count} due today`,
    url: toUrl(ctx, '/tasks'),
    lines: data.flatMap(({ title }) => (title ? [shorten(title)] : [])).slice(0, MAX_LINES),
  }
}

async function readProblems(ctx: Context): Promise<EmailSection | undefined> {
  const { data } = await listProblems(ctx)
  if (data.length === 0) return undefined
  return {
    title: pluralize(data.length, 'problem', 'problems'),
    url: toUrl(ctx, '/'),
    lines: data.slice(0, MAX_LINES).map(({ message, nextStep }) => `${message} ${nextStep}`),
  }
}

async function readCompleted(ctx: Context): Promise<EmailSection | undefined> {
  const rows = await ctx.sql<{ name: string; total: number }[]>`
    select c.name, c.total
      from ${withAccount(ctx)}
     cross join lateral (
       select name, count(*) over ()::int as total from campaigns
        where account_id = s.account_id and status = 'completed' and completed_at >= now() - interval '1 day'
        order by completed_at
        limit ${MAX_LINES}) c`
  const [first] = rows
  if (!first) return undefined
  return {
    title: pluralize(first.total, 'campaign completed', 'campaigns completed'),
    url: toUrl(ctx, '/campaigns'),
    lines: rows.map(({ name }) => name),
  }
}

/** Reads yesterday's numbers in the member's time zone, as in the report. */
async function readYesterday(ctx: Context, timezone: string): Promise<EmailSection | undefined> {
  const day = getLocalNow(ctx, timezone).toPlainDate().subtract({ days: 1 }).toString()
  const { total } = await getReport(ctx, { from: day, to: day, timezone })
  const lines = metrics
    .filter(([name]) => total[name] > 0)
    .map(([name, one, many]) => pluralize(total[name], one, many))
  return lines.length > 0 ? { title: 'Yesterday', url: toUrl(ctx, '/'), lines } : undefined
}

const metrics = [
  ['sent', 'email sent', 'emails sent'],
  ['linkedinSent', 'LinkedIn message sent', 'LinkedIn messages sent'],
  ['callsPlaced', 'call placed', 'calls placed'],
  ['replied', 'reply', 'replies'],
  ['positive', 'positive reply', 'positive replies'],
  ['optedOut', 'opt-out', 'opt-outs'],
  ['meetings', 'meeting booked', 'meetings booked'],
] as const

const getLocalNow = ({ app }: Context, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(app.now().getTime()).toZonedDateTimeISO(timezone)
