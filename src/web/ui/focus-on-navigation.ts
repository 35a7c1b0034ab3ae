import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { focusRow } from './roving-focus.ts'

/** Maximum time to wait for the opened page to load. */
const MAX_WAIT_MS = 5_000
/** Selector for the heading of the content that a row opened beside its list. */
export const OPENED = '[data-opened]'
const TITLE = '#page-title'

/** Props of the heading that receives focus when a row opens its content. */
export const openedProps = { tabIndex: -1, 'data-opened': '' }

/** Moves the focus to the content that a list row opens, and back to the row on return. */
export function useFocusOnNavigation(): void {
  const router = useRouter()
  useEffect(() => {
    /** The link of the row that was opened, by the URL of the list. */
    const openedFrom = new Map<string, string>()
    let clicked: { href: string; list: Element } | undefined
    let wait = new AbortController()
    const handleClick = ({ target }: MouseEvent) => {
      const link = target instanceof Element ? target.closest('[data-list] a') : null
      const href = link?.getAttribute('href')
      const list = link?.closest('[data-list]')
      clicked = href && list ? { href, list } : undefined
      if (href) openedFrom.set(router.state.location.href, href)
    }
    document.addEventListener('click', handleClick, { capture: true })
    const unsubscribe = router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
      if (!pathChanged || !fromLocation) return
      wait.abort()
      wait = new AbortController()
      const list = clicked?.href === toLocation.href ? clicked.list : undefined
      clicked = undefined
      const href = openedFrom.get(toLocation.href)
      if (list) focusSoon(() => focusOpened(list), wait.signal)
      else if (href && href === fromLocation.href) focusSoon(() => focusRowByLink(href), wait.signal)
    })
    return () => {
      document.removeEventListener('click', handleClick, { capture: true })
      unsubscribe()
      wait.abort()
    }
  }, [router])
}

/** Retries `tryFocus` until it succeeds or the user moves the focus. */
export function focusSoon(tryFocus: () => boolean, signal?: AbortSignal): void {
  if (tryFocus()) return
  const before = document.activeElement
  const observer = new MutationObserver(() => {
    const { activeElement } = document
    const isUnmoved = activeElement === before || activeElement === document.body
    if (!isUnmoved || tryFocus()) stop()
  })
  const stop = () => observer.disconnect()
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['href'],
  })
  signal?.addEventListener('abort', stop)
  setTimeout(stop, MAX_WAIT_MS)
}

/**
 * Focuses the heading of the content opened beside `list` or, once the list is no longer shown, the title of the page.
 * Returns whether the heading or title was found.
 */
export function focusOpened(list?: Element): boolean {
  // While the list is shown, the page title belongs to the list.
  const selector = list?.isConnected !== false ? OPENED : `${OPENED}, ${TITLE}`
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus({ preventScroll: true })
  return element !== null
}

function focusRowByLink(href: string): boolean {
  const link = document.querySelector(`[data-list] a[href="${CSS.escape(href)}"]`)
  const row = link?.closest<HTMLElement>('tr, li') ?? undefined
  focusRow(row, { preventScroll: true })
  return row !== undefined
}
