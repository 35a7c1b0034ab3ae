import type { Output } from '../../../../contract/index.ts'
import type { Row } from '../lean-row.ts'
import { formatPerson } from '../lean-shapes.ts'
import { truncateText } from '../list-rows.ts'
import type { Addition, Read } from './reader.ts'

const MAX_COUNTED = 100
const NEWEST = 3

/**
 * Adds a summary of open work: the user's own share, replies by intent, the newest replies, tasks, problems
 * and calls to approve.
 */
export const describeWaiting: Addition = async (read, result) => {
  const { reps, waiting } = result as Pick<Output<'getMe'>, 'reps' | 'waiting'>
  const [replies, tasks, problems, calls, mine] = await Promise.all([
    waiting.replies > 0 ? read('listConversations', { view: 'needs_reply', limit: MAX_COUNTED }) : undefined,
    waiting.tasks > 0 ? read('listTasks', { status: 'open', limit: MAX_COUNTED }) : undefined,
    waiting.problems > 0 ? read('listProblems', {}) : undefined,
    waiting.callRequests > 0 ? read('listCallRequests', { status: 'waiting', limit: NEWEST }) : undefined,
    countOwn(read, reps),
  ])
  return {
    ...(reps.length > 0 && { reps: reps.map(({ name }) => name) }),
    ...(mine && { waitingForYou: mine }),
    ...(replies && { repliesByIntent: countBy(replies.data, ({ intent }) => intent ?? 'not classified') }),
    ...(replies && { newestReplies: replies.data.slice(0, NEWEST).map(toReply) }),
    ...(tasks && { tasksByChannel: countBy(tasks.data, ({ channel }) => channel) }),
    ...notePartialCounts(replies?.hasMore, tasks?.hasMore),
    ...(tasks && { firstTasks: tasks.data.slice(0, NEWEST).map(toTask) }),
    ...(problems && { problems: problems.data.slice(0, 10).map(toProblem) }),
    ...(calls && { callsToApprove: calls.data.map(({ name }) => ({ personName: name })) }),
  }
}

async function countOwn(read: Read, reps: Output<'getMe'>['reps']): Promise<Row | undefined> {
  const [rep, ...others] = reps
  if (!rep || others.length > 0) return undefined
  const [tasks, replies] = await Promise.all([
    read('listTasks', { status: 'open', repId: rep.id, limit: MAX_COUNTED }),
    read('listConversations', { view: 'needs_reply', repId: rep.id, limit: MAX_COUNTED }),
  ])
  return { ...(tasks && { tasks: countRows(tasks) }), ...(replies && { replies: countRows(replies) }) }
}

const countRows = ({ data, hasMore }: { data: unknown[]; hasMore: boolean }): number | string =>
  hasMore ? `more than ${MAX_COUNTED}` : data.length

/** Returns a notice for counts that cover only the first page. */
function notePartialCounts(hasMoreReplies = false, hasMoreTasks = false): Row {
  const notes = [
    ...(hasMoreReplies ? [`repliesByIntent covers the newest ${MAX_COUNTED} conversations.`] : []),
    ...(hasMoreTasks ? [`tasksByChannel covers the ${MAX_COUNTED} tasks due first.`] : []),
  ]
  return notes.length > 0 ? { notice: notes.join(' ') } : {}
}

const countBy = <T>(rows: T[], key: (row: T) => string): Row =>
  Object.fromEntries([...Map.groupBy(rows, key)].map(([name, { length }]) => [name, length]))

function toReply({ id, person, intent, rep, lastMessage }: Output<'listConversations'>['data'][number]): Row {
  const { at, text = '' } = lastMessage
  const { email: _, ...named } = person ?? {}
  return { id, at, intent, repName: rep?.name, person: formatPerson(named), text: truncateText(text, 80) }
}

const toTask = ({ id, channel, dueAt, repName, personName }: Output<'listTasks'>['data'][number]): Row => ({
  ...{ id, channel, dueAt, repName, personName },
})

const toProblem = ({ kind, about, nextStep }: Output<'listProblems'>['data'][number]): Row => ({
  ...{ kind, about: about.name, nextStep },
})
