import { useEffect } from 'react'

/** Keys of the whole page by what they are pressed as; none of them while somebody types. One held down acts once. */
export function useShortcuts(actions: Record<string, () => unknown>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [role=dialog], [role=alertdialog]')
      const action = actions[isCommand ? `mod+${event.key.toLowerCase()}` : event.key]
      if (!action || event.altKey || (isTyping && !isCommand)) return
      event.preventDefault()
      if (!event.repeat) action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}
