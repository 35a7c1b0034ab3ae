import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { ada, listTasks, makeTaskCampaign, type TaskCampaign } from '../support/campaigns/task-campaign.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const hostile = 'Yes <img src=x onerror=alert(1)>'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the LinkedIn inbox', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let campaign: TaskCampaign
  let prospectId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    campaign = await makeTaskCampaign(
      server.app,
      [{ channel: 'linkedin_view' }],
      [ada, { ...ada, firstName: 'Ben', linkedinUrl: 'linkedin.com/in/ben' }],
    )
    prospectId = campaign.prospectIds[0]!
    await receive(hostile)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(campaign.owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const receive = (text: string, id = prospectId) =>
    campaign.owner.call('recordLinkedinMessage', {
      ...{ prospectId: id, repId: campaign.repId, type: 'received', text },
    })
  const entries = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link')
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  it('lists each conversation by its newest message and marks it as read when opened', async () => {
    await server.app.owner`update linkedin_messages set is_unread = true`
    await receive('From Ben', campaign.prospectIds[1])
    await receive('And again', campaign.prospectIds[1])
    await page.goto('/inbox')
    await entries().first().waitFor()
    expect((await entries().allInnerTexts()).map(text => text.split(' · ')[0])).toEqual(['Ben', 'Ada'])
    await entries().last().press('Enter')
    await page.getByRole('article', { name: 'From Ada' }).getByText(hostile).waitFor()
    const listUnread = async () => (await campaign.owner.call('listConversations', { unread: true })).data
    await expect.poll(listUnread).toEqual([])
  })

  it('saves a reply automatically and sends it as a task when the rep has no connected account', async () => {
    await button('Reply').click()
    await page.getByLabel('Message to Ada on LinkedIn').fill('Thursday suits me.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await button('Send message').click()
    await page.getByText('Message to Ada queued: see Tasks.').waitFor()
    await page.getByRole('link', { name: 'Queued as a task' }).click()
    const task = page.getByRole('article', { name: 'Message on LinkedIn: Ada' })
    await task.getByText('draft from the inbox').waitFor()
    await page.getByRole('button', { name: 'Mark as sent: Ada' }).click()
    await task.waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('article', { name: 'From you' }).getByText('Thursday suits me.').waitFor()
    await page.getByText('Queued as a task').waitFor({ state: 'detached' })
    expect(await listTasks(campaign, { prospectId, status: 'completed' })).toMatchObject([
      { text: 'Thursday suits me.' },
    ])
  })

  it('creates a draft once even when the response to its first save is lost', async () => {
    await button('Reply').click()
    const isDraft = (url: URL) => url.pathname.endsWith('/inbox/linkedin/messages/draft')
    await page.route(isDraft, async route => route.fulfill({ response: await route.fetch(), body: '' }), {
      times: 1,
    })
    await page.getByLabel('Message to Ada on LinkedIn').fill('Friday')
    await page.getByText('and no details').waitFor()
    await page.getByLabel('Message to Ada on LinkedIn').fill('Friday suits me')
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await campaign.owner.call('listLinkedinMessages', { status: 'draft' })
    expect(data.map(({ text }) => text)).toEqual(['Friday suits me'])
    await button('Delete draft').click()
    await button('Reply').waitFor()
  })

  it('keeps a draft that can’t be sent and shows why', async () => {
    await campaign.owner.call('addOptOuts', { identifiers: [{ identifier: ada.linkedinUrl }] })
    await button('Reply').click()
    await page.getByLabel('Message to Ada on LinkedIn').fill('Friday suits me, too.')
    await button('Send message').click()
    await page.getByRole('alert').getByText('is on the Do Not Contact list').waitFor()
    const { data } = await campaign.owner.call('listLinkedinMessages', { status: 'draft' })
    expect(data).toMatchObject([{ text: 'Friday suits me, too.', personName: 'Ada' }])
    await button('Delete draft').click()
    await button('Reply').waitFor()
  })

  it('records a message that the rep wrote on LinkedIn', async () => {
    await button('Record message').click()
    await page.getByLabel('Sender').selectOption('You, on LinkedIn')
    await page.getByRole('dialog').getByLabel('Message').fill('See you there.')
    await page.getByRole('dialog').getByRole('button', { name: 'Record message' }).click()
    await page.getByRole('article', { name: 'From you' }).getByText('See you there.').waitFor()
    const [last] = (await campaign.owner.call('listLinkedinMessages', { prospectId })).data
    expect(last).toMatchObject({ text: 'See you there.', type: 'manual', repId: campaign.repId })
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
