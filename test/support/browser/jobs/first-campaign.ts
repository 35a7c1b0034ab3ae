import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { makeScratch } from '../../db/postgres-processes.ts'
import { makeInstallation, type Served } from '../../processes/installed.ts'
import type { TestBrowser } from '../chromium.ts'

export const WAIT = { timeout: 180_000, interval: 200 }

export const grace = 'grace@navy.example'
const people = `First name,Email,Company\nGrace,${grace},Navy\n`

/** No name server listens here: tests must not query the internet. */
export const offline = { DNS_SERVERS: '127.0.0.1:9', MAIL_SETTINGS_URL: 'none' }

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
export const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Campaign', exact: true }).getByRole('link', { name, exact: true })

export async function openHome(page: Page, stepsDone: number): Promise<void> {
  await link(page, 'Home').click()
  await page.getByText(`${stepsDone} of 6`).waitFor()
}

export async function createAccount(page: Page, { setUpUrl }: Served): Promise<void> {
  await page.goto(setUpUrl!)
  await page.getByLabel('Your name').fill('Ada Byron')
  await page.getByLabel('Email').fill('ada@acme.example')
  await page.getByLabel('Password', { exact: true }).fill('a few words nobody guesses')
  await page.getByLabel('Company').fill('Analytical')
  await page.getByLabel('Postal address').fill('12 St James Square')
  await button(page, 'Create account').click()
  await page.getByText('1 of 6').waitFor()
}

/** Starts at the checklist, writes a campaign with one email and adds a person from a CSV file. */
export async function writeCampaign(page: Page): Promise<void> {
  await link(page, 'New campaign').click()
  await button(page, 'New campaign').first().click()
  await field(page, 'Name').fill('Spring')
  await button(page, 'Create campaign').click()
  await button(page, 'Add step').click()
  await page.getByRole('menuitem', { name: 'Email' }).click()
  // React doesn’t see `fill` in Firefox.
  await field(page, 'Subject').pressSequentially('Hello {{ firstName }}')
  await field(page, 'Message').pressSequentially('Is {{ company }} hiring?')
  await page.getByText('Saved', { exact: true }).waitFor()
  await tab(page, 'Sending').click()
  await page.getByLabel('At any time').check()
  await button(page, 'Save sending settings').click()
  await page.getByText('Sending settings saved.').waitFor()
  await tab(page, 'People').click()
  await link(page, 'Import people').click()
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(people) }
  await page.getByLabel('CSV file').setInputFiles(file)
  await button(page, 'Preview import').click()
  await button(page, 'Add 1 person').click()
  await link(page, 'Show campaign').click()
  await page.getByRole('row').filter({ hasText: 'Grace' }).waitFor()
}

export async function launchCampaign(page: Page): Promise<void> {
  await openHome(page, 4)
  await page.getByRole('listitem').filter({ hasText: 'Launch the campaign' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Spring', exact: true }).waitFor()
  await link(page, 'Review and launch').first().click()
  await page.getByText('Is Navy hiring?').waitFor()
  await button(page, 'Launch campaign').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Launch campaign' }).click()
  await page.getByText('Spring launched to 1 prospect.').waitFor()
}

/** Sends a first campaign to the sandbox of a new installation. */
export async function sendFirstCampaign(browser: TestBrowser): Promise<void> {
  await using scratch = await makeScratch()
  const dataDir = join(scratch.dir, 'data')
  const served = await makeInstallation(dataDir, offline).serve()
  try {
    const page = await browser.newPage({ baseURL: served.url, viewport: { width: 1440, height: 900 } })
    await createAccount(page, served)
    await link(page, 'Connect mailbox').click()
    await button(page, 'Use a test mailbox that sends nothing').click()
    await page.getByRole('article', { name: 'ada@acme.example' }).waitFor()
    await openHome(page, 2)
    await writeCampaign(page)
    await launchCampaign(page)
    await vi.waitFor(
      () => expect(globSync('sandbox/*/*.eml', { cwd: dataDir }).join()).toContain(grace),
      WAIT,
    )
    await page.getByText('1 sent · 0 replied').waitFor()
    await page.context().close()
  } finally {
    await served.stop()
  }
}
