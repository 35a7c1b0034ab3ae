/** Marks the field in which a reply is written, or the button that opens it. */
export const composerProps = { 'data-composer': '' }

export function focusComposer(): void {
  const composer = document.querySelector<HTMLElement>('[data-composer]')
  if (composer instanceof HTMLButtonElement) composer.click()
  else composer?.focus()
}
