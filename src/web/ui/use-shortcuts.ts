import { useEffect, useRef } from 'react'

type Actions = Record<string, () => unknown>

/** Maximum time between the keys of a sequence such as `g i`. */
const SEQUENCE_MS = 1_500
const FIELDS =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu], [popover]'

/** Actions of all mounted components, the latest last. */
const registered = new Set<{ current: Actions }>()
let first: { key: string; at: number } | undefined

/**
 * Registers page-wide keyboard shortcuts: a key, `mod+k`, or a sequence such as `g i`. Ignores them in text fields and
 * dialogs; a held key acts once.
 */
export function useShortcuts(actions: Actions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    if (registered.size === 0) document.addEventListener('keydown', handleKeyDown)
    registered.add(latest)
    return () => {
      registered.delete(latest)
      if (registered.size === 0) document.removeEventListener('keydown', handleKeyDown)
    }
  }, [])
}

/** Reports whether a key belongs to a text field, a menu or an open dialog rather than to the page. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  (target instanceof Element && target.closest(FIELDS) !== null) ||
  document.querySelector('[role=dialog], [role=alertdialog], :popover-open') !== null

function handleKeyDown(event: KeyboardEvent): void {
  if (event.altKey || event.defaultPrevented) return
  const isCommand = event.ctrlKey || event.metaKey
  if (!isCommand && isTyping(event)) return
  // A modifier alone is part of the next key.
  if (['Shift', 'Control', 'Meta'].includes(event.key)) return
  const before = first && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ` : ''
  first = undefined
  const action = findAction(isCommand ? `mod+${event.key.toLowerCase()}` : before + event.key)
  if (action) {
    event.preventDefault()
    if (!event.repeat) action()
  } else if (!isCommand && isFirstKey(event.key)) first = { key: event.key, at: event.timeStamp }
}

const findAction = (keys: string) => [...registered].findLast(({ current }) => current[keys])?.current[keys]

const isFirstKey = (key: string): boolean =>
  [...registered].some(({ current }) => Object.keys(current).some(keys => keys.startsWith(`${key} `)))
