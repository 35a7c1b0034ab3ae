import { type AnyRouter, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { type Conversation, getConversationPath } from '../../components/conversations.ts'
import { focusOpened, focusSoon } from '../../ui/focus-on-navigation.ts'
import { focusRow } from '../../ui/roving-focus.ts'
import { keepInboxSearch } from './search-params.ts'

const CONVERSATION_PATH = /^\/inbox\/(?:linkedin\/)?([^/]+)$/

/** Returns the ID of the open conversation, or of the one that is about to open. */
const getOpenId = ({ latestLocation }: AnyRouter): string | undefined =>
  CONVERSATION_PATH.exec(latestLocation.pathname)?.[1]

const getFocusedRowId = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-conversation]')?.dataset.conversation

const findRow = (id: string): HTMLElement | undefined =>
  document.querySelector<HTMLElement>(`[data-conversation="${CSS.escape(id)}"]`) ?? undefined

/** Focuses the row of a conversation; returns whether it is listed. */
export function focusConversationRow(id: string): boolean {
  const row = findRow(id)
  focusRow(row)
  return row !== undefined
}

/** Returns functions that open a conversation and that return the ID of the open one, even before it is shown. */
export function useOpening() {
  const router = useRouter()
  const navigate = useNavigate()
  return {
    getOpenId: () => getOpenId(router),
    openConversation: (conversation: Conversation): void => {
      const link = findRow(conversation.id)?.querySelector('a')
      if (link) link.click()
      // The row is out of view, so it is not rendered.
      else
        void navigate({ to: getConversationPath(conversation) as '/inbox', search: keepInboxSearch }).then(
          () => focusSoon(() => focusOpened()),
        )
    },
  }
}

/**
 * Returns the place in the list: the conversation that keys act on, and functions that move on from it. Rows are found
 * when the functions are called, because the list may change while a reply is sent.
 */
export function usePlace(listed: Conversation[], open: Conversation | undefined, openId: string | undefined) {
  const navigate = useNavigate()
  const { getOpenId, openConversation } = useOpening()
  /** `around` is the list in which the open conversation was opened. */
  const latest = useRef({ openId, listed, around: listed })
  useEffect(() => {
    const before = latest.current
    const isKept = before.openId === openId && hasId(before.around, openId)
    const around = !isKept && hasId(listed, openId) ? listed : before.around
    latest.current = { openId, listed, around }
  })
  const focusedRow = useFocusedRow(listed, openId !== undefined)
  /** Finds the nearest conversation below or above the open one that stays in the list. */
  const findAdjacent = (id: string, step: 1 | -1, leaving: Conversation[] = []): Conversation | undefined => {
    const { listed, around } = latest.current
    const staying = exclude(listed, leaving)
    if (!hasId(around, id) && !hasId(listed, id)) return step > 0 ? staying[0] : undefined
    return findStaying(around, id, step, staying) ?? findStaying(listed, id, step, staying)
  }
  /** Returns to the list. Focuses the row of the open conversation or, if it left the list, an adjacent row. */
  const close = (leaving: Conversation[] = []): void => {
    const id = getOpenId()
    const tryFocus = () => {
      if (!id) return true
      const next = findAdjacent(id, 1, leaving) ?? findAdjacent(id, -1, leaving)
      return (
        (!hasId(leaving, id) && focusConversationRow(id)) || (next && focusConversationRow(next.id)) === true
      )
    }
    void navigate({ to: '/inbox', search: true }).then(() => focusSoon(tryFocus))
  }
  const advance = (conversations: Conversation[]): void => {
    const openId = getOpenId()
    if (openId && hasId(conversations, openId)) {
      const next = findAdjacent(openId, 1, conversations)
      if (next) openConversation(next)
      else close(conversations)
    }
    // Keys act on the open conversation.
    if (openId) return
    const { listed } = latest.current
    const staying = exclude(listed, conversations)
    const current = getFocusedRowId() ?? focusedRow.current?.id
    const first = listed.find(({ id }) => hasId(conversations, id))
    const next = hasId(staying, current)
      ? current
      : first && (findStaying(listed, first.id, 1, staying) ?? findStaying(listed, first.id, -1, staying))?.id
    if (next) focusConversationRow(next)
  }
  return {
    /** Returns the open conversation; without one, that of the focused row. */
    getCurrent: (): Conversation | undefined => {
      const id = getOpenId()
      return id
        ? [open, ...listed].find(one => one?.id === id)
        : listed.find(({ id }) => id === getFocusedRowId())
    },
    /** Moves from these conversations to the one below: opens it if one of these is open, otherwise focuses its row. */
    advance,
    close: () => close(),
    /** Opens the conversation below or above the open one. */
    openAdjacent: (step: 1 | -1): void => {
      const id = getOpenId()
      const next = id && findAdjacent(id, step)
      if (next) openConversation(next)
    },
    /** Opens the conversation below the open one. Does nothing once another conversation or page is open. */
    openNext: (open: Conversation): void => {
      if (getOpenId() === open.id) advance([open])
    },
  }
}

const hasId = (rows: Conversation[], id: string | undefined): boolean => rows.some(row => row.id === id)

function exclude(rows: Conversation[], leaving: Conversation[]): Conversation[] {
  const ids = new Set(leaving.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}

/** Returns the nearest row below or above this one that stays in the list; undefined if `rows` lacks this one. */
function findStaying(rows: Conversation[], id: string, step: 1 | -1, staying: Conversation[]) {
  const index = rows.findIndex(row => row.id === id)
  if (index < 0) return undefined
  const candidates = step > 0 ? rows.slice(index + 1) : rows.slice(0, index).reverse()
  const ids = new Set(staying.map(({ id }) => id))
  return candidates.find(row => ids.has(row.id))
}

/** Returns a ref to the focused row. Moves focus to the row below or above when the focused row disappears. */
function useFocusedRow(listed: Conversation[], isOpen: boolean) {
  const focusedRow = useRef<{ id: string; rows: Conversation[] }>(undefined)
  const rows = useRef(listed)
  useEffect(() => {
    const handleFocus = ({ target }: FocusEvent) => {
      const id = getFocusedRowId()
      // A dialog returns the focus when it closes.
      const isInDialog = target instanceof Element && target.closest('[role=dialog], [role=alertdialog]')
      if (id) focusedRow.current = { id, rows: rows.current }
      else if (!isInDialog) focusedRow.current = undefined
    }
    document.addEventListener('focusin', handleFocus)
    return () => document.removeEventListener('focusin', handleFocus)
  }, [])
  useEffect(() => {
    rows.current = listed
    if (!focusedRow.current || isOpen) return
    const { id, rows: before } = focusedRow.current
    if (hasId(listed, id)) focusedRow.current.rows = listed
    else if (document.activeElement === document.body) {
      const next = findStaying(before, id, 1, listed) ?? findStaying(before, id, -1, listed)
      if (next) focusConversationRow(next.id)
    }
  })
  return focusedRow
}
