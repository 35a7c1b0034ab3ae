import type { Output } from '../../../../contract/index.ts'
import type { Row } from '../lean-row.ts'
import type { Addition, Read } from './reader.ts'

type Campaign = Output<'listCampaigns'>['data'][number]

const DAY_MS = 86_400_000
const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Adds further reasons for low volume: campaign states, manual work and the emails sent in the last two weeks. */
export const explainSending: Addition = async (read, _result, _input, { app }) => {
  const today = app.now().getTime()
  const [campaigns, tasks, calls, report] = await Promise.all([
    listCampaigns(read),
    read('listTasks', { status: 'open', limit: 100 }),
    read('listCallRequests', { status: 'waiting', limit: 100 }),
    read('getReport', { from: toDay(today - 6 * DAY_MS), compare: true }),
  ])
  const steps = tasks?.data.filter(({ campaignId, stepId }) => campaignId && stepId) ?? []
  return {
    ...(report && { emailsSent: { last7Days: report.total.sent, previous7Days: report.total.before?.sent } }),
    ...(campaigns && { campaigns: campaigns.filter(hasProspects).map(toState) }),
    openManualSteps: steps.length,
    ...(calls && calls.data.length > 0 && { callsWaitingForApproval: calls.data.length }),
  }
}

/** Adds the mailbox that sends an email. The user must see it before the email is sent. */
export const nameSender: Addition = async (read, result) => {
  const { from, emailThreadId } = result as Output<'composeEmail'>
  // A reply is assigned its sender only when it is sent.
  const sender = from ?? (await read('getEmailThread', { emailThreadId }))?.sender
  return { from: sender?.email }
}

/** Adds the due times of the next steps of active campaigns. */
export const listNextSends: Addition = async read => {
  const campaigns = await listCampaigns(read)
  const due = campaigns?.filter(({ numbers }) => numbers?.nextSendAt) ?? []
  return {
    nextSteps: Object.fromEntries(due.map(({ name, numbers }) => [name, numbers?.nextSendAt])),
    notice: 'Due steps and emails queued by hand are sent within the limits of the mailboxes.',
  }
}

/** Returns the newest 100 campaigns that are not archived, with their numbers. */
const listCampaigns = async (read: Read): Promise<Campaign[] | undefined> => {
  const page = await read('listCampaigns', { numbers: true, isArchived: false, limit: 100 })
  return page?.data
}

const hasProspects = ({ status, numbers }: Campaign): boolean =>
  status !== 'completed' && (numbers?.prospects ?? 0) > 0

function toState({ name, status, health, description, numbers }: Campaign & { health?: unknown }): Row {
  const { prospects = 0, contacted = 0, nextSendAt } = numbers ?? {}
  return {
    objectType: 'campaign',
    ...{ name, status, prospects, contacted },
    state: describeState(status, nextSendAt),
    health,
    ...(status !== 'active' && { description }),
  }
}

function describeState(status: string, nextSendAt: string | undefined): string {
  if (status === 'draft') return 'not launched'
  if (status === 'paused') return 'paused: nothing is sent until it is resumed'
  return nextSendAt
    ? `next step due ${nextSendAt.slice(0, 16)}Z`
    : 'no step is due: everyone has finished, replied or been stopped'
}
