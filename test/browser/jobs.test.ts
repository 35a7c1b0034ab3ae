import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browsers } from '../support/browser/browsers.ts'
import type { TestBrowser } from '../support/browser/chromium.ts'
import { connectSenderByKeyboard, connectSenderByMouse } from '../support/browser/jobs/connect-sender.ts'
import { sendFirstCampaign } from '../support/browser/jobs/first-campaign.ts'
import * as quick from '../support/browser/jobs/quick-jobs.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'

type Job = {
  title: string
  run: (office: quick.Office) => Promise<void>
  isSkipped?: boolean
  /** Set for another way to do a job that already runs in both browsers. */
  isOnlyInChromium?: boolean
}

const jobs: Job[] = [
  {
    title: 'a first campaign is sent to the sandbox of a new installation',
    run: ({ browser }) => sendFirstCampaign(browser),
  },
  {
    title: 'a sender is connected and its domain verified after sign-up in 8 clicks',
    run: ({ browser }) => connectSenderByMouse(browser),
    isSkipped: !hasDovecot(),
  },
  {
    title: 'a sender is connected and its domain verified after sign-up by keyboard',
    run: ({ browser }) => connectSenderByKeyboard(browser),
    isSkipped: !hasDovecot(),
    isOnlyInChromium: true,
  },
  {
    title: 'a person is found by part of their name, with their whole timeline, in 3 key presses plus typing',
    run: quick.findPersonByKeyboard,
  },
  {
    title: 'a person is found by mouse, with their whole timeline, in 2 clicks plus typing',
    run: quick.findPersonByMouse,
    isOnlyInChromium: true,
  },
  {
    title:
      'the wrong address of a person is corrected so that the sequence continues, in 4 clicks plus typing',
    run: quick.correctAddressByMouse,
  },
  {
    title: 'the wrong address of a person is corrected by keyboard',
    run: quick.correctAddressByKeyboard,
    isOnlyInChromium: true,
  },
  {
    title: 'all sending is paused in 2 clicks, and a notice says so until sending is resumed',
    run: quick.pauseByMouse,
  },
  {
    title: 'all sending is paused by keyboard, through the command palette',
    run: quick.pauseByKeyboard,
    isOnlyInChromium: true,
  },
  {
    title: 'the results by variant are exported as CSV in 4 clicks',
    run: quick.exportResultsByMouse,
  },
  {
    title: 'the results by variant are exported as CSV by keyboard',
    run: quick.exportResultsByKeyboard,
    isOnlyInChromium: true,
  },
]

/** All jobs share one process of each browser. */
describe.each(browsers)('in $name', ({ name, isInstalled, open }) => {
  const isAvailable = isInstalled()
  let server: TestServer
  let browser: TestBrowser
  let office: quick.Office
  beforeAll(async () => {
    if (!isAvailable) return
    buildWeb()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    browser = await open(server.url)
    office = await quick.openOffice(server, browser)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  for (const { title, run, isSkipped = false, isOnlyInChromium = false } of jobs) {
    if (isOnlyInChromium && name !== 'Chromium') continue
    it.skipIf(!isAvailable || isSkipped)(title, () => run(office))
  }

  it.skipIf(!isAvailable)('no job requests another host, violates a policy or throws', () => {
    expect(browser.errors).toEqual([])
  })
})
