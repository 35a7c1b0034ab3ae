import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { browsers } from '../support/browser/browsers.ts'
import { addSessionCookie, type TestBrowser } from '../support/browser/chromium.ts'
import { countActions } from '../support/browser/count-actions.ts'
import { hasFocus, tabTo } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const MAX_CLICKS = 25

/** The click in the operating system's file dialog, which the page can't count. */
const FILE_DIALOG_CLICKS = 1

const csv = [
  'First name,Last name,Email,Company,LinkedIn,Phone',
  'Grace,Hopper,grace@navy.example,Navy,linkedin.com/in/grace,+442079460019',
  'Alan,Turing,alan@bletchley.example,Bletchley,linkedin.com/in/alan,+442079460018',
].join('\n')
const csvFile = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }

describe.each(browsers)(
  'a campaign with an A/B-tested email, an invitation and a call in $name',
  ({ name, isInstalled, open }) => {
    const isAvailable = isInstalled()

    let server: TestServer
    let browser: TestBrowser
    let owner: Caller
    let page: Page
    beforeAll(async () => {
      if (!isAvailable) return
      buildWeb()
      server = await openTestServer()
      owner = await makeCaller(server.app)
      await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
      const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
      await owner.call('createMailbox', { repId, kind: 'sandbox', email: 'ada@acme.example' })
      await owner.call('createAssistant', {
        ...{ name: 'Night desk', provider: 'simulated', fromNumber: '+442079460000' },
      })
      browser = await open(server.url)
    })
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    async function openHome() {
      page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      const count = await countActions(page)
      await addSessionCookie(page, server.url, await server.createCookie(owner))
      await page.goto('/')
      await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
      return count
    }

    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'Campaign', exact: true }).getByRole('link', { name })
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    const expectFocus = (target: Locator) => expect.poll(() => hasFocus(target)).toBe(true)
    const type = (text: string) => page.keyboard.type(text)
    const launch = () => page.getByRole('alertdialog').getByRole('button', { name: 'Launch campaign' })
    const preview = () => page.getByRole('region', { name: 'Preview' })
    const greeting = () => preview().getByText(/^Hi (Grace|Alan), are you hiring\?/)

    async function expectLaunched(name: string): Promise<void> {
      await page.getByText(`${name} launched to 2 prospects.`).waitFor()
      const { data } = await owner.call('listCampaigns', { query: name })
      const campaign = await owner.call('getCampaign', { campaignId: data[0]!.id })
      expect(campaign).toMatchObject({
        status: 'active',
        repIds: [expect.any(String)],
        schedule: { windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }] },
        steps: [
          {
            channel: 'email',
            variants: [
              { subject: 'A question', body: 'Hi {{ firstName }}, are you hiring?' },
              { subject: 'Hiring at {{ company }}', body: 'Hi {{ firstName }}, are you hiring?' },
            ],
          },
          { channel: 'linkedin_connect', variants: [{ body: 'Glad to connect.' }] },
          { channel: 'call', call: { assistantId: expect.any(String) } },
        ],
      })
    }

    it.skipIf(!isAvailable)(
      `is built, filled from a CSV file, previewed and launched in at most ${MAX_CLICKS} clicks`,
      async () => {
        const count = await openHome()
        await link('Campaigns').click()
        await button('New campaign').first().click()
        await expectFocus(field('Name'))
        await type('By mouse')
        await button('Create campaign').click()

        await button('Add step').click()
        await page.getByRole('menuitem', { name: 'Email' }).click()
        await expectFocus(field('Subject'))
        await type('A question')
        await field('Message').click()
        await type('Hi {{ firstName }}, are you hiring?')
        await button('Add variant B').click()
        await expectFocus(field('Subject of variant B'))
        await page.keyboard.press('Control+a')
        await type('Hiring at {{ company }}')
        await button('Add step').click()
        await page.getByRole('menuitem', { name: 'LinkedIn invitation' }).click()
        await expectFocus(page.getByRole('textbox', { name: /^Note/ }))
        await type('Glad to connect.')
        await button('Add step').click()
        await page.getByRole('menuitem', { name: 'AI call' }).click()
        expect(await page.getByLabel('Assistant').textContent(), 'the only one').toContain('Night desk')

        await tab('Sending').click()
        await page.getByLabel('Only during these hours').click()
        await button('Save sending settings').click()
        await page.getByText('Sending settings saved.').waitFor()

        await tab('People').click()
        await link('Import people').click()
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          page.getByLabel('CSV file').click(),
        ])
        await chooser.setFiles(csvFile)
        await button('Preview import').click()
        await button('Add 2 people').click()
        await link('Show campaign').click()

        await link('Review and launch').first().click()
        await greeting().waitFor()
        await button('Launch campaign').click()
        await launch().click()
        await expectLaunched('By mouse')
        expect(count.clicks + FILE_DIALOG_CLICKS).toBeLessThanOrEqual(MAX_CLICKS)
      },
    )

    it.skipIf(!isAvailable || name !== 'Chromium')(
      'is built, filled, previewed and launched by keyboard alone',
      async () => {
        const count = await openHome()
        const press = (key: string) => page.keyboard.press(key)
        const pressOn = async (target: Locator) => {
          await tabTo(page, target)
          await press('Enter')
        }
        const addStep = async (channel: string) => {
          await pressOn(button('Add step'))
          await page.getByRole('menuitem', { name: channel }).waitFor()
          await type(channel)
          await press('Enter')
        }
        for (const key of ['g', 'c']) await press(key)
        await pressOn(button('New campaign'))
        await expectFocus(field('Name'))
        await type('By keyboard')
        await press('Enter')
        await page.waitForURL('**/steps')

        await addStep('Email')
        await expectFocus(field('Subject'))
        await type('A question')
        await press('Tab')
        await type('Hi {{ firstName }}, are you hiring?')
        await pressOn(button('Add variant B'))
        await expectFocus(field('Subject of variant B'))
        await press('Control+a')
        await type('Hiring at {{ company }}')
        await addStep('LinkedIn invitation')
        await expectFocus(page.getByRole('textbox', { name: /^Note/ }))
        await type('Glad to connect.')
        await addStep('AI call')
        await expectFocus(page.getByLabel('Assistant'))

        await pressOn(tab('Sending'))
        await tabTo(page, page.getByLabel('Only during these hours'))
        await press('ArrowUp')
        expect(await page.getByLabel('At any time').isChecked()).toBe(true)
        await press('ArrowDown')
        await pressOn(button('Save sending settings'))
        await page.getByText('Sending settings saved.').waitFor()

        await pressOn(tab('People'))
        await pressOn(link('Import people'))
        const choosing = page.waitForEvent('filechooser')
        await pressOn(page.getByLabel('CSV file'))
        await (await choosing).setFiles(csvFile)
        await pressOn(button('Preview import'))
        await pressOn(button('Add 2 people'))
        await pressOn(link('Show campaign'))

        await pressOn(link('Review and launch').first())
        const first = await greeting().innerText()
        await pressOn(preview().getByRole('button', { name: 'Next person' }))
        await expect.poll(() => greeting().innerText()).not.toBe(first)
        await pressOn(button('Launch campaign'))
        await pressOn(launch())
        await expectLaunched('By keyboard')
        expect(count.clicks).toBe(0)
      },
    )

    it.skipIf(!isAvailable)(
      'makes no requests to other hosts, violates no policy and throws no errors',
      () => {
        expect(browser.errors).toEqual([])
      },
    )
  },
)
