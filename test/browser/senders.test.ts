import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultSettings } from '../../src/server/engine/imap-sync/sync-mailbox.ts'
import { openEngine } from '../../src/server/engine/loop.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { hasFocus } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

describe.skipIf(!hasChromium() || !hasDovecot())('the senders page', () => {
  let server: TestServer
  let owner: Caller
  let smtp: ScriptedSmtp
  let imap: Dovecot
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    owner = await makeCaller(server.app)
    smtp = await ScriptedSmtp.open()
    imap = await Dovecot.open()
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await imap?.[Symbol.asyncDispose]()
    await smtp?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('shows that receiving fails when a mailbox is connected with a wrong password', async () => {
    await page.goto('/settings/senders')
    await page.getByRole('link', { name: 'Connect mailbox' }).last().click()
    await page.getByLabel('Email address').fill('grace@navy.example')
    await page.getByLabel('Name of the sender').fill('Grace Hopper')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByLabel('Mail provider').inputValue()).toBe('other')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    for (const [title, port] of [
      ['Sending (SMTP)', smtp.port],
      ['Receiving (IMAP)', imap.port],
    ] as const) {
      const fields = page.getByRole('group', { name: title })
      expect(await fields.getByLabel('Server').inputValue()).toMatch(/\.navy\.example$/)
      await fields.getByLabel('Server').fill('127.0.0.1')
      await fields.getByLabel('Port').fill(String(port))
      await fields.getByLabel('Encryption').selectOption('None')
    }
    await page.getByRole('button', { name: 'Test and connect' }).click()
    await page.getByRole('heading', { name: 'grace@navy.example is saved but not connected' }).waitFor()
    await page.getByText('Receiving: fails').waitFor()
    await expectUsable(page, 'connect-mailbox-failed')
  })

  it('connects a mailbox once its settings are correct', async () => {
    await page.getByRole('button', { name: 'Correct the settings' }).click()
    await page.getByLabel('Password', { exact: true }).fill(dovecotPassword)
    await expectUsable(page, 'connect-mailbox')
    await page.getByRole('button', { name: 'Test and connect' }).click()
    await page.getByRole('heading', { name: 'grace@navy.example is connected' }).waitFor()
    const { data } = await owner.call('listMailboxes', {})
    expect(data).toMatchObject([{ email: 'grace@navy.example', status: 'active', dailyCap: 50 }])
  })

  it('sets the sender’s signature, the limits and the warm-up after connecting', async () => {
    await page.getByRole('textbox', { name: 'Signature' }).click()
    await page.keyboard.type('Grace, US Navy')
    await page.getByRole('button', { name: 'Save rep' }).click()
    await page.getByText('Grace Hopper saved.').waitFor()
    const cap = page.getByLabel('Emails a day')
    expect(await cap.inputValue()).toBe('50')
    await expectUsable(page, 'connect-mailbox-end', [360, 768, 1440, 1920])
    const isWarmingUp = async () => (await owner.call('listMailboxes', {})).data[0]!.rampUp !== undefined
    for (const [limit, action] of [
      ['40', 'uncheck'],
      ['50', 'check'],
    ] as const) {
      await cap.fill(limit)
      await page.getByLabel('Warm up')[action]()
      await page.getByRole('button', { name: 'Save limits' }).click()
      await expect.poll(isWarmingUp).toBe(action === 'check')
    }
    const [rep] = (await owner.call('listReps', {})).data
    expect(rep!.signature).toBe('Grace, US Navy')
    await owner.call('updateRep', { repId: rep!.id, signature: null })

    await page.getByRole('link', { name: 'Show senders' }).click()
    const card = page.getByRole('article', { name: 'grace@navy.example' })
    await card.getByText('Connected').waitFor()
    await card.getByText('0 of 10 sent in 24 hours').waitFor()
    await card.getByText('+5 a day, up to 50').waitFor()
  })

  it('opens a mailbox’s sign-in by keyboard, with its servers filled in', async () => {
    await page.keyboard.press('j')
    const mailboxes = page.getByRole('list', { name: 'Mailboxes of Grace Hopper' })
    expect(await hasFocus(mailboxes.getByRole('listitem').first())).toBe(true)
    await page.keyboard.press('Enter')
    const servers = page.getByLabel('Server', { exact: true })
    await servers.first().waitFor()
    expect(await servers.first().inputValue()).toBe('127.0.0.1')
    await page.getByLabel('Password', { exact: true }).fill(dovecotPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'grace@navy.example is connected' }).waitFor()
    expect((await owner.call('listMailboxes', {})).data).toHaveLength(1)
  })

  it('corrects the password of one server, and keeps the other server’s user name', async () => {
    const mailboxId = (await owner.call('listMailboxes', {})).data[0]!.id
    await owner.call('updateMailbox', { mailboxId, smtp: { user: 'relay', password: 'for the relay' } })
    await page.goto(`/settings/senders/connect?mailboxId=${mailboxId}`)
    await page.getByLabel('Receiving (IMAP): password').fill(dovecotPassword)
    await expectUsable(page, 'connect-mailbox-separate-logins')
    await page.getByRole('button', { name: 'Test and connect' }).click()
    await page.getByRole('heading', { name: 'grace@navy.example is connected' }).waitFor()
    const [mailbox] = (await owner.call('listMailboxes', {})).data
    expect(mailbox).toMatchObject({ smtp: { user: 'relay' }, imap: { user: 'grace@navy.example' } })
  })

  it('removes the login of one server when its user name is cleared', async () => {
    const mailboxId = (await owner.call('listMailboxes', {})).data[0]!.id
    await page.goto(`/settings/senders/connect?mailboxId=${mailboxId}`)
    await page.getByLabel('Sending (SMTP): user name').fill('')
    await page.getByRole('button', { name: 'Test and connect' }).click()
    await page.getByRole('heading', { name: 'grace@navy.example is connected' }).waitFor()
    const [mailbox] = (await owner.call('listMailboxes', {})).data
    expect(mailbox!.smtp!.user).toBeUndefined()
    expect(mailbox!.imap!.user).toBe('grace@navy.example')
  })

  it('connects the LinkedIn account of a rep, and shows its secret once', async () => {
    await page.goto('/settings/senders')
    await page.getByRole('button', { name: 'Connect LinkedIn for Grace Hopper' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Connect account' }).click()
    await dialog.getByText('This field is required').first().waitFor()
    await dialog.getByLabel('Provider').selectOption('Signed webhooks')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    expect(await dialog.getByLabel('Webhook URL').innerText()).toContain('/v1/inbound/linkedin/')
    expect(await dialog.getByLabel('Webhook secret').innerText()).toMatch(/^whsec_/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const linkedin = page.getByRole('article', { name: 'LinkedIn account of Grace Hopper' })
    await linkedin.getByText('Waiting for the first event').waitFor()
    await expectUsable(page, 'senders', [360, 768, 1440, 1920])
    await linkedin.getByRole('button', { name: /Disconnect/ }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect account' }).click()
    await page.getByText('LinkedIn steps become tasks').waitFor()
    expect((await owner.call('listLinkedinAccounts', {})).data).toEqual([])
  })

  it('formats a rep’s signature, and shows it in the preview of a step', async () => {
    await page.goto('/settings/senders')
    await page.getByRole('button', { name: 'Edit rep Grace Hopper' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Grace Hopper' })
    const editor = dialog.getByRole('textbox', { name: 'Signature' })
    await editor.click()
    await page.keyboard.press('Control+b')
    await page.keyboard.type('Grace')
    await page.keyboard.press('Control+b')
    await page.keyboard.press('Enter')
    await page.keyboard.type('US Navy & <friends> ')
    await dialog.getByRole('button', { name: 'Link', exact: true }).click()
    await dialog.getByLabel('Link address').fill('javascript:alert(1)')
    await page.keyboard.press('Enter')
    await dialog.getByText('Enter an address such as').waitFor()
    await dialog.getByLabel('Link address').fill('navy.example')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Image', exact: true }).click()
    await dialog.getByLabel('Image address').fill('https://navy.example/logo.png')
    await page.keyboard.press('Enter')
    await editor.getByText('Image: https://navy.example/logo.png').waitFor()
    await expectUsable(page, 'signature')
    await dialog.getByRole('button', { name: 'Save rep' }).click()
    await page.getByText('Grace Hopper saved.').waitFor()
    const rep = (await owner.call('listReps', {})).data.find(({ name }) => name === 'Grace Hopper')!
    expect(rep.signature).toBe(
      '<p><strong>Grace</strong><br />US Navy &amp; &lt;friends&gt; ' +
        '<a href="https://navy.example">https://navy.example</a><img src="https://navy.example/logo.png" alt="" /></p>',
    )

    const { id: campaignId } = await owner.call('createCampaign', {
      name: 'Spring',
      repIds: [rep.id],
      steps: [{ subject: 'Hello', body: 'Hi {{ firstName }}' }],
    })
    await page.goto(`/campaigns/${campaignId}/steps`)
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.locator('strong', { hasText: 'Grace' }).waitFor()
    await preview.getByText('US Navy & <friends>').waitFor()
    await preview.getByRole('link', { name: 'https://navy.example' }).waitFor()
  })

  it('stores a signature without formatting as plain text', async () => {
    await page.goto('/settings/senders')
    await page.getByRole('button', { name: 'Edit rep Grace Hopper' }).click()
    const editor = page.getByRole('textbox', { name: 'Signature' })
    await editor.locator('strong', { hasText: 'Grace' }).waitFor()
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.type('Grace Hopper')
    await page.keyboard.press('Enter')
    await page.keyboard.type('5 < 6')
    await page.getByRole('button', { name: 'Save rep' }).click()
    await page.getByText('Grace Hopper saved.').waitFor()
    const { data } = await owner.call('listReps', {})
    expect(data.map(({ signature }) => signature)).toContain('Grace Hopper\n5 < 6')
  })

  it('suggests the servers of a known provider, and says that the provider requires an app password', async () => {
    await page.goto('/settings/senders/connect')
    await page.getByLabel('Email address').fill('ada@gmail.com')
    await page.keyboard.press('Enter')
    await page.getByText('Google accepts only an app password.').waitFor()
    await page.getByText('Server settings').click()
    const servers = page.getByLabel('Server', { exact: true })
    expect(await servers.first().inputValue()).toBe('smtp.gmail.com')
    expect(await servers.last().inputValue()).toBe('imap.gmail.com')
  })

  it('adds an alias, which can be the sender once its test email has arrived', async () => {
    await page.goto('/settings/senders')
    await page.getByRole('button', { name: 'Aliases of grace@navy.example' }).click()
    const dialog = page.getByRole('dialog', { name: 'Aliases of grace@navy.example' })
    await dialog.getByLabel('Address').fill('sales@navy.example')
    smtp.forget()
    await dialog.getByRole('button', { name: 'Add alias' }).click()
    await dialog.getByText('Waiting for the test email').waitFor()
    await using _engine = openEngine(server.app, { sync: { ...defaultSettings, pollMs: 500 } })
    const test = smtp.transfers.at(-1)!.wire.subarray(0, -5)
    await imap.deliver('grace@navy.example', test)
    await dialog.getByText('Verified').waitFor()
    await dialog.getByLabel('Send from').selectOption('sales@navy.example')
    await expectUsable(page, 'mailbox-aliases')
    await dialog.getByRole('button', { name: 'Save sender' }).click()
    await page.getByText('Emails are sent from sales@navy.example.').waitFor()
    expect((await owner.call('listMailboxes', {})).data[0]!.fromEmail).toBe('sales@navy.example')
    await dialog.getByRole('button', { name: 'Remove sales@navy.example' }).click()
    await dialog.getByText('Verified').waitFor({ state: 'detached' })
  })

  it('changes and clears limits, and removes a mailbox after confirmation', async () => {
    const [mailbox] = (await owner.call('listMailboxes', {})).data
    await owner.call('updateMailbox', { mailboxId: mailbox!.id, senderName: 'Grace H', minGapSeconds: 90 })
    await page.goto('/settings/senders')
    await page.getByRole('button', { name: 'Limits of grace@navy.example' }).click()
    const dialog = page.getByRole('dialog', { name: 'Limits of grace@navy.example' })
    await dialog.getByLabel('Sender name').fill('')
    await dialog.getByLabel('Seconds between two emails').fill('')
    await dialog.getByLabel('Emails a day').fill('30')
    await dialog.getByLabel('Warm up').uncheck()
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('0 of 30 sent in 24 hours').waitFor()
    const { data } = await owner.call('listMailboxes', {})
    const { senderName, minGapSeconds, rampUp } = data[0]!
    expect([senderName, minGapSeconds, rampUp]).toEqual([undefined, undefined, undefined])
    await page.getByRole('button', { name: 'Remove grace@navy.example' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove grace@navy.example?' })
    await question.getByRole('button', { name: 'Remove mailbox' }).click()
    await page.getByText('No mailbox yet.').waitFor()
  })

  it('shows a viewer no button that their role cannot use', async () => {
    const viewer = await browser.newPage()
    await addSessionCookie(
      viewer,
      server.url,
      await server.createCookie(await makeCaller(server.app, 'viewer', owner.accountId)),
    )
    await viewer.goto('/settings/senders')
    await viewer.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
    expect(await viewer.getByRole('link', { name: /Connect mailbox/ }).count()).toBe(0)
    expect(await viewer.getByRole('button', { name: /Add rep|Edit rep|LinkedIn/ }).count()).toBe(0)
  })

  it('offers a member only their own reps', async () => {
    const caller = await makeCaller(server.app, 'member', owner.accountId)
    await caller.call('createRep', { name: 'Own rep' })
    const member = await browser.newPage()
    await addSessionCookie(member, server.url, await server.createCookie(caller))
    await member.goto('/settings/senders/connect')
    await member.getByLabel('Sender').waitFor()
    expect(await member.getByLabel('Sender').locator('option').allInnerTexts()).toEqual([
      'Own rep',
      'Someone new',
    ])
    await member.goto('/settings/senders')
    await member.getByRole('button', { name: 'Edit rep Own rep' }).waitFor()
    expect(await member.getByRole('button', { name: /Edit rep/ }).count()).toBe(1)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
