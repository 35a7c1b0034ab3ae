import { randomUUIDv7 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { writeExports } from '../support/contract/world.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('the Do Not Contact list', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    owner = await makeCaller(server.app)
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('counts pasted lines by kind before they are added', async () => {
    await page.goto('/people/do-not-contact')
    await page.getByRole('button', { name: 'Add to list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to list' })
    await dialog
      .getByLabel('Contacts to block')
      .fill('ada@analytical.example\ngmail.com\n+44 20 7946 0019\nADA@analytical.example')
    await dialog.getByText('1 domain, 1 email address, 1 phone number, 1 repeated').waitFor()
  })

  it('asks before blocking the domain of a public email provider', async () => {
    const dialog = page.getByRole('dialog', { name: 'Add to list' })
    const lines = 'ada@analytical.example\ngmail.com'
    await dialog.getByLabel('Contacts to block').fill(lines)
    await dialog.getByRole('button', { name: 'Add to list' }).click()
    const question = page.getByRole('alertdialog', { name: 'Block public email domains?' })
    await question.getByText('Anyone can have an address at gmail.com').waitFor()
    const covered = page.getByRole('dialog', { name: 'Add to list', includeHidden: true })
    const opacity = () => covered.evaluate(element => getComputedStyle(element).opacity)
    await expect.poll(opacity, { message: 'the dialog below is visible' }).toBe('0')
    await expectUsable(page, 'public-domain', [360, 1440])
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await dialog.getByLabel('Contacts to block').inputValue()).toBe(lines)
    await dialog.getByRole('button', { name: 'Add to list' }).click()
    await question.getByRole('button', { name: 'Block domains' }).click()
    await page.getByText('2 added.').waitFor()
    await page.getByRole('cell', { name: 'gmail.com', exact: true }).waitFor()
  })

  it('quotes unreadable lines with their line numbers', async () => {
    await page.getByRole('button', { name: 'Add to list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to list' })
    const wrong = Array.from({ length: 7 }, (_, n) => `not an address ${n}`)
    await dialog.getByLabel('Contacts to block').fill(['ada@navy.example', '', ...wrong].join('\n'))
    await dialog.getByRole('button', { name: 'Add to list' }).click()
    const reason = 'must be a valid email address, LinkedIn profile, phone number or domain.'
    await dialog.getByText(`Line 3, “not an address 0”: ${reason}`).waitFor()
    await dialog.getByText('And 2 more.').waitFor()
    expect(await dialog.innerText()).not.toContain('identifiers.')
    await expectUsable(page, 'opt-outs-unreadable', [360, 1440])
    await dialog
      .getByLabel('Contacts to block')
      .fill(Array.from({ length: 501 }, (_, n) => `ada${n}@navy.example`).join('\n'))
    await dialog.getByRole('button', { name: 'Add to list' }).click()
    await dialog.getByText('Add at most 500 lines at a time.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  it('imports a CSV file after showing its first lines, and lists the skipped rows', async () => {
    await page.getByRole('button', { name: 'Import CSV' }).click()
    const dialog = page.getByRole('dialog')
    const csv = 'Email,Phone,Name\ngrace@navy.example,,Grace Hopper\n,+44 20 7946 0018,\nnobody,,\n'
    await dialog
      .getByLabel('CSV file')
      .setInputFiles({ name: 'blocked.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await dialog.getByText('4 lines, starting with:').waitFor()
    await expectUsable(page, 'opt-outs-import', [360, 1440])
    await dialog.getByRole('button', { name: 'Import entries' }).click()
    await dialog.getByText('Email: must be a valid email address').waitFor()
    await dialog.getByText('Line 4:').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('grace@navy.example', { exact: true }).waitFor()
  })

  it('finds entries by name, by source and by who added them, and keeps the search in the URL', async () => {
    await page.goto('/dnc')
    await page.getByRole('cell', { name: 'gmail.com', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/people/do-not-contact')
    await page.getByLabel('Search Do Not Contact').fill('hopper')
    await page.getByRole('cell', { name: 'gmail.com', exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('Filter').selectOption('CSV import')
    await expect.poll(() => new URL(page.url()).search).toBe('?query=hopper&source=import')
    await page.getByText('grace@navy.example', { exact: true }).waitFor()
    await page.getByLabel('Filter').selectOption('Domain')
    await page.getByText('Nothing matches').waitFor()
    await page.getByLabel('Search Do Not Contact').fill('')
    await page.getByRole('cell', { name: 'gmail.com', exact: true }).waitFor()
    await page.getByLabel('Filter').selectOption((await owner.call('getMe', {})).user.name)
    await expect.poll(() => new URL(page.url()).search).toBe(`?addedBy=${owner.userId}`)
    await page.getByRole('cell', { name: 'gmail.com', exact: true }).waitFor()
    await page.getByLabel('Filter').selectOption('All entries')
    await page.getByText('grace@navy.example', { exact: true }).waitFor()
    await expectUsable(page, 'do-not-contact')
  })

  it('exports the whole list as a CSV file', async () => {
    const download = page.waitForEvent('download')
    const started = page.waitForResponse(response => response.url().endsWith('/v1/exports'))
    await page.getByRole('button', { name: 'Export CSV' }).click()
    await started
    await writeExports(server.app)
    const file = await readFile(await (await download).path(), 'utf8')
    for (const entry of ['gmail.com', 'grace@navy.example', '+442079460018']) expect(file).toContain(entry)
  })

  it('warns, before removing an entry, that its people may be contacted again', async () => {
    await page.getByRole('button', { name: 'Remove gmail.com' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove gmail.com from the list?' })
    await question.getByText('Everyone at gmail.com may be contacted again immediately').waitFor()
    await question.getByRole('button', { name: 'Remove from list' }).click()
    await page.getByText('gmail.com may be contacted again.').waitFor()
    const { data } = await owner.call('listOptOuts', { identifierType: 'domain' })
    expect(data).toEqual([])
  })

  it('offers read-only roles no buttons that change the list', async () => {
    const reader = await makeCaller(server.app, 'viewer', owner.accountId)
    const other = await browser.newPage()
    await addSessionCookie(other, server.url, await server.createCookie(reader))
    await other.goto('/people/do-not-contact')
    await other.getByText('grace@navy.example', { exact: true }).waitFor()
    expect(await other.getByRole('button', { name: /^(Add|Import|Remove)/ }).count()).toBe(0)
  })

  it('explains how to email a person whose address bounced, and does not say that they opted out', async () => {
    const email = 'mary@somervile.example'
    const { id } = await owner.call('createPerson', { firstName: 'Mary', email })
    await server.app.owner`
      insert into opt_outs (account_id, id, kind, value, source)
      values (${owner.accountId}, ${randomUUIDv7()}, 'email', ${email}, 'bounce')`
    await page.goto(`/people/${id}`)
    await page.getByText(`Emails to ${email} bounced. Correct the address`, { exact: false }).waitFor()
    await page.getByTitle(`Emails to ${email} bounced.`, { exact: false }).getByText('Bounced').waitFor()
    await page.getByRole('list', { name: 'Timeline' }).getByText('Bounced', { exact: true }).waitFor()
    expect(await page.getByText('Opted out', { exact: true }).count()).toBe(0)
    await expectUsable(page, 'person-bounced', [360, 1440])
    await owner.call('updatePerson', { personId: id, email: 'mary@somerville.example' })
    await page.reload()
    await page.getByText('Not on the list: they may be contacted.').waitFor()
  })

  it('says that another entry blocks a person whose own entries were removed', async () => {
    await owner.call('addOptOuts', { identifiers: [{ identifier: 'bletchley.example' }] })
    const { id } = await owner.call('createPerson', { firstName: 'Joan', email: 'joan@bletchley.example' })
    await page.goto(`/people/${id}`)
    await page.getByRole('button', { name: 'Allow contact again' }).click()
    const question = page.getByRole('alertdialog', { name: 'Allow contact with Joan again?' })
    await question.getByRole('button', { name: 'Allow contact' }).click()
    await question.getByText('Another entry, such as an email domain, still blocks Joan.').waitFor()
    await question.getByRole('link', { name: 'Do Not Contact' }).waitFor()
    // The dialog opens again without the error.
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Allow contact again' }).click()
    await question.waitFor()
    expect(await question.getByRole('alert').count()).toBe(0)
    await question.getByRole('button', { name: 'Cancel' }).click()
  })

  it('closes the dialog after an opt-out, and never asks to allow contact again', async () => {
    const { id } = await owner.call('createPerson', { firstName: 'Lise', email: 'lise@uranium.example' })
    await page.goto(`/people/${id}`)
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(/\/timeline/, async route => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Opt out', exact: true }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Opt out' }).click()
    await page.getByRole('button', { name: 'Allow contact again', includeHidden: true }).waitFor()
    await question.getByText('Never contact Lise again?').waitFor()
    release()
    await question.waitFor({ state: 'detached' })
    await page.unroute(/\/timeline/)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
