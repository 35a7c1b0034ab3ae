import type { Page } from 'playwright-core'

/** The numbers of clicks and of pressed keys, not counting text typed into a field. */
export type ActionCount = { clicks: number; keys: number }

/**
 * Counts a person's clicks and keys in every document that the page loads from now on. A choice by `selectOption`
 * counts as two clicks: the first opens the list, the second chooses an option.
 */
export async function countActions(page: Page): Promise<ActionCount> {
  const count: ActionCount = { clicks: 0, keys: 0 }
  await page.exposeFunction('countAction', (kind: keyof ActionCount, times: number) => {
    count[kind] += times
  })
  await page.addInitScript(listen)
  return count
}

/** Reports clicks and keys to `countAction`. Runs in the page. */
function listen(): void {
  const { countAction } = window as unknown as {
    countAction: (kind: keyof ActionCount, times: number) => void
  }
  const modifiers = ['Shift', 'Control', 'Alt', 'Meta']
  const editing = ['Backspace', 'Delete', 'Home', 'End', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']
  const textFields = ':is(input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true])'
  const isTyping = ({ key, target, ctrlKey, metaKey }: KeyboardEvent) =>
    target instanceof Element &&
    target.closest(textFields) !== null &&
    (editing.includes(key) ||
      (!ctrlKey &&
        !metaKey &&
        (key.length === 1 || (key === 'Enter' && !(target instanceof HTMLInputElement)))))

  document.addEventListener('pointerdown', () => countAction('clicks', 1), true)
  document.addEventListener(
    'keydown',
    event => {
      if (!modifiers.includes(event.key) && !isTyping(event)) countAction('keys', 1)
    },
    true,
  )
  document.addEventListener(
    'change',
    ({ target, isTrusted }) => {
      if (!isTrusted && target instanceof HTMLSelectElement) countAction('clicks', 2)
    },
    true,
  )
}
