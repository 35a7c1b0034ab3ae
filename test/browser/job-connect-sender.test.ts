import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getSetUpCode } from '../../src/server/domain/auth/sign-in.ts'
import { hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { type ActionCount, countActions } from '../support/browser/count-actions.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { type DnsServer, openDnsServer } from '../support/mail/dns-server.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

const ada = { name: 'Ada Byron', email: 'ada@acme.example', password: 'a few words nobody guesses' }

describe.skipIf(!hasChromium() || !hasDovecot())('from sign-up to a connected sender', () => {
  let dns: DnsServer
  let smtp: ScriptedSmtp
  let imap: Dovecot
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let count: ActionCount
  beforeAll(async () => {
    buildWeb()
    dns = await openDnsServer({
      'acme.example': { txt: ['v=spf1 ip4:192.0.2.1 -all'], mx: ['mx.acme.example'] },
      '_dmarc.acme.example': { txt: ['v=DMARC1; p=reject'] },
      'google._domainkey.acme.example': { txt: ['v=DKIM1; k=rsa; p=MIIB'] },
    })
    smtp = await ScriptedSmtp.open()
    imap = await Dovecot.open()
  })
  afterAll(async () => {
    await imap?.[Symbol.asyncDispose]()
    await smtp?.[Symbol.asyncDispose]()
    await dns?.[Symbol.asyncDispose]()
  })
  /** Each test begins with a new installation. */
  beforeEach(async () => {
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', DNS_SERVERS: dns.address })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    count = await countActions(page)
    await page.goto(`/setup?code=${getSetUpCode(server.app)}`)
    return async () => {
      await browser[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    }
  })

  const expectConnected = async () => {
    await page.getByRole('heading', { name: `${ada.email} is connected` }).waitFor()
    await page.getByRole('heading', { name: 'acme.example', exact: true }).waitFor()
    await expect.poll(() => page.getByText('OK', { exact: true }).count()).toBe(4)
    await page.getByText('v=spf1 ip4:192.0.2.1 -all').waitFor()
    expect(browser.faults).toEqual([])
  }

  it('takes at most 8 clicks', async () => {
    await page.getByLabel('Your name').fill(ada.name)
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByLabel('Company').fill('Acme')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('link', { name: 'Connect mailbox' }).click()
    // The form suggests the person who signed up as the first sender.
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(ada.email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Password', { exact: true }).fill(dovecotPassword)
    for (const [title, port] of [
      ['Sending (SMTP)', smtp.port],
      ['Receiving (IMAP)', imap.port],
    ] as const) {
      const fields = page.getByRole('group', { name: title })
      await fields.getByLabel('Server').fill('127.0.0.1')
      await fields.getByLabel('Port').fill(String(port))
      // Two clicks each, which only servers without encryption need.
      await fields.getByLabel('Encryption').selectOption('None')
    }
    await page.getByRole('button', { name: 'Test and connect' }).click()
    await expectConnected()
    expect(count.clicks).toBeLessThanOrEqual(8)
  })

  it('works by keyboard alone', async () => {
    const { keyboard } = page
    /** Types into the focused field and the ones after it; null leaves a field as it is. */
    const typeInto = async (...texts: (string | null)[]) => {
      for (const [index, text] of texts.entries()) {
        if (index > 0) await keyboard.press('Tab')
        if (text !== null) await keyboard.type(text)
      }
    }
    await page.locator('input:focus').waitFor()
    const showPassword = null
    await typeInto(ada.name, ada.email, ada.password, showPassword, 'Acme')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Launch your first campaign' }).waitFor()
    await keyboard.press('j')
    await keyboard.press('Enter')
    await page.locator('input[type=email]:focus').waitFor()
    await keyboard.press('Enter')
    await page.locator('input[type=password]:focus').waitFor()
    const [summary, user] = [null, null]
    const servers = [smtp.port, imap.port].flatMap(port => ['127.0.0.1', String(port), 'N'])
    await typeInto(dovecotPassword, showPassword, summary, user, ...servers, null)
    await keyboard.press('Enter')
    await expectConnected()
    expect(count).toMatchObject({ clicks: 0 })
    expect(count.keys).toBeLessThanOrEqual(25)
  })
})
