import { useEffect } from 'react'

/** Registers page-wide keyboard shortcuts. Ignores them in text fields and dialogs; a held key acts once. */
export function useShortcuts(actions: Record<string, () => unknown>): void {
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [role=dialog], [role=alertdialog]')
      const action = actions[isCommand ? `mod+${event.key.toLowerCase()}` : event.key]
      if (!action || event.altKey || (isTyping && !isCommand)) return
      event.preventDefault()
      if (!event.repeat) action()
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  })
}
