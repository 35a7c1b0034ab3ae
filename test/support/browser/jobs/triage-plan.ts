import { expect } from 'vitest'
import type { Output } from '../../../../src/contract/index.ts'
import type { Caller } from '../../app.ts'
import { listNeedsReply } from './demo-inbox.ts'

export type Conversation = Output<'listConversations'>['data'][number]

/** A message or a draft of an email thread or a LinkedIn conversation. */
export type Message = { id: string; type: string; status: string; text: string; taskId: string | undefined }

export type Action = 'sendDraft' | 'rewriteDraft' | 'insertSnippet' | 'write' | 'snooze' | 'markAsDone'

/** The planned action for a conversation. */
export type PlannedAction = {
  conversation: Conversation
  action: Action
  messagesBefore: Message[]
  /** The text to send. */
  answer: string | undefined
}

type Row = Omit<PlannedAction, 'action' | 'answer'> & { action?: Action }

/** The number of each action per fifty conversations; the other conversations are marked as done. */
const ACTIONS_PER_FIFTY: [
  action: Action,
  count: number,
  channel?: 'email' | 'linkedin',
  hasDraft?: boolean,
][] = [
  ['sendDraft', 12, 'email', true],
  ['rewriteDraft', 3, 'email', true],
  ['insertSnippet', 2, 'email', false],
  ['write', 1, 'email', false],
  ['sendDraft', 3, 'linkedin', true],
  ['rewriteDraft', 1, 'linkedin', true],
  ['write', 2, 'linkedin', false],
  ['snooze', 8],
]

const getSnippet = (firstName: string, repName: string) =>
  `Hello ${firstName},\n\nten loggers cost 140 EUR, a hundred 1,100 EUR.\n\n${repName}`
const getAnswerText = (firstName: string) => `Thanks, ${firstName}.\nShall we talk on Friday – at ten?`

/** Creates the only snippet of the account. */
export const createSnippet = ({ call }: Caller) =>
  call('createSnippet', { name: 'Prices', text: getSnippet('{{ firstName }}', '{{ senderName }}') })

export async function readMessages({ call }: Caller, conversation: Conversation): Promise<Message[]> {
  const { emailThreadId, linkedinConversationId } = conversation
  const { messages } = emailThreadId
    ? await call('getEmailThread', { emailThreadId })
    : await call('getLinkedinConversation', { linkedinConversationId: linkedinConversationId! })
  return messages.map(message => ({
    ...{ id: message.id, type: message.type ?? '', status: message.status ?? '' },
    text: 'body' in message ? message.body : message.text,
    taskId: 'taskId' in message ? message.taskId : undefined,
  }))
}

export const isDraft = ({ status, taskId }: Message): boolean => status === 'draft' && !taskId

/** Plans an action for each conversation that needs a reply, in the order of the list. */
export async function planTriage(owner: Caller): Promise<PlannedAction[]> {
  const rows: Row[] = await Promise.all(
    (await listNeedsReply(owner)).map(async conversation => ({
      conversation,
      messagesBefore: await readMessages(owner, conversation),
    })),
  )
  for (const [action, perFifty, channel, hasDraft] of ACTIONS_PER_FIFTY) {
    const count = Math.round((perFifty * rows.length) / 50)
    const candidates = rows.filter(
      row =>
        row.action === undefined &&
        (channel === undefined || (row.conversation.channel === channel && !isQueued(row))) &&
        (hasDraft === undefined || row.messagesBefore.some(isDraft) === hasDraft),
    )
    expect(candidates.length, `${action} on ${channel ?? 'any channel'}`).toBeGreaterThanOrEqual(count)
    for (let n = 0; n < count; n++) candidates[Math.floor((n * candidates.length) / count)]!.action = action
  }
  return rows.map(row => ({ action: 'markAsDone', ...row, answer: getAnswer(row) }))
}

/** Returns whether an answer is already queued as a task. */
const isQueued = ({ messagesBefore }: Row): boolean =>
  messagesBefore.some(({ taskId }) => taskId !== undefined)

function getAnswer({ action, messagesBefore, conversation: { person, rep } }: Row): string | undefined {
  const firstName = person!.firstName!
  switch (action) {
    case 'sendDraft':
      return messagesBefore.find(isDraft)!.text
    case 'insertSnippet':
      return getSnippet(firstName, rep!.name)
    case 'write':
    case 'rewriteDraft':
      return getAnswerText(firstName)
    default:
      return undefined
  }
}
