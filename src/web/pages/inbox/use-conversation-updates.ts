import { useNavigate } from '@tanstack/react-router'
import type { RawInput } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { type Conversation, conversationReads, getConversationPath } from '../../components/conversations.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Changes = Omit<RawInput<'updateConversations'>, 'conversationIds'>

/** Most conversations that one request changes. */
const MAX_IDS = 100

/** Returns functions that change conversations and report it in a toast. */
export function useConversationUpdates() {
  const navigate = useNavigate()
  const update = useOperationMutation(
    'updateConversations',
    ...conversationReads,
    'getEmailThread',
    'getLinkedinConversation',
    'listTags',
  )
  const change = async (conversations: Conversation[], changes: Changes) => {
    const ids = conversations.map(({ id }) => id)
    for (let start = 0; start < ids.length; start += MAX_IDS)
      await update({ ...changes, conversationIds: ids.slice(start, start + MAX_IDS) })
  }
  const run = (work: Promise<unknown>, message: string, undo?: () => void): Promise<void> =>
    work.then(
      () => showToast(message, undo),
      error => showToast(error.message),
    )
  const restore = async (before: Conversation[]) => {
    const groups = Map.groupBy(before, conversation => JSON.stringify(getState(conversation)))
    for (const [state, conversations] of groups) await change(conversations, JSON.parse(state))
    const [only, ...others] = before
    if (only && others.length === 0)
      void navigate({ to: getConversationPath(only) as '/inbox', search: true })
  }
  const undo = (before: Conversation[]) => () => void run(restore(before), 'Undone.')
  return {
    markAsRead: (conversation: Conversation) => change([conversation], { isUnread: false }),
    setUnread: (conversations: Conversation[], isUnread: boolean) =>
      run(change(conversations, { isUnread }), `${count(conversations)} as ${isUnread ? 'unread' : 'read'}.`),
    markAsDone: (conversations: Conversation[]) =>
      run(change(conversations, { status: 'done' }), `${count(conversations)} as done.`, undo(conversations)),
    reopen: (conversations: Conversation[]) =>
      run(change(conversations, { status: 'open' }), 'Returned to the inbox.', undo(conversations)),
    snooze: (conversations: Conversation[], until: Date) =>
      run(
        change(conversations, { snoozedUntil: until.toISOString() }),
        `Snoozed until ${formatSnoozeTime(until)}.`,
        undo(conversations),
      ),
    assign: (conversations: Conversation[], member: { id: string; name: string } | null) =>
      run(
        change(conversations, { assigneeId: member?.id ?? null }),
        member ? `Assigned to ${member.name}.` : 'Assigned to nobody.',
      ),
    addTag: (conversations: Conversation[], tag: string) =>
      run(change(conversations, { addTags: [tag] }), `Tag ${tag} added.`),
    removeTag: (conversations: Conversation[], tag: string) =>
      run(change(conversations, { removeTags: [tag] }), `Tag ${tag} removed.`),
  }
}

const count = ({ length }: Conversation[]): string =>
  length === 1 ? 'Marked' : `${formatNumber(length)} conversations marked`

const getState = ({ status, snoozedUntil, isUnread }: Conversation): Changes => ({
  isUnread,
  ...(status === 'snoozed' ? { snoozedUntil } : { status }),
})
