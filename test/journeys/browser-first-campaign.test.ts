import { join } from 'node:path'
import type { Page } from 'playwright-core'
import PostalMime, { type Email } from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import {
  button,
  createAccount,
  grace,
  launchCampaign,
  link,
  offline,
  openHome,
  tab,
  WAIT,
  writeCampaign,
} from '../support/browser/jobs/first-campaign.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { makeScratch } from '../support/db/postgres-processes.ts'
import { makeCertificate } from '../support/http/certificate.ts'
import { makeReply } from '../support/mail/answers.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { hasPostfix, type MailRelay, openPostfix } from '../support/mail/mail-relays.ts'
import { makeInstallation, type Served } from '../support/processes/installed.ts'

/** The tests run in order on an empty installation: each continues where the previous one ended. */
describe.skipIf(!hasChromium() || !hasPostfix() || !hasDovecot())(
  'a new installation with a real mailbox, in the browser alone',
  () => {
    let scratch: Awaited<ReturnType<typeof makeScratch>>
    let dovecot: Dovecot
    let postfix: MailRelay
    let served: Served
    let browser: TestBrowser
    let page: Page
    beforeAll(async () => {
      buildWeb()
      scratch = await makeScratch()
      const certificate = await makeCertificate(scratch.dir)
      dovecot = await Dovecot.open({ certificate })
      postfix = await openPostfix(dovecot, certificate)
      served = await makeInstallation(join(scratch.dir, 'data'), {
        ...{ ...offline, ALLOW_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: certificate.cert },
      }).serve()
      browser = await openBrowser(served.url)
      page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    })
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]()
      await served?.stop()
      await postfix?.[Symbol.asyncDispose]()
      await dovecot?.[Symbol.asyncDispose]()
      await scratch?.[Symbol.asyncDispose]()
    })

    async function readInbox(user: string): Promise<Email> {
      const raw = await dovecot.doveadm(['fetch', '-u', user, 'text', 'mailbox', 'INBOX'])
      return PostalMime.parse(raw.replace(/^text:\n/, ''))
    }

    it('creates the owner and the account from the printed link', () => createAccount(page, served))

    it('connects a mailbox, and reports that sending and receiving work', async () => {
      await link(page, 'Connect mailbox').click()
      await page.getByLabel('Email address').fill('ada@acme.example')
      await page.getByLabel('Name of the sender').fill('Ada Byron')
      await button(page, 'Continue').click()
      await page.getByLabel('Password', { exact: true }).fill(dovecotPassword)
      for (const [title, port, encryption] of [
        ['Sending (SMTP)', postfix.port, 'STARTTLS'],
        ['Receiving (IMAP)', dovecot.port, 'TLS'],
      ] as const) {
        const fields = page.getByRole('group', { name: title })
        await fields.getByLabel('Server').fill('localhost')
        await fields.getByLabel('Port').fill(String(port))
        await fields.getByLabel('Encryption').selectOption(encryption)
      }
      await button(page, 'Test and connect').click()
      await page.getByRole('heading', { name: 'ada@acme.example is connected' }).waitFor()
      await page.getByText('Receiving: works').waitFor()
      await openHome(page, 2)
    })

    it('writes a step and adds a person from a CSV file', () => writeCampaign(page))

    it('launches the campaign, and the person gets the email', async () => {
      await launchCampaign(page)
      await vi.waitFor(async () => {
        const { subject, text } = await readInbox(grace)
        expect(subject).toBe('Hello Grace')
        expect(text).toContain('Is Navy hiring?')
        expect(text).toContain('12 St James Square')
      }, WAIT)
    })

    it('shows the reply in the inbox as it arrives, and stops the sequence', async () => {
      await link(page, 'Inbox').click()
      await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor()
      const reply = makeReply({ to: grace, mail: await readInbox(grace) }, 'Tuesday suits me.')
      await dovecot.deliver('ada@acme.example', reply, grace)
      await page.getByRole('link', { name: /Grace/ }).first().click({ timeout: WAIT.timeout })
      await page.getByText('Tuesday suits me.').last().waitFor()
      await link(page, 'Campaigns').click()
      await page.getByRole('row').filter({ hasText: 'Spring' }).getByText('100%').waitFor()
      await link(page, 'Spring').click()
      await tab(page, 'People').click()
      await page.getByRole('row').filter({ hasText: 'Grace' }).getByText('Replied').waitFor()
    })

    it('makes no requests to other hosts, violates no policy and throws no errors', () => {
      expect(browser.errors).toEqual([])
    })
  },
)
