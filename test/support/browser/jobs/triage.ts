import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { demoPassword } from '../../../../src/demo/data/accounts.ts'
import { getConversationPath } from '../../../../src/web/components/conversations.ts'
import { formatSnoozeTime } from '../../../../src/web/components/snooze-times.ts'
import type { Caller } from '../../app.ts'
import { signIn, type TestBrowser } from '../chromium.ts'
import { countActions } from '../count-actions.ts'
import { OWNER_EMAIL } from './demo-inbox.ts'
import { type Action, type Conversation, isDraft, type PlannedAction, readMessages } from './triage-plan.ts'

/** Opens the snippets. `countActions` ignores this key as typed text, so `triageByKeyboard` adds it. */
const SNIPPET_KEY = ';'

/** The end of each snooze, as the dialog shows it. */
type SnoozeEnds = Map<PlannedAction, string>

/**
 * Signs in as the demo's owner, opens the inbox and works through the conversations that need a reply, by keyboard
 * alone. Returns the number of keys pressed, not counting typed text, and the end of each snooze.
 */
export async function triageByKeyboard(
  browser: TestBrowser,
  plan: PlannedAction[],
): Promise<{ keys: number; snoozeEnds: SnoozeEnds }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const count = await countActions(page)
  const snoozeEnds: SnoozeEnds = new Map()
  await page.goto('/')
  await signIn(page, { email: OWNER_EMAIL, password: demoPassword })
  await page.getByRole('link', { name: `Inbox ${plan.length} to reply to` }).click()
  await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().waitFor()
  Object.assign(count, { clicks: 0, keys: 0 })
  await page.keyboard.press('j')
  await expect.poll(() => getFocusedTag(page)).toBe('A')
  await page.keyboard.press('Enter')
  for (const planned of plan) {
    await expectOpen(page, planned)
    await perform[planned.action](page, planned, snoozeEnds)
  }
  await page.getByText('Nothing is waiting for a reply').waitFor()
  expect(count.clicks).toBe(0)
  await page.context().close()
  return { keys: count.keys + plan.filter(({ action }) => action === 'insertSnippet').length, snoozeEnds }
}

/** Waits until the conversation is open at its newest message and its heading has focus. */
async function expectOpen(page: Page, { conversation, messagesBefore }: PlannedAction): Promise<void> {
  const path = getConversationPath(conversation)
  await page.waitForURL(url => url.pathname === path)
  const received = messagesBefore.findLast(({ type }) => type === 'received')!
  const [beginning] = received.text.split('\n')
  await page.getByRole('article').filter({ hasText: beginning! }).last().waitFor()
  await expect.poll(() => getFocusedTag(page)).toBe('H2')
}

const getFocusedTag = (page: Page) => page.evaluate(() => document.activeElement?.tagName)

type Perform = (page: Page, planned: PlannedAction, snoozeEnds: SnoozeEnds) => Promise<void>

const perform: Record<Action, Perform> = {
  sendDraft: async (page, planned) => {
    await page.keyboard.press('r')
    await send(page, planned)
  },
  rewriteDraft: async (page, planned) => {
    for (const key of ['r', 'Control+a']) await page.keyboard.press(key)
    await page.keyboard.type(planned.answer!)
    await send(page, planned)
  },
  insertSnippet: async (page, planned) => {
    await page.keyboard.press('r')
    await page.keyboard.type(SNIPPET_KEY)
    await page.getByRole('dialog', { name: 'Insert snippet' }).waitFor()
    await expect.poll(() => getFocusedTag(page)).toBe('INPUT')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('textarea').inputValue()).toBe(planned.answer)
    await send(page, planned)
  },
  write: async (page, planned) => {
    await page.keyboard.press('r')
    await page.keyboard.type(planned.answer!)
    await send(page, planned)
  },
  snooze: async (page, planned, snoozeEnds) => {
    await page.keyboard.press('h')
    const first = page.getByRole('dialog', { name: 'Snooze' }).getByRole('option').first()
    await expect.poll(() => getFocusedTag(page)).toBe('INPUT')
    snoozeEnds.set(planned, await first.locator('span').last().innerText())
    await page.keyboard.press('Enter')
  },
  markAsDone: page => page.keyboard.press('e'),
}

/** Sends an email, which opens the next conversation. Queues a LinkedIn message as a task and presses the done key. */
async function send(page: Page, { conversation, answer }: PlannedAction): Promise<void> {
  if (conversation.channel === 'email') return page.keyboard.press('Control+Shift+Enter')
  await page.keyboard.press('Control+Enter')
  const [beginning] = answer!.split('\n')
  const sent = page.getByRole('article', { name: 'From you' }).filter({ hasText: beginning! })
  await sent.getByText('Queued as a task').waitFor()
  await page.keyboard.press('e')
}

/** Expects each answer to be sent once in its conversation, and each conversation to be answered, snoozed or done. */
export async function expectTriaged(
  owner: Caller,
  plan: PlannedAction[],
  snoozeEnds: SnoozeEnds,
): Promise<void> {
  const expected = plan.map(planned => ({
    ...{
      id: planned.conversation.id,
      snoozedUntil: snoozeEnds.get(planned),
      status: getExpectedStatus(planned),
    },
    answers: planned.answer
      ? [{ text: planned.answer, isTask: planned.conversation.channel === 'linkedin' }]
      : [],
  }))
  await expect.poll(() => Promise.all(plan.map(planned => readResult(owner, planned)))).toEqual(expected)
}

function getExpectedStatus({ conversation, action, answer }: PlannedAction): Conversation['status'] {
  if (action === 'snooze') return 'snoozed'
  return answer && conversation.channel === 'email' ? 'open' : 'done'
}

async function readResult(owner: Caller, { conversation, messagesBefore }: PlannedAction) {
  const { id } = conversation
  const { status, snoozedUntil } = await owner.call('getConversation', { conversationId: id })
  const messages = await readMessages(owner, conversation)
  const earlier = new Set(messagesBefore.flatMap(message => (isDraft(message) ? [] : [message.id])))
  const answers = messages.filter(
    ({ id, type, status, taskId }) =>
      type !== 'received' && !earlier.has(id) && (status === 'sent' || taskId !== undefined),
  )
  return {
    ...{ id, status, snoozedUntil: snoozedUntil && formatSnoozeTime(new Date(snoozedUntil)) },
    answers: answers.map(({ text, taskId }) => ({ text, isTask: taskId !== undefined })),
  }
}
