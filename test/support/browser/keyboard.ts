import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** More tab stops than any page has. */
const MAX_STOPS = 100

export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate(element => element === document.activeElement)

/** Replaces the text of a field by typing. React doesn't see `fill` in Firefox. */
export async function typeOver(field: Locator, text: string): Promise<void> {
  await field.selectText()
  await field.pressSequentially(text)
}

/** Presses Tab until the target has focus. Throws if an element on the way doesn't show that it has focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(getUnmarkedFocus), 'has focus but does not show it').toBe('')
    if (await hasFocus(target)) return
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** Returns the HTML of the focused element if neither the element nor its label shows the focus. Runs in the page. */
function getUnmarkedFocus(): string {
  const element = document.activeElement
  if (!element || element === document.body) return ''
  const isMarked = (one: Element | null) => one !== null && getComputedStyle(one).outlineStyle !== 'none'
  return isMarked(element) || isMarked(element.closest('label')) ? '' : element.outerHTML.slice(0, 200)
}
