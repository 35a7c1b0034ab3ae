import { useNavigate } from '@tanstack/react-router'
import { createContext, type ReactNode, use, useEffect, useRef, useState } from 'react'
import { usePermission } from '../../api.ts'
import type { Conversation } from '../../components/conversations.ts'
import { SnoozeDateDialog, SnoozePicker } from '../../components/snooze-picker.tsx'
import { focusRow } from '../../ui/roving-focus.ts'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { focusComposer } from './focus-composer.ts'
import { OptOutConversation } from './opt-out-conversation.tsx'
import { AssignPicker, TagPicker } from './pickers.tsx'
import { StopSequenceDialog } from './stop-sequence-dialog.tsx'
import { useConversationUpdates } from './use-conversation-updates.ts'

export type Action = 'done' | 'reopen' | 'unread' | 'snooze' | 'assign' | 'tag' | 'stop' | 'optOut'
type Act = (action: Action, conversations: Conversation[]) => void

const TriageContext = createContext<Act>(() => {})

/** Returns a function that begins an action on conversations. */
export const useTriage = (): Act => use(TriageContext)

type Props = {
  listed: Conversation[]
  open: Conversation | undefined
  openId: string | undefined
  selected: Conversation[]
  clearSelection: () => void
  children: ReactNode
}

const keys: Record<string, Action> = {
  e: 'done',
  u: 'unread',
  h: 'snooze',
  a: 'assign',
  l: 'tag',
  s: 'stop',
  '#': 'optOut',
}

/** The actions on conversations: their keys, and the questions that they ask. */
export function Triage({ listed, open, openId, selected, clearSelection, children }: Props) {
  const updates = useConversationUpdates()
  const [asked, setAsked] = useState<{ action: Action | 'snoozeDate'; conversations: Conversation[] }>()
  const can = usePermittedActions()
  const advance = useAdvance(listed, openId)
  const finish = (conversations: Conversation[]) => {
    clearSelection()
    advance(conversations)
  }
  const act: Act = (action, conversations) => {
    if (conversations.length === 0 || !can(action, conversations)) return
    if (action === 'done') {
      finish(conversations)
      void updates.markAsDone(conversations)
    } else if (action === 'reopen') void updates.reopen(conversations)
    else if (action === 'unread') {
      clearSelection()
      void updates.setUnread(conversations, !conversations.every(({ isUnread }) => isUnread))
    } else setAsked({ action, conversations })
  }
  const getTargets = (): Conversation[] => {
    if (selected.length > 0) return selected
    const focused = listed.find(({ id }) => id === getFocusedRowId())
    return [focused ?? open].filter(conversation => conversation !== undefined)
  }
  useShortcuts({
    r: focusComposer,
    ...(selected.length > 0 && { Escape: clearSelection }),
    ...Object.fromEntries(
      Object.entries(keys).map(([key, action]) => [key, () => act(action, getTargets())]),
    ),
  })
  const close = () => setAsked(undefined)
  const targets = asked?.conversations ?? []
  const [first] = targets
  const snooze = (until: Date) => {
    finish(targets)
    void updates.snooze(targets, until)
  }
  return (
    <TriageContext value={act}>
      {children}
      {asked?.action === 'snooze' && (
        <SnoozePicker
          onClose={close}
          onChoose={snooze}
          onChooseDate={() => setAsked({ action: 'snoozeDate', conversations: targets })}
        />
      )}
      {asked?.action === 'snoozeDate' && <SnoozeDateDialog onClose={close} onChoose={snooze} />}
      {asked?.action === 'assign' && (
        <AssignPicker
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
      {asked?.action === 'optOut' && <OptOutConversation conversation={first!} onClose={close} />}
    </TriageContext>
  )
}

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

const getFocusedRowId = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-conversation]')?.dataset.conversation

const findRow = (id: string): HTMLElement | null =>
  document.querySelector(`[data-conversation="${CSS.escape(id)}"]`)

/** Returns a function that goes on to the conversation below these: opens it if one of these is open, otherwise focuses it. */
function useAdvance(listed: Conversation[], openId: string | undefined) {
  const navigate = useNavigate()
  /** Where the open conversation is, or was before it left the list. */
  const openIndex = useRef(0)
  useEffect(() => {
    const index = listed.findIndex(({ id }) => id === openId)
    if (index >= 0) openIndex.current = index
  })
  return (conversations: Conversation[]): void => {
    const leaving = new Set(conversations.map(({ id }) => id))
    const isOpen = openId !== undefined && leaving.has(openId)
    const focused = getFocusedRowId()
    const index = isOpen ? openIndex.current : listed.findIndex(({ id }) => id === focused)
    const next = listed.slice(Math.max(index, 0)).find(({ id }) => !leaving.has(id))
    const row = next && findRow(next.id)
    if (!isOpen) focusRow(row ?? undefined)
    else if (row) row.querySelector('a')?.click()
    else void navigate({ to: '/inbox', search: true })
  }
}
