import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { getSetupCode } from '../../../../src/server/domain/auth/sign-in.ts'
import { openTestServer } from '../../http/server.ts'
import { openDnsServer } from '../../mail/dns-server.ts'
import { Dovecot, dovecotPassword } from '../../mail/dovecot.ts'
import { ScriptedSmtp } from '../../mail/scripted-smtp.ts'
import type { TestBrowser } from '../chromium.ts'
import { type ActionCount, countActions } from '../count-actions.ts'
import { typeOver } from '../keyboard.ts'

const ada = { name: 'Ada Byron', email: 'ada@acme.example', password: 'a few words nobody guesses' }

type NewInstallation = AsyncDisposable & {
  page: Page
  count: ActionCount
  smtpPort: number
  imapPort: number
}

/** Opens the setup page of a new installation, and the servers of a mailbox whose domain has its DNS records. */
async function openSetup(browser: TestBrowser): Promise<NewInstallation> {
  await using opened = new AsyncDisposableStack()
  const dns = opened.use(
    await openDnsServer({
      'acme.example': { txt: ['v=spf1 ip4:192.0.2.1 -all'], mx: ['mx.acme.example'] },
      '_dmarc.acme.example': { txt: ['v=DMARC1; p=reject'] },
      'google._domainkey.acme.example': { txt: ['v=DKIM1; k=rsa; p=MIIB'] },
    }),
  )
  const smtp = opened.use(await ScriptedSmtp.open())
  const imap = opened.use(await Dovecot.open())
  const server = opened.use(
    await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', DNS_SERVERS: dns.address }),
  )
  const page = await browser.newPage({ baseURL: server.url })
  opened.defer(() => page.context().close())
  const count = await countActions(page)
  await page.goto(`/setup?code=${getSetupCode(server.app)}`)
  const all = opened.move()
  return {
    ...{ page, count, smtpPort: smtp.port, imapPort: imap.port },
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

async function expectConnected(page: Page): Promise<void> {
  await page.getByRole('heading', { name: `${ada.email} is connected` }).waitFor()
  await page.getByRole('heading', { name: 'acme.example', exact: true }).waitFor()
  await expect.poll(() => page.getByText('OK', { exact: true }).count()).toBe(4)
  await page.getByText('v=spf1 ip4:192.0.2.1 -all').waitFor()
}

export async function connectSenderByMouse(browser: TestBrowser): Promise<void> {
  await using installation = await openSetup(browser)
  const { page, count, smtpPort, imapPort } = installation
  await typeOver(page.getByLabel('Your name'), ada.name)
  await typeOver(page.getByLabel('Email'), ada.email)
  await typeOver(page.getByLabel('Password', { exact: true }), ada.password)
  await typeOver(page.getByLabel('Company'), 'Acme')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('link', { name: 'Connect mailbox' }).click()
  // The form suggests the person who signed up as the first sender.
  await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(ada.email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await typeOver(page.getByLabel('Password', { exact: true }), dovecotPassword)
  for (const [title, port] of [
    ['Sending (SMTP)', smtpPort],
    ['Receiving (IMAP)', imapPort],
  ] as const) {
    const fields = page.getByRole('group', { name: title })
    await typeOver(fields.getByLabel('Server'), '127.0.0.1')
    await typeOver(fields.getByLabel('Port'), String(port))
    // This costs two clicks per server, but only for servers without encryption, like those of this test.
    await fields.getByLabel('Encryption').selectOption('None')
  }
  await page.getByRole('button', { name: 'Test and connect' }).click()
  await expectConnected(page)
  expect(count.clicks).toBeLessThanOrEqual(8)
}

export async function connectSenderByKeyboard(browser: TestBrowser): Promise<void> {
  await using installation = await openSetup(browser)
  const { page, count, smtpPort, imapPort } = installation
  const { keyboard } = page
  /** Types into the focused field and the fields after it; null leaves a field unchanged. */
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
  const servers = [smtpPort, imapPort].flatMap(port => ['127.0.0.1', String(port), 'N'])
  await typeInto(dovecotPassword, showPassword, summary, user, ...servers, null)
  await keyboard.press('Enter')
  await expectConnected(page)
  expect(count.clicks).toBe(0)
  expect(count.keys).toBeLessThanOrEqual(25)
}
