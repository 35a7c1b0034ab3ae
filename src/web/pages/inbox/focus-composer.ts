import { type RefObject, useEffect } from 'react'

/** Marks the field in which a reply is written, or the button that opens it. */
export const composerProps = { 'data-composer': '' }

export function focusComposer(): void {
  const composer = document.querySelector<HTMLElement>('[data-composer]')
  if (composer instanceof HTMLButtonElement) composer.click()
  else composer?.focus()
}

/** A draft that takes the focus when it appears. */
let awaitedDraftId: string | undefined

export const focusDraftWhenShown = (draftId: string): void => {
  awaitedDraftId = draftId
}

/** Moves the focus into a draft that was just started or is about to appear. */
export function useComposerFocus(
  field: RefObject<HTMLElement | null>,
  { draftId, isNew }: { draftId?: string | undefined; isNew: boolean },
): void {
  useEffect(() => {
    const isAwaited = draftId !== undefined && draftId === awaitedDraftId
    if (isAwaited) awaitedDraftId = undefined
    if (isAwaited || isNew) field.current?.focus()
  }, [field, draftId, isNew])
}
