import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { demoPassword } from '../../../../src/demo/data/accounts.ts'
import { getConversationPath } from '../../../../src/web/components/conversations.ts'
import { formatSnoozeTime } from '../../../../src/web/components/snooze-times.ts'
import type { Caller } from '../../app.ts'
import { signIn, type TestBrowser } from '../chromium.ts'
import { countActions } from '../count-actions.ts'
import { OWNER_EMAIL } from './demo-inbox.ts'
import { type Action, type Conversation, isDraft, readMessages, type Step } from './triage-plan.ts'

/** Opens the snippets. The page can't tell it from text, so it is counted here. */
const SNIPPET_KEY = ';'

/** Until when conversations are snoozed, as the dialog says. */
type Snoozed = Map<Step, string>

/**
 * Signs in as the demo's owner, opens the inbox and works the conversations that need a reply from top to bottom, by
 * keyboard alone. Returns how many keys that took, not counting the texts.
 */
export async function triageByKeyboard(
  browser: TestBrowser,
  plan: Step[],
): Promise<{ keys: number; snoozed: Snoozed }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const count = await countActions(page)
  const snoozed: Snoozed = new Map()
  await page.goto('/')
  await signIn(page, { email: OWNER_EMAIL, password: demoPassword })
  await page.getByRole('link', { name: `Inbox ${plan.length} to reply to` }).click()
  await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().waitFor()
  Object.assign(count, { clicks: 0, keys: 0 })
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  for (const step of plan) {
    await expectOpen(page, step)
    await perform[step.action](page, step, snoozed)
  }
  await page.getByText('Nothing waits for a reply').waitFor()
  expect(count.clicks).toBe(0)
  await page.context().close()
  return { keys: count.keys + plan.filter(({ action }) => action === 'insertSnippet').length, snoozed }
}

/** Waits until the conversation is open at its newest message and its heading has the focus. */
async function expectOpen(page: Page, { conversation, before }: Step): Promise<void> {
  const path = getConversationPath(conversation)
  await page.waitForURL(url => url.pathname === path)
  const received = before.findLast(({ type }) => type === 'received')!
  const [beginning] = received.text.split('\n')
  await page.getByRole('article').filter({ hasText: beginning! }).last().waitFor()
  await expect.poll(() => getFocusedTag(page)).toBe('H2')
}

const getFocusedTag = (page: Page) => page.evaluate(() => document.activeElement?.tagName)

type Perform = (page: Page, step: Step, snoozed: Snoozed) => Promise<void>

const perform: Record<Action, Perform> = {
  sendDraft: async (page, step) => {
    await page.keyboard.press('r')
    await send(page, step)
  },
  rewriteDraft: async (page, step) => {
    for (const key of ['r', 'Control+a']) await page.keyboard.press(key)
    await page.keyboard.type(step.answer!)
    await send(page, step)
  },
  insertSnippet: async (page, step) => {
    await page.keyboard.press('r')
    await page.keyboard.type(SNIPPET_KEY)
    await page.getByRole('dialog', { name: 'Insert snippet' }).waitFor()
    await expect.poll(() => getFocusedTag(page)).toBe('INPUT')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('textarea').inputValue()).toBe(step.answer)
    await send(page, step)
  },
  write: async (page, step) => {
    await page.keyboard.press('r')
    await page.keyboard.type(step.answer!)
    await send(page, step)
  },
  snooze: async (page, step, snoozed) => {
    await page.keyboard.press('h')
    const first = page.getByRole('dialog', { name: 'Snooze' }).getByRole('option').first()
    await expect.poll(() => getFocusedTag(page)).toBe('INPUT')
    snoozed.set(step, await first.locator('span').last().innerText())
    await page.keyboard.press('Enter')
  },
  markAsDone: page => page.keyboard.press('e'),
}

/** Sends an email and goes on. A LinkedIn message becomes a task, so that its conversation is done. */
async function send(page: Page, { conversation, answer }: Step): Promise<void> {
  if (conversation.channel === 'email') return page.keyboard.press('Control+Shift+Enter')
  await page.keyboard.press('Control+Enter')
  const [beginning] = answer!.split('\n')
  const sent = page.getByRole('article', { name: 'From you' }).filter({ hasText: beginning! })
  await sent.getByText('Queued as a task').waitFor()
  await page.keyboard.press('e')
}

/** Expects each answer to be sent once in its conversation, and each conversation to be answered, snoozed or done. */
export async function expectTriaged(owner: Caller, plan: Step[], snoozed: Snoozed): Promise<void> {
  const expected = plan.map(step => ({
    ...{ id: step.conversation.id, snoozedUntil: snoozed.get(step), status: getExpectedStatus(step) },
    answers: step.answer ? [{ text: step.answer, isTask: step.conversation.channel === 'linkedin' }] : [],
  }))
  await expect.poll(() => Promise.all(plan.map(step => readResult(owner, step)))).toEqual(expected)
}

function getExpectedStatus({ conversation, action, answer }: Step): Conversation['status'] {
  if (action === 'snooze') return 'snoozed'
  return answer && conversation.channel === 'email' ? 'open' : 'done'
}

async function readResult(owner: Caller, { conversation, before }: Step) {
  const { id } = conversation
  const { status, snoozedUntil } = await owner.call('getConversation', { conversationId: id })
  const messages = await readMessages(owner, conversation)
  const earlier = new Set(before.flatMap(message => (isDraft(message) ? [] : [message.id])))
  const answers = messages.filter(
    ({ id, type, status, taskId }) =>
      type !== 'received' && !earlier.has(id) && (status === 'sent' || taskId !== undefined),
  )
  return {
    ...{ id, status, snoozedUntil: snoozedUntil && formatSnoozeTime(new Date(snoozedUntil)) },
    answers: answers.map(({ text, taskId }) => ({ text, isTask: taskId !== undefined })),
  }
}
