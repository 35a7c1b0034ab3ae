import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { aDesk, anEmail, aThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

/** First words of buttons and links that change data of the account. */
const changes =
  /^(Add|Approve|Archive|Assign|Call|Cancel|Check|Compose|Connect|Create|Decline|Delete|Draft|Duplicate|Edit|Import|Invite|Launch|Limits|Log|Mark|Merge|Move|New|Pause|Record|Remove|Reply|Resume|Save|Send|Skip|Snooze|Stop|Test|Verify|Withdraw|Write)\b/

describe.skipIf(!hasChromium())('a viewer', () => {
  let server: TestServer
  let browser: TestBrowser
  let viewer: Caller
  const ids = { campaignId: '', personId: '', companyId: '', emailThreadId: '', assistantId: '' }
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    const owner = await aCaller(server.app)
    viewer = await aCaller(server.app, 'viewer', owner.accountId)
    const desk = await aDesk(owner)
    ids.emailThreadId = await aThread(server.app, owner, desk)
    await anEmail(server.app, owner, { ...desk, threadId: ids.emailThreadId, type: 'received' })
    const steps = [{ subject: 'Hello', body: 'Hi {{ firstName }}' }]
    ids.campaignId = (await owner.call('createCampaign', { name: 'Spring', steps })).id
    const data = [
      { firstName: 'Grace', email: 'grace@navy.example', company: 'Navy', phone: '+442079460019' },
    ]
    await owner.call('addProspectsToCampaign', { campaignId: ids.campaignId, data })
    const { data: people } = await owner.call('listPersons', { email: 'grace@navy.example' })
    ids.personId = people[0]!.id
    ids.companyId = people[0]!.companyId!
    await owner.call('createNote', { personId: ids.personId, text: 'Met at the fair.' })
    await owner.call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    const assistant = { name: 'Front desk', fromNumber: '+442079460018' }
    ids.assistantId = (await owner.call('createAssistant', assistant)).id
    await owner.call('recordConsent', { phoneNumber: '+442079460019', kind: 'written', proof: 'A form.' })
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('sees no page that is refused and no button that can only fail', async () => {
    const page = await browser.newPage()
    await giveCookie(page, server.url, await server.createCookie(viewer))
    const refused: string[] = []
    page.on('response', response => {
      if (response.status() === 403) refused.push(`${new URL(response.url()).pathname} on ${page.url()}`)
    })
    const paths = [
      ...['/', '/inbox', `/inbox/${ids.emailThreadId}`, '/inbox/linkedin', '/campaigns'],
      ...[`/campaigns/${ids.campaignId}`, `/campaigns/${ids.campaignId}/prospects`, '/people'],
      ...[`/people/${ids.personId}`, `/companies/${ids.companyId}`, '/tasks', '/calls', '/calls/requests'],
      ...['/calls/assistants', `/calls/assistants/${ids.assistantId}`, '/calls/consents', '/dnc'],
      ...['account', 'members', 'senders', 'domains'].map(name => `/settings/${name}`),
    ]
    const useless: string[] = []
    for (const path of paths) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await expect
        .poll(() => page.getByRole('status', { name: 'Loading' }).count(), { timeout: 30_000 })
        .toBe(0)
      const names = await page
        .locator('main')
        .evaluate(main =>
          [...main.querySelectorAll<HTMLElement>('button, a')]
            .filter(element => element.checkVisibility() && !element.closest('nav'))
            .map(element => (element.getAttribute('aria-label') ?? element.innerText).trim()),
        )
      const found = names.filter(name => changes.test(name))
      useless.push(...found.map(name => `${name} on ${path}`))
    }
    expect(refused).toEqual([])
    expect(useless).toEqual([])
  }, 120_000)

  it('requests no other host, violates no policy and throws nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
