import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browsers } from '../support/browser/browsers.ts'
import type { TestBrowser } from '../support/browser/chromium.ts'
import {
  type DemoOffice,
  fillInbox,
  listNeedsReply,
  openDemoOffice,
} from '../support/browser/jobs/demo-inbox.ts'
import { expectTriaged, triageByKeyboard } from '../support/browser/jobs/triage.ts'
import {
  createSnippet,
  type PlannedAction,
  planTriage,
  readMessages,
} from '../support/browser/jobs/triage-plan.ts'
import { buildWeb } from '../support/browser/web-build.ts'

const REPLIES = 24
const MAX_KEYS = 2 * REPLIES

/** The tests run in order: each continues where the previous one ended. */
describe.each(browsers)('the replies of the demo in $name', ({ isInstalled, open }) => {
  const isAvailable = isInstalled()
  let office: DemoOffice
  let browser: TestBrowser
  let plan: PlannedAction[]
  beforeAll(async () => {
    if (!isAvailable) return
    buildWeb()
    office = await openDemoOffice()
    await createSnippet(office.owner)
    await fillInbox(office, REPLIES)
    plan = await planTriage(office.owner)
    browser = await open(office.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await office?.[Symbol.asyncDispose]()
  })

  it.skipIf(!isAvailable)(
    `are read, answered, snoozed and marked as done by keyboard: ${REPLIES} in at most ${MAX_KEYS} keys`,
    async () => {
      const { owner } = office
      const { keys, snoozeEnds } = await triageByKeyboard(browser, plan)
      expect(keys).toBeLessThanOrEqual(MAX_KEYS)
      expect(await listNeedsReply(owner)).toEqual([])
      await expectTriaged(owner, plan, snoozeEnds)
    },
  )

  it.skipIf(!isAvailable)(
    'stay done when the tasks that send the answers on LinkedIn are completed',
    async () => {
      const { owner } = office
      for (const { conversation, answer } of plan) {
        if (conversation.channel !== 'linkedin' || !answer) continue
        const { taskId } = (await readMessages(owner, conversation)).find(({ text }) => text === answer)!
        await owner.call('completeTask', { taskId: taskId! })
        const messages = await readMessages(owner, conversation)
        expect(messages.filter(({ text }) => text === answer)).toMatchObject([{ status: 'sent' }])
        const { status } = await owner.call('getConversation', { conversationId: conversation.id })
        expect(status).toBe('done')
      }
    },
  )

  it.skipIf(!isAvailable)('make no requests to other hosts, violate no policy and throw no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
