import type { RawInput } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import {
  type Conversation,
  conversationReads,
  describeConversations,
} from '../../components/conversations.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { focusSoon } from '../../ui/focus-on-navigation.ts'
import { showReturning } from '../../ui/steady-rows.ts'
import { showToast } from '../../ui/toast.tsx'
import { focusConversationRow, useOpening } from './use-place.ts'

type Changes = Omit<RawInput<'updateConversations'>, 'conversationIds'>

/** The maximum number of conversations in one request. */
const MAX_IDS = 100

/** The running undo. Later changes wait for it, so that they aren't undone too. */
let undoing: Promise<unknown> = Promise.resolve()

/**
 * Returns functions that change conversations and confirm the change in a toast. `select` restores the
 * selection of several conversations when their change is undone.
 */
export function useConversationUpdates(select?: (ids: string[]) => void) {
  const { getOpenId, openConversation } = useOpening()
  const update = useOperationMutation(
    'updateConversations',
    ...conversationReads,
    'getEmailThread',
    'getLinkedinConversation',
    'listTags',
  )
  /** Fails instead of hiding a reply that isn’t shown yet. */
  const write = async (conversations: Conversation[], changes: Changes) => {
    const isHiding = changes.status === 'done' || changes.snoozedUntil !== undefined
    for (let start = 0; start < conversations.length; start += MAX_IDS) {
      const part = conversations.slice(start, start + MAX_IDS)
      const conversationIds = part.map(({ id }) => id)
      const expectedLastMessageIds = part.map(({ lastMessage }) => lastMessage.id)
      await update({ ...changes, conversationIds, ...(isHiding && { expectedLastMessageIds }) })
    }
  }
  const change = async (conversations: Conversation[], changes: Changes) => {
    await undoing
    await write(conversations, changes)
  }
  const run = (work: Promise<unknown>, message: string, undo?: () => void): Promise<void> =>
    work.then(
      () => showToast(message, undo),
      error => showToast(error.message),
    )
  const undoWith = (work: () => Promise<unknown>) => () => {
    const undo = work()
    undoing = undo.catch(() => {})
    void run(undo, 'Undone.')
  }
  const restore = async (before: Conversation[]) => {
    const groups = Map.groupBy(before, conversation => JSON.stringify(getState(conversation)))
    for (const [state, conversations] of groups) await write(conversations, JSON.parse(state))
  }
  const restoreAssignees = (before: Conversation[]) =>
    Promise.all(
      [...Map.groupBy(before, ({ assignee }) => assignee?.id ?? null)].map(([assigneeId, conversations]) =>
        write(conversations, { assigneeId }),
      ),
    )
  /**
   * Returns a function that undoes a change, which may have removed conversations from the list. The function also
   * returns the user to the place where they were.
   */
  const undo = (before: Conversation[]) => {
    const openId = getOpenId()
    const [first, ...others] = before
    return undoWith(() => {
      const isOpen = openId === first?.id || getOpenId() !== undefined
      const ids = before.map(({ id }) => id)
      showReturning(ids)
      if (others.length > 0) select?.(ids)
      else if (first && isOpen) openConversation(first)
      if (getOpenId() === undefined) focusSoon(() => ids.some(focusConversationRow))
      return restore(before)
    })
  }
  return {
    markAsRead: (conversation: Conversation) => change([conversation], { isUnread: false }),
    setUnread: (conversations: Conversation[], isUnread: boolean) =>
      run(
        change(conversations, { isUnread }),
        `Marked ${describeConversations(conversations)} as ${isUnread ? 'unread' : 'read'}.`,
        undo(conversations),
      ),
    markAsDone: (conversations: Conversation[]) =>
      run(
        change(conversations, { status: 'done' }),
        `Marked ${describeConversations(conversations)} as done.`,
        undo(conversations),
      ),
    closeSilently: (conversations: Conversation[]) =>
      change(conversations, { status: 'done' }).catch(error => showToast(error.message)),
    reopen: (conversations: Conversation[]) =>
      run(
        change(conversations, { status: 'open' }),
        `Reopened ${describeConversations(conversations)}.`,
        undo(conversations),
      ),
    snooze: (conversations: Conversation[], until: Date) =>
      run(
        change(conversations, { snoozedUntil: until.toISOString() }),
        `Snoozed ${describeConversations(conversations)} until ${formatSnoozeTime(until)}.`,
        undo(conversations),
      ),
    assign: (conversations: Conversation[], member: { id: string; name: string } | null) =>
      run(
        change(conversations, { assigneeId: member?.id ?? null }),
        `Assigned ${describeConversations(conversations)} to ${member?.name ?? 'nobody'}.`,
        undoWith(() => restoreAssignees(conversations)),
      ),
    addTag: (conversations: Conversation[], tag: string) =>
      run(
        change(conversations, { addTags: [tag] }),
        `Tag ${tag} added.`,
        undoWith(() =>
          write(
            conversations.filter(({ tags }) => !tags.includes(tag)),
            { removeTags: [tag] },
          ),
        ),
      ),
    removeTag: (conversations: Conversation[], tag: string) =>
      run(
        change(conversations, { removeTags: [tag] }),
        `Tag ${tag} removed.`,
        undoWith(() =>
          write(
            conversations.filter(({ tags }) => tags.includes(tag)),
            { addTags: [tag] },
          ),
        ),
      ),
  }
}

const getState = ({ status, snoozedUntil, isUnread }: Conversation): Changes => ({
  isUnread,
  ...(status === 'snoozed' ? { snoozedUntil } : { status }),
})
