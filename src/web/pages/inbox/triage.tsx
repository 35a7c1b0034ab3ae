import { createContext, type ReactNode, use, useState } from 'react'
import { usePermission } from '../../api.ts'
import { type Conversation, nameConversations } from '../../components/conversations.ts'
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

/** Returns a function that opens the conversation below the open one, unless that is no longer open; undefined without one. */
export const useGoToNext = () => use(NextContext)

const BesideContext = createContext<(step: 1 | -1) => void>(() => {})

/** Returns a function that opens the conversation below (1) or above (-1) the open one. */
export const useOpenBeside = () => use(BesideContext)

/** Returns a function that begins an action on conversations. */
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

/** The actions on conversations: their keys, and the questions that they ask. */
export function Triage({ listed, open, openId, selection, children }: Props) {
  const { rows: selected, clear: clearSelection } = selection
  const updates = useConversationUpdates(selection.select)
  const [asked, setAsked] = useState<{ action: Action | 'snoozeDate'; conversations: Conversation[] }>()
  const can = usePermittedActions()
  const canWrite = usePermission('Inbox.CreateDraft')
  const {
    getCurrent,
    advance,
    close: closeConversation,
    openBeside,
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
    } else setAsked({ action, conversations })
  }
  const actOn: Act = (action, conversations) =>
    act(action === 'done' && areClosed(conversations) ? 'reopen' : action, conversations)
  const getTargets = (current: Conversation | undefined): Conversation[] =>
    selected.length > 0 ? selected : [current].filter(conversation => conversation !== undefined)
  useShortcuts({
    r: focusComposer,
    // The open conversation and the row that keys move from never differ.
    ...(openId && { j: () => openBeside(1), k: () => openBeside(-1) }),
    ...Object.fromEntries(
      commands.map(([action, , key]) => [key, () => actOn(action, getTargets(getCurrent()))]),
    ),
  })
  useEscape(selection, closeConversation)
  usePageCommands([
    ...commands
      .filter(([action]) => open && can(action, getTargets(open)))
      .map(([action, label, hint]) => ({
        label: action === 'done' && areClosed(getTargets(open)) ? 'Reopen' : label,
        hint,
        run: () => actOn(action, getTargets(open)),
      })),
    ...(openId
      ? [
          ...(canWrite ? [{ label: 'Reply', hint: 'r', run: focusComposer }] : []),
          { label: 'Next conversation', hint: 'j', run: () => openBeside(1) },
          { label: 'Previous conversation', hint: 'k', run: () => openBeside(-1) },
        ]
      : []),
  ])
  const close = () => setAsked(undefined)
  const targets = asked?.conversations ?? []
  const [first] = targets
  const name = nameConversations(targets)
  const snooze = (until: Date) => {
    void updates.snooze(targets, until)
    finish(targets)
  }
  return (
    <TriageContext value={act}>
      <BesideContext value={openBeside}>
        <NextContext value={open && (() => openNext(open))}>{children}</NextContext>
      </BesideContext>
      {asked?.action === 'snooze' && (
        <SnoozePicker
          name={name}
          onClose={close}
          onChoose={snooze}
          onChooseDate={() => setAsked({ action: 'snoozeDate', conversations: targets })}
        />
      )}
      {asked?.action === 'snoozeDate' && <SnoozeDateDialog name={name} onClose={close} onChoose={snooze} />}
      {asked?.action === 'assign' && (
        <AssignPicker
          conversations={targets}
          onClose={close}
          onChoose={member => {
            clearSelection()
            void updates.assign(targets, member)
          }}
        />
      )}
      {asked?.action === 'tag' && (
        <TagPicker
          conversations={targets}
          onClose={close}
          onChoose={(tag, isAdded) => void (isAdded ? updates.addTag : updates.removeTag)(targets, tag)}
        />
      )}
      {asked?.action === 'stop' && <StopSequenceDialog conversation={first!} onClose={close} />}
      {asked?.action === 'optOut' && (
        <OptOutConversation
          conversation={first!}
          onClose={close}
          onOptedOut={() => {
            // Nobody may answer any more. Undoing this would not undo the opt-out, so it is not offered.
            if (can('done', targets)) void updates.closeSilently(targets)
            finish(targets)
          }}
        />
      )}
    </TriageContext>
  )
}

/** Returns whether all are done or snoozed, so that they are reopened instead of marked as done. */
export const areClosed = (conversations: Conversation[]): boolean =>
  conversations.every(({ status }) => status !== 'open')

/** Returns whether the user may do an action, and the conversations allow it. */
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
