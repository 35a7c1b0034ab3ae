import { type RefObject, useEffect } from 'react'
import { OPENED } from '../../ui/focus-on-navigation.ts'

/** Marks the field in which a reply is written, or the button that opens it. */
export const composerProps = { 'data-composer': '' }

const listComposers = () => [...document.querySelectorAll<HTMLElement>('[data-composer]')]

export function focusComposer(): void {
  const composer = listComposers().find(element => element.checkVisibility())
  if (composer instanceof HTMLButtonElement) {
    composer.click()
    return
  }
  composer?.focus()
  composer?.closest('section')?.scrollIntoView({ block: 'nearest' })
}

/** Leaves the composer, so that keys act on the conversation again. Does nothing once focus has moved elsewhere. */
export function leaveComposer(): void {
  const { activeElement } = document
  const section = activeElement?.closest('section')
  const isInComposer = listComposers().some(composer => composer.closest('section') === section)
  if (isInComposer || activeElement === document.body)
    document.querySelector<HTMLElement>(OPENED)?.focus({ preventScroll: true })
}

/** The draft that takes focus when it appears. */
let awaitedDraftId: string | undefined

export const focusDraftWhenShown = (draftId: string): void => {
  awaitedDraftId = draftId
}

/** Moves focus into a draft that was just started or is about to appear. */
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
