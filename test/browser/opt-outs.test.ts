import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller } from '../support/app.ts'
import {
  expectUsable,
  giveCookie,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('the Do Not Contact list', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await giveCookie(page, server.url, await server.createCookie(await aCaller(server.app)))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('asks before blocking the domain of a public email provider', async () => {
    await page.goto('/dnc')
    await page.getByRole('button', { name: 'Add to list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to list' })
    const lines = 'ada@analytical.example\ngmail.com'
    await dialog.getByLabel('Contacts to block').fill(lines)
    await dialog.getByRole('button', { name: 'Add to list' }).click()
    const question = page.getByRole('alertdialog', { name: 'Block public email domains?' })
    await question.getByText('Anyone can have an address at gmail.com').waitFor()
    const covered = page.getByRole('dialog', { name: 'Add to list', includeHidden: true })
    const opacity = () => covered.evaluate(element => getComputedStyle(element).opacity)
    await expect.poll(opacity, { message: 'the dialog below shows' }).toBe('0')
    await expectUsable(page, 'public-domain', [360, 768, 1280, 1920])
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
    const reason = 'cannot be read as an email address, LinkedIn profile, phone number or domain.'
    await dialog.getByText(`Line 3, “not an address 0”: ${reason}`).waitFor()
    await dialog.getByText('And 2 more.').waitFor()
    expect(await dialog.innerText()).not.toContain('identifiers.')
    await expectUsable(page, 'opt-outs-unreadable', [360, 768, 1280, 1920])
    await dialog
      .getByLabel('Contacts to block')
      .fill(Array.from({ length: 501 }, (_, n) => `ada${n}@navy.example`).join('\n'))
    await dialog.getByRole('button', { name: 'Add to list' }).click()
    await dialog.getByText('Add at most 500 lines at a time.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  it('requests no other host, violates no policy and throws nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
