import { createContext, type ReactNode, use, useState } from 'react'
import { usePermission } from '../../api.ts'
import { type Conversation, describeConversations } from '../../components/conversations.ts'
import { SnoozeDateDialog, SnoozePicker } from '../../components/snooze-picker.tsx'
import { usePageCommands } from '../../ui/page-commands.ts'
import type { Selection } from '../../ui/selection.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { focusComposer } from './focus-composer.ts'
import { OptOutConversation } from './opt-out-conversation.tsx'
import { AssignPicker, TagPicker } from './pickers.tsx'
import { StopSequenceDialog } from './stop-sequence-dialog.tsx'
import { useConversationUpdates } from './use-conversation-updates.ts'
import { useEscape } from './use-escape.ts'
import { usePlace } from './use-place.ts'

export type Action = 'done' | 'reopen' | 'unread' | 'snooze' | 'assign' | 'tag' | 'stop' | 'optOut'
type Act = (action: Action, conversations: Conversation[]) => void

const TriageContext = createContext<Act>(() => {})

const NextContext = createContext<(() => void) | undefined>(undefined)

/** Returns a function that opens the next conversation if the current one is still open; undefined if none is open. */
export const useGoToNext = () => use(NextContext)

const AdjacentContext = createContext<(step: 1 | -1) => void>(() => {})

/** Returns a function that opens the conversation below (1) or above (-1) the open one. */
export const useOpenAdjacent = () => use(AdjacentContext)

/** Returns a function that starts an action on conversations. */
export const useTriage = (): Act => use(TriageContext)

type Props = {
  listed: Conversation[]
  open: Conversation | undefined
  openId: string | undefined
  selection: Selection<Conversation>
  children: ReactNode
}

const commands: [action: Action, label: string, key: string][] = [
  ['done', 'Mark as done', 'e'],
  ['snooze', 'Snooze', 'h'],
  ['assign', 'Assign', 'a'],
  ['tag', 'Tag', 'l'],
  ['unread', 'Mark as unread or read', 'u'],
  ['stop', 'Stop sequence', 's'],
  ['optOut', 'Opt out', '#'],
]

/** Provides the actions on conversations, with their shortcuts and dialogs. */
export function Triage({ listed, open, openId, selection, children }: Props) {
  const { rows: selected, clear: clearSelection } = selection
  const updates = useConversationUpdates(selection.select)
  const [openDialog, setOpenDialog] = useState<{
    action: Action | 'snoozeDate'
    conversations: Conversation[]
  }>()
  const can = usePermittedActions()
  const canWrite = usePermission('Inbox.CreateDraft')
  const {
    getCurrent,
    advance,
    close: closeConversation,
    openAdjacent,
    openNext,
  } = usePlace(listed, open, openId)
  const finish = (conversations: Conversation[]) => {
    clearSelection()
    advance(conversations)
  }
  const act: Act = (action, conversations) => {
    if (conversations.length === 0 || !can(action, conversations)) return
    if (action === 'done') {
      void updates.markAsDone(conversations)
      finish(conversations)
    } else if (action === 'reopen') {
      void updates.reopen(conversations)
      // An open conversation stays open, so that it can be answered.
      if (!conversations.some(({ id }) => id === openId)) finish(conversations)
    } else if (action === 'unread') {
      const isUnread = !conversations.every(conversation => conversation.isUnread)
      clearSelection()
      void updates.setUnread(conversations, isUnread)
      const isOpen = conversations.some(({ id }) => id === openId)
      if (isUnread && isOpen) closeConversation()
    } else setOpenDialog({ action, conversations })
  }
  const actOrReopen: Act = (action, conversations) =>
    act(action === 'done' && areClosed(conversations) ? 'reopen' : action, conversations)
  const getTargets = (current: Conversation | undefined): Conversation[] =>
    selected.length > 0 ? selected : [current].filter(conversation => conversation !== undefined)
  useShortcuts({
    r: focusComposer,
    // While a conversation is open, j and k open its neighbors, so that the focused row is always the open one.
    ...(openId && { j: () => openAdjacent(1), k: () => openAdjacent(-1) }),
    ...Object.fromEntries(
      commands.map(([action, , key]) => [key, () => actOrReopen(action, getTargets(getCurrent()))]),
    ),
  })
  useEscape(selection, closeConversation)
  usePageCommands([
    ...commands
      .filter(([action]) => open && can(action, getTargets(open)))
      .map(([action, label, hint]) => ({
        label: action === 'done' && areClosed(getTargets(open)) ? 'Reopen' : label,
        hint,
        run: () => actOrReopen(action, getTargets(open)),
      })),
    ...(openId
      ? [
          ...(canWrite ? [{ label: 'Reply', hint: 'r', run: focusComposer }] : []),
          { label: 'Next conversation', hint: 'j', run: () => openAdjacent(1) },
          { label: 'Previous conversation', hint: 'k', run: () => openAdjacent(-1) },
        ]
      : []),
  ])
  const close = () => setOpenDialog(undefined)
  const targets = openDialog?.conversations ?? []
  const [first] = targets
  const name = describeConversations(targets)
  const snooze = (until: Date) => {
    void updates.snooze(targets, until)
    finish(targets)
  }
  return (
    <TriageContext value={act}>
      <AdjacentContext value={openAdjacent}>
        <NextContext value={open && (() => openNext(open))}>{children}</NextContext>
      </AdjacentContext>
      {openDialog?.action === 'snooze' && (
        <SnoozePicker
          name={name}
          onClose={close}
          onChoose={snooze}
          onChooseDate={() => setOpenDialog({ action: 'snoozeDate', conversations: targets })}
        />
      )}
      {openDialog?.action === 'snoozeDate' && (
        <SnoozeDateDialog name={name} onClose={close} onChoose={snooze} />
      )}
      {openDialog?.action === 'assign' && (
        <AssignPicker
          conversations={targets}
          onClose={close}
          onChoose={member => {
            clearSelection()
            void updates.assign(targets, member)
          }}
        />
      )}
      {openDialog?.action === 'tag' && (
        <TagPicker
          conversations={targets}
          onClose={close}
          onChoose={(tag, isAdded) => void (isAdded ? updates.addTag : updates.removeTag)(targets, tag)}
        />
      )}
      {openDialog?.action === 'stop' && <StopSequenceDialog conversation={first!} onClose={close} />}
      {openDialog?.action === 'optOut' && (
        <OptOutConversation
          conversation={first!}
          onClose={close}
          onOptedOut={() => {
            // Nobody may reply anymore. No undo is offered, because it would not undo the opt-out.
            if (can('done', targets)) void updates.closeSilently(targets)
            finish(targets)
          }}
        />
      )}
    </TriageContext>
  )
}

/** Reports whether all conversations are done or snoozed. Such conversations are reopened instead of marked as done. */
export const areClosed = (conversations: Conversation[]): boolean =>
  conversations.every(({ status }) => status !== 'open')

/** Returns a function that reports whether the user may perform an action and the conversations allow it. */
export function usePermittedActions(): (action: Action, conversations: Conversation[]) => boolean {
  const canUpdate = usePermission('Inbox.SendMessage')
  const canStop = usePermission('Prospect.EditProspect')
  const canOptOut = usePermission('DoNotContact.EditDoNotContact')
  return (action, [first, ...others]) => {
    if (action === 'stop') return canStop && first?.prospectId !== undefined && others.length === 0
    if (action === 'optOut') return canOptOut && first?.personId !== undefined && others.length === 0
    return canUpdate
  }
}
