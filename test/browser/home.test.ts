import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiveMail } from '../../src/server/engine/receive/receive-mail.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { makeReply } from '../support/mail/answers.ts'
import { type DnsServer, openDnsServer } from '../support/mail/dns-server.ts'
import { type MailCampaign, makeMailCampaign, openWorker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails } from '../support/mail/sent-mail.ts'

const DAY_MS = 86_400_000

describe.skipIf(!hasChromium())('the home page', () => {
  let server: TestServer
  let dns: DnsServer
  let browser: TestBrowser
  beforeAll(async () => {
    buildWeb()
    dns = await openDnsServer()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', DNS_SERVERS: dns.address })
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await dns?.[Symbol.asyncDispose]()
  })

  /** Opens a page as the user, and collects the API paths that it requests. */
  async function openPage(user: Caller): Promise<{ page: Page; requests: string[] }> {
    const page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(user))
    const requests: string[] = []
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/v1/')) requests.push(pathname.slice(3))
    })
    return { page, requests }
  }
  const openHome = async (page: Page) => {
    await page.goto('/')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  }

  describe('for an account without a campaign', () => {
    let owner: Caller
    let page: Page
    beforeAll(async () => {
      owner = await makeCaller(server.app)
      page = (await openPage(owner)).page
    })
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title })

    it('lists the steps to the first campaign, each with a link to its page', async () => {
      await openHome(page)
      await page.getByText('0 of 6').waitFor()
      const targets = page
        .getByRole('region', { name: 'Launch your first campaign' })
        .getByRole('link')
        .evaluateAll(links => links.map(link => [link.textContent, link.getAttribute('href')]))
      expect(await targets).toEqual([
        ['Connect mailbox', '/settings/senders/connect'],
        ['Check domain', '/settings/domains'],
        ['Add address', '/settings/account'],
        ['Import people', '/people/import'],
        ['New campaign', '/campaigns'],
        ['Show campaigns', '/campaigns'],
      ])
      await expectUsable(page, 'home-setup')
    })

    it('marks each completed step as done, and shows the daily overview after the launch', async () => {
      const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
      const sandbox = { repId, kind: 'sandbox' as const, email: 'grace@navy.example' }
      await owner.call('createMailbox', sandbox)
      await openHome(page)
      await step('Connect a mailbox').getByText('(done)').waitFor()
      await page.getByText('1 of 6').waitFor()

      dns.zone['navy.example'] = { txt: ['v=spf1 ip4:192.0.2.0/24 -all'], mx: ['mx.navy.example'] }
      dns.zone['_dmarc.navy.example'] = { txt: ['v=DMARC1; p=quarantine; rua=mailto:x@navy.example'] }
      dns.zone['google._domainkey.navy.example'] = { txt: ['v=DKIM1; k=rsa; p=MIIB'] }
      const { id: domainId } = await owner.call('createDomain', { domain: 'navy.example' })
      await openHome(page)
      await page.getByText('1 of 6').waitFor()
      await owner.call('checkDomain', { domainId })
      await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
      await owner.call('createPerson', { email: 'ada@analytical.example' })
      await openHome(page)
      await page.getByText('4 of 6').waitFor()

      const { id: campaignId } = await owner.call('createCampaign', {
        ...{ name: 'Spring', repIds: [repId], steps: [{ subject: 'Hello', body: 'Hello' }] },
      })
      await openHome(page)
      await page.getByText('5 of 6').waitFor()
      await page.getByRole('link', { name: 'Review and launch' }).click()
      await page.waitForURL(`**/campaigns/${campaignId}/review`)
      await page.getByRole('heading', { name: 'Spring' }).waitFor()

      const data = [{ email: 'ada@analytical.example' }]
      await owner.call('addProspectsToCampaign', { campaignId, data })
      await owner.call('launchCampaign', { campaignId })
      await openHome(page)
      await page.getByRole('region', { name: 'Last 7 days' }).waitFor()
      expect(await page.getByText('Launch your first campaign').count()).toBe(0)
      for (const text of ['You have answered every reply.', 'No drafts are waiting for you.']) {
        await page.getByText(text).waitFor()
      }
    })

    it('says who can do the steps that the user’s role does not permit', async () => {
      const other = await makeCaller(server.app)
      const viewer = await makeCaller(server.app, 'viewer', other.accountId)
      const { page: viewerPage } = await openPage(viewer)
      await openHome(viewerPage)
      const list = viewerPage.getByRole('region', { name: 'Launch your first campaign' })
      await list
        .getByText('Admins and owners can do this. An admin can change your role.', { exact: true })
        .waitFor()
      expect(await list.getByRole('link').count()).toBe(0)
    })
  })

  describe('for an account with a running campaign', () => {
    let campaign: MailCampaign
    let smtp: ScriptedSmtp
    beforeAll(async () => {
      const { app } = server
      const today = new Date()
      smtp = await ScriptedSmtp.open()
      await using worker = openWorker(app)
      app.setNow(new Date(today.getTime() - 9 * DAY_MS))
      campaign = await makeMailCampaign(app, [smtp], 3)
      await worker.work()
      app.setNow(today)
      const { owner, mailboxIds } = campaign
      const repId = (await owner.call('listReps', {})).data[0]!.id
      const { id: campaignId } = await owner.call('createCampaign', {
        ...{ name: 'Autumn', repIds: [repId], steps: [{ subject: 'Hello again', body: 'Hello' }] },
      })
      const data = [1, 2, 3, 4].map(n => ({ firstName: `Grace${n}`, email: `grace${n}@navy.example` }))
      await owner.call('addProspectsToCampaign', { campaignId, data })
      await owner.call('launchCampaign', { campaignId })
      await worker.work()
      const emails = await readMails(smtp)
      const answers = ['Tuesday suits me.', 'What does it cost?']
      for (const [index, answer] of answers.entries()) {
        const email = emails.find(({ to }) => to === `grace${index + 1}@navy.example`)!
        await receiveMail(app, {
          ...{ accountId: owner.accountId, mailboxId: mailboxIds[0]! },
          ...{ raw: makeReply(email, answer), receivedAt: today, folder: 'inbox' as const },
        })
      }
      const { data: received } = await owner.call('listConversations', { view: 'needs_reply' })
      await owner.call('createEmailDraft', {
        prospectId: received[0]!.prospectId,
        emailMessageIdToReplyTo: received[0]!.lastMessage.id,
        body: 'It is free.',
      })
      const { personId } = received[1]!
      const task = { channel: 'call' as const, repId, personId }
      const daysFromNow = (days: number) => new Date(today.getTime() + days * DAY_MS).toISOString()
      await owner.call('createTask', { ...task, title: 'Call Grace', dueAt: daysFromNow(0) })
      await owner.call('createTask', { ...task, title: 'Call again', dueAt: daysFromNow(-2) })
      await owner.call('createTask', { ...task, title: 'Call later', dueAt: daysFromNow(2) })
      await owner.call('updateAccount', { assistantsMayRequestCalls: true })
      const { id: assistantId } = await owner.call('createAssistant', {
        ...{ name: 'Front desk', fromNumber: '+442079460018' },
      })
      await owner.call('requestCall', {
        ...{ assistantId, name: 'Alan Turing', phoneNumber: '+442079460019', reason: 'He asked for it.' },
      })
      await app.owner`
        update mailboxes set status = 'failing', status_reason = '535 Wrong password.' where id = ${mailboxIds[0]!}`
    })
    afterAll(() => smtp?.[Symbol.asyncDispose]())

    const getFigure = (page: Page, label: string) =>
      page
        .getByRole('region', { name: 'Last 7 days' })
        .locator('div')
        .filter({ has: page.getByText(label, { exact: true }) })
        .last()
        .locator('dd')
        .innerText()

    it('shows pending work and the results of the week, as the operations return them', async () => {
      const { owner } = campaign
      const { page } = await openPage(owner)
      await openHome(page)
      const card = (name: string) => page.getByRole('region', { name, exact: true })

      const { data: replies } = await owner.call('listConversations', { view: 'needs_reply' })
      expect(replies).toHaveLength(2)
      await card('Replies to answer').getByText('2', { exact: true }).first().waitFor()
      expect(await card('Replies to answer').getByRole('list').last().getByRole('link').count()).toBe(2)
      const { data: drafts } = await owner.call('listConversations', { view: 'drafts' })
      expect(drafts).toHaveLength(1)
      await card('Drafts to approve').getByText('1', { exact: true }).waitFor()
      await card('Tasks due today').getByText('2', { exact: true }).waitFor()
      await card('Tasks due today').getByText('1 overdue').waitFor()
      await card('Calls to approve').getByText('Alan Turing').waitFor()

      const { data: problems } = await owner.call('listProblems', {})
      expect(problems.map(({ kind }) => kind)).toContain('mailbox_failing')
      for (const { message, nextStep } of problems.slice(0, 3)) {
        await card('Problems').getByText(message).waitFor()
        await card('Problems').getByText(nextStep).waitFor()
      }
      const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
      const report = async (from: number, to: number) =>
        (await owner.call('getReport', { from: daysAgo(from), to: daysAgo(to) })).total
      const last = await report(6, 0)
      const before = await report(13, 7)
      expect([last.sent, before.sent, last.rates.replied]).toEqual([4, 3, 0.5])
      expect(await getFigure(page, 'Emails sent')).toMatch(/^4\s+\+1 from 3$/)
      expect(await getFigure(page, 'Reply rate')).toMatch(/^50%\s+\+50 points from 0%$/)
      expect(await getFigure(page, 'Positive replies')).toMatch(new RegExp(`^${last.positive}\\s`))
      expect(await getFigure(page, 'Meetings')).toMatch(/^0\s+No change$/)
      await expectUsable(page, 'home-day')
    })

    it('links each card to its page, by mouse and by keyboard', async () => {
      const { page } = await openPage(campaign.owner)
      await openHome(page)
      await page
        .getByRole('list', { name: 'Replies by intent' })
        .getByRole('link', { name: 'Interested' })
        .click()
      await page.waitForURL('**/inbox?intent=interested')
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill('home')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      await page
        .getByRole('link', { name: /^Show senders/ })
        .first()
        .press('Enter')
      await page.getByRole('heading', { name: 'Senders' }).waitFor()
      await page.getByRole('link', { name: /^Home/ }).press('Enter')
      const replies = page.getByRole('list', { name: 'Newest replies to answer' })
      await replies.getByRole('link').first().focus()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Hello again' }).waitFor()
    })

    it('shows a problem with its next step on the pages that it affects, and adds it to the count next to Home', async () => {
      const { owner, mailboxIds } = campaign
      const setStatus = (status: string, reason: string | null) => server.app.owner`
        update mailboxes set status = ${status}, status_reason = ${reason} where id = ${mailboxIds[0]!}`
      const [rep] = (await owner.call('listReps', {})).data
      const { id: campaignId } = await owner.call('createCampaign', {
        ...{ name: 'Winter', repIds: [rep!.id], steps: [{ subject: 'Hello', body: 'Hello' }] },
      })
      const added = await owner.call('addProspectsToCampaign', {
        ...{ campaignId, data: [{ email: 'ada@analytical.example' }] },
      })
      const { personId } = added.data[0] as { personId: string }
      await setStatus('active', null)
      await owner.call('launchCampaign', { campaignId })
      await setStatus('failing', '535 Wrong password.')
      const { data: problems } = await owner.call('listProblems', {})
      const problem = problems.find(({ kind }) => kind === 'mailbox_failing')!
      const { page } = await openPage(owner)
      await page.goto('/campaigns')
      const row = page.getByRole('row').filter({ hasText: 'Winter' })
      await row.getByText(problem.message).waitFor()
      await row.getByRole('link', { name: `Show senders: ${problem.about.name}` }).waitFor()
      await page.getByRole('link', { name: `Home ${problems.length}` }).waitFor()
      await expectUsable(page, 'campaigns-problem', [360, 768, 1440, 1920])
      await row.getByRole('link', { name: 'Winter', exact: true }).click()
      const list = page.getByRole('list', { name: 'Problems' })
      await list.getByText(problem.message).waitFor()
      await expectUsable(page, 'campaign-problem', [360, 768, 1440, 1920])
      await list.getByRole('link', { name: /^Show senders/ }).press('Enter')
      const card = page.getByRole('article', { name: problem.about.name })
      await card.getByText(problem.nextStep).waitFor()
      await expectUsable(page, 'senders-problem', [360, 768, 1440, 1920])
      await page.goto(`/people/${personId}`)
      await page
        .getByRole('list', { name: 'Campaigns' })
        .getByRole('link', { name: 'Show senders' })
        .waitFor()
      await setStatus('active', null)
      await page.goto('/campaigns')
      await row.getByRole('link', { name: 'Winter', exact: true }).waitFor()
      await expect.poll(() => page.getByText(problem.message).count()).toBe(0)
    })

    it('requests and shows only data that the role may act on', async () => {
      const viewer = await makeCaller(server.app, 'viewer', campaign.owner.accountId)
      const { page, requests } = await openPage(viewer)
      await openHome(page)
      await page.getByRole('region', { name: 'Last 7 days' }).waitFor()
      const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
      expect(headings).toEqual(['Replies to answer', 'Problems', 'Last 7 days'])
      expect(requests).not.toContain('/tasks')
      expect(requests).not.toContain('/call-requests')
      expect(requests.filter(path => path === '/inbox/conversations')).toHaveLength(1)
    })
  })

  it('is linked from the page for unknown URLs, and pages for unknown IDs link to the list', async () => {
    const { page } = await openPage(await makeCaller(server.app))
    await page.goto('/nowhere/at-all')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await expectUsable(page, 'not-found')
    await page.getByRole('link', { name: 'Go to Home' }).press('Enter')
    await page.getByRole('heading', { name: 'Home' }).waitFor()

    for (const id of ['0198fd2e-0000-7000-8000-000000000000', 'no-id']) {
      await page.goto(`/people/${id}`)
      await page.getByRole('alert').getByRole('link', { name: 'Show people' }).first().click()
      await page.waitForURL('**/people')
      await page.goto(`/campaigns/${id}`)
      await page.getByRole('alert').getByRole('link', { name: 'Show campaigns' }).first().click()
      await page.waitForURL('**/campaigns')
    }
  })

  it("is linked from pages that the user's role cannot open, which name the permitted roles", async () => {
    const owner = await makeCaller(server.app)
    const { page } = await openPage(await makeCaller(server.app, 'member', owner.accountId))
    await page.goto('/settings/audit-log')
    await page.getByText('Your role can’t open this page').waitFor()
    await page.getByText('Admins and owners can open it. An admin can change your role.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectUsable(page, 'no-permission')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
