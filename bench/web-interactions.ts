import type { Page } from 'playwright-core'
import { openProfile } from '../test/support/browser/chromium.ts'
import { median } from './measure.ts'

/** Times of an interaction; `limitMs` is the longest delay that people do not notice. */
export type InteractionRow = {
  case: string
  samples: number
  medianMs: number
  p95Ms: number
  worstMs: number
  limitMs: number
}

type Session = { url: string; cookie: { name: string; value: string }; campaignId: string }

const CONVERSATIONS_OPENED = 24
const SCROLL_STEPS = 120
const SCROLL_PIXELS = 1_000
const TYPED_TEXT = 'We met last spring, and I promised to write again once the new version is out. '

/** Measures interactions with loaded pages, on this machine at full speed, one after the other. */
export async function measureInteractions({ url, cookie, campaignId }: Session): Promise<InteractionRow[]> {
  await using profile = await openProfile(url)
  const { page, errors } = profile
  await page.context().addCookies([{ ...cookie, url }])
  await page.setViewportSize({ width: 1440, height: 900 })
  const rows = [
    toRow('open a conversation', 100, await openConversations(page)),
    toRow('type in a 5-step editor, per key', 50, await typeInEditor(page, campaignId)),
    toRow('scroll people, per frame', 50, await scroll(page, '/people', 'tbody tr')),
    toRow('scroll conversations, per frame', 50, await scroll(page, '/inbox?view=all', '[data-list] > li')),
  ]
  if (errors.length > 0) throw new Error(errors.join('\n'))
  return rows
}

function toRow(name: string, limitMs: number, times: number[]): InteractionRow {
  const sorted = times.toSorted((a, b) => a - b)
  return {
    case: `web ${name}`,
    samples: times.length,
    medianMs: median(times),
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
    worstMs: sorted.at(-1) ?? Number.NaN,
    limitMs,
  }
}

/** Returns the times from the click on a conversation to the frame after the one that shows it. */
async function openConversations(page: Page): Promise<number[]> {
  await page.goto('/inbox?view=all')
  await page.locator('[data-list] > li').nth(CONVERSATIONS_OPENED).waitFor()
  const times: number[] = []
  for (let index = 0; index < CONVERSATIONS_OPENED; index++) {
    times.push(await page.evaluate(measureOpening, index))
    // Lets the page load the person and the next step beside the conversation.
    await page.waitForTimeout(300)
  }
  // The first one also loads the script of the page.
  return times.slice(1)
}

/** Runs in the page. */
const measureOpening = (index: number): Promise<number> =>
  new Promise(done => {
    const getTitle = () => document.querySelector('[data-opened]')?.textContent
    const before = getTitle()
    const startedAt = performance.now()
    document.querySelectorAll<HTMLElement>('[data-list] > li a')[index]!.click()
    const poll = () => {
      const title = getTitle()
      if (title && title !== before) requestAnimationFrame(() => done(performance.now() - startedAt))
      else requestAnimationFrame(poll)
    }
    poll()
  })

/** Returns the times from a key to the frame after the one that shows it. */
async function typeInEditor(page: Page, campaignId: string): Promise<number[]> {
  await page.goto(`/campaigns/${campaignId}/steps`)
  await page.getByLabel('Message', { exact: true }).focus()
  await page.evaluate(watchKeys)
  for (const key of TYPED_TEXT.repeat(2)) await page.keyboard.press(key)
  return page.evaluate(() => (window as unknown as { keyTimes: number[] }).keyTimes)
}

/** Runs in the page. */
function watchKeys(): void {
  const times: number[] = []
  Object.assign(window, { keyTimes: times })
  addEventListener(
    'keydown',
    ({ timeStamp }) =>
      requestAnimationFrame(() => requestAnimationFrame(() => times.push(performance.now() - timeStamp))),
    { capture: true },
  )
}

/** Returns the times between frames while the list is scrolled and loads more of its 100,000 rows. */
async function scroll(page: Page, path: string, rowSelector: string): Promise<number[]> {
  await page.goto(path)
  await page.locator(rowSelector).nth(5).waitFor()
  const row = (await page.locator(rowSelector).nth(3).boundingBox())!
  await page.mouse.move(row.x + 100, row.y + 10)
  await page.evaluate(watchFrames)
  for (let step = 0; step < SCROLL_STEPS; step++) await page.mouse.wheel(0, SCROLL_PIXELS)
  return page.evaluate(() => (window as unknown as { frameTimes: number[] }).frameTimes)
}

/** Runs in the page. */
function watchFrames(): void {
  const times: number[] = []
  Object.assign(window, { frameTimes: times })
  let before = performance.now()
  const next = (now: number) => {
    times.push(now - before)
    before = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
}
