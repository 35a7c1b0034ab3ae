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
import { openTestServer, type TestServer } from '../support/http/server.ts'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the launch flow of a campaign', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let campaignId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    for (const name of ['Ada Byron', 'Grace Hopper']) {
      const { id: repId } = await owner.call('createRep', { name })
      const email = `${name.split(' ')[0]!.toLowerCase()}@acme.example`
      const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'sandbox', email })
      await owner.call('updateMailbox', { mailboxId, dailyCap: 100 })
    }
    campaignId = (
      await owner.call('createCampaign', {
        name: 'Spring',
        steps: [
          { subject: 'Hello {{ firstName }}', body: 'Hi' },
          { delay: { amount: 2, unit: 'days' }, body: 'Did you see this?' },
        ],
      })
    ).id
    const people = Array.from({ length: 100 }, (_, n) => `Person ${n},person${n}@many.example`)
    await owner.call('importProspects', { campaignId, csv: `First name,Email\n${people.join('\n')}` })
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Campaign', exact: true }).getByRole('link', { name })

  const audience = () => page.getByLabel('Audience').locator('dd').allInnerTexts()

  it('saves the reps, the schedule and the limits of a campaign with one button', async () => {
    await page.goto(`/campaigns/${campaignId}/steps`)
    await tab('Sending').click()
    await page.getByText('No emails will be sent. No rep is chosen. Choose one and save.').waitFor()
    await page.getByLabel('Ada Byron').check()
    await page.getByLabel('Grace Hopper').check()
    await page.getByLabel('Only during these hours').check()
    await page.getByLabel('Hours 1: to').fill('08:00')
    await page.getByLabel('New prospects a day').fill('0')
    await button('Save sending settings').click()
    await page.getByText('Must be after').waitFor()
    await page.getByText('Enter 1 or more').waitFor()

    await page.getByLabel('Hours 1: to').fill('12:00')
    await page.getByLabel('New prospects a day').fill('30')
    // By keyboard: no Fridays, and afternoons until midnight.
    await page.getByRole('group', { name: 'Hours 1' }).getByLabel('Friday').focus()
    await page.keyboard.press('Space')
    await button('Add hours').click()
    await page.getByLabel('Hours 2: from').fill('14:00')
    await page.getByLabel('Hours 2: to').fill('00:00')
    await page.getByLabel('Default time zone').fill('London')
    await page.getByRole('option', { name: 'London' }).first().click()
    await page.getByLabel('Holiday', { exact: true }).fill('2030-12-25')
    await page.getByLabel('Holiday', { exact: true }).press('Enter')
    // A holiday that is still in the field is saved as well.
    await page.getByLabel('Holiday', { exact: true }).fill('2030-12-31')
    await page.getByLabel('Stop colleagues too').check()
    await page.getByLabel('A/B tests').selectOption('positive')
    await button('Save sending settings').click()
    await page.getByText('Sending settings saved.').waitFor()
    const saved = await owner.call('getCampaign', { campaignId })
    expect(saved).toMatchObject({
      newProspectsPerDay: 30,
      settings: { stopCompanyOnReply: true, isEvergreen: false, autoWinner: 'positive' },
      schedule: {
        windows: [
          { days: ['mon', 'tue', 'wed', 'thu'], from: '09:00', to: '12:00' },
          { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '14:00', to: '24:00' },
        ],
        timezone: 'Europe/London',
        holidays: ['2030-12-25', '2030-12-31'],
      },
    })
    expect(saved.repIds).toHaveLength(2)

    await page.reload()
    await page.getByLabel('Grace Hopper').waitFor()
    expect(await page.getByLabel('Grace Hopper').isChecked()).toBe(true)
    expect(await page.getByLabel('Hours 2: to').inputValue()).toBe('00:00')
    expect(await page.getByLabel('New prospects a day').inputValue()).toBe('30')
    await page.getByText('25 Dec 2030').waitFor()
  })

  it('keeps a change made during a save, and stores it with the next save', async () => {
    const getSettings = async () => {
      const { newProspectsPerDay, settings } = await owner.call('getCampaign', { campaignId })
      return [newProspectsPerDay, settings.autoWinner]
    }
    const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const url = `**/v1/campaigns/${campaignId}`
    await page.route(url, async route => {
      if (route.request().method() === 'PATCH') {
        started.resolve()
        await released.promise
      }
      await route.continue()
    })
    await page.getByLabel('New prospects a day').fill('31')
    await button('Save sending settings').click()
    await started.promise
    await page.getByLabel('New prospects a day').fill('32')
    await page.getByLabel('A/B tests').selectOption('replied')
    released.resolve()
    await page.getByText('Sending settings saved.').waitFor()
    await page.unroute(url)
    expect(await getSettings()).toEqual([31, 'positive'])
    expect(await page.getByLabel('New prospects a day').inputValue()).toBe('32')
    await button('Save sending settings').click()
    await expect.poll(getSettings).toEqual([32, 'replied'])
    // Removes the message, because the next test waits for a new one.
    await page.reload()
  })

  it('keeps changes that a colleague made while the sending settings were edited', async () => {
    const { repIds, schedule } = await owner.call('getCampaign', { campaignId })
    const windows = [{ days: ['mon' as const], from: '10:00', to: '11:00' }]
    await owner.call('updateCampaign', {
      campaignId,
      repIds: repIds.slice(0, 1),
      schedule: { ...schedule!, windows },
      settings: { stopCompanyOnReply: false },
    })
    await page.getByLabel('Stay active when everyone has finished').check()
    await page.getByLabel('New prospects a day').fill('40')
    await button('Save sending settings').click()
    await page.getByText('Sending settings saved.').waitFor()
    expect(await owner.call('getCampaign', { campaignId })).toMatchObject({
      repIds: repIds.slice(0, 1),
      schedule: { windows },
      settings: { stopCompanyOnReply: false, isEvergreen: true },
      newProspectsPerDay: 40,
    })
    await owner.call('updateCampaign', {
      campaignId,
      repIds,
      schedule,
      settings: { stopCompanyOnReply: true, isEvergreen: false },
      newProspectsPerDay: 30,
    })
    await page.reload()
  })

  it('forecasts when emails are sent, from which mailbox, and which limit delays them', async () => {
    const forecast = await owner.call('forecastCampaign', { campaignId })
    expect(forecast).toMatchObject({ emails: 200, bottleneck: { limit: 'new_prospects_cap' } })
    await page.getByText('200 emails to 100 prospects. The first is sent on').waitFor()
    await page.getByText('The daily limit of new prospects delays the campaign').waitFor()
    await page.getByRole('img', { name: '200 emails to 100 prospects, from' }).waitFor()
    await page.getByText('Show as table').press('Enter')
    const rows = page.getByRole('table').locator('tbody tr')
    expect(await rows.count()).toBe(forecast.days.length)
    const total = forecast.days[0]!.emails
    expect(await rows.first().locator('td').last().innerText()).toBe(String(total))
    await expectUsable(page, 'campaign-sending')
  })

  it('asks before leaving the page with unsaved settings', async () => {
    await page.getByLabel('New prospects a day').fill('10')
    await tab('People').click()
    await button('Stay on page').click()
    await page.getByLabel('New prospects a day').fill('30')
    await tab('People').click()
    await page.waitForURL('**/prospects')
  })

  it('lists the problems that prevent the launch, each with a link to the page where it can be fixed', async () => {
    await owner.call('updateCampaign', { campaignId, repIds: [] })
    await page.goto(`/campaigns/${campaignId}/steps`)
    await page.getByRole('link', { name: 'Review and launch' }).first().click()
    const error = (text: string) => page.getByRole('listitem').filter({ hasText: text }).getByRole('link')
    await error('It has no rep').press('Enter')
    await page.waitForURL('**/sending')
    await page.getByLabel('Ada Byron').check()
    await button('Save sending settings').click()
    await page.getByText('Sending settings saved.').waitFor()

    await tab('Review and launch').click()
    await error('no opt-out line').click()
    await page.waitForURL('**/settings/account')
    await page.getByLabel('Postal address').fill('12 St James Square')
    await page.getByLabel('Opt-out line').fill('Reply stop.')
    await button('Save account').click()
    await page.getByText('Account saved.').waitFor()
  })

  it('says who would be skipped and why', async () => {
    const data = [{ email: 'nameless@many.example' }, { email: 'away@many.example', firstName: 'Away' }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: 'away@many.example', identifierType: 'email' }],
      pauseActiveProspects: true,
    })
    await page.goto(`/campaigns/${campaignId}/review`)
    await page.getByText('1: On the Do Not Contact list.').waitFor()
    const missing = page.getByLabel('Prospects who lack a value').getByRole('listitem')
    await expect
      .poll(() => missing.allInnerTexts())
      .toEqual([expect.stringMatching(/nameless@many.example\s+Missing: firstName/)])
    expect(await audience()).toEqual(['100', '2', '200'])
    await page.getByText(/Recipients cannot open the opt-out link.*Set PUBLIC_URL/).waitFor()
    await expectUsable(page, 'campaign-review')
  })

  it('says in the step editor who lacks a value that a step uses', async () => {
    await page.goto(`/campaigns/${campaignId}/steps`)
    await button('1 prospect lacks a value').click()
    const missing = page.getByRole('dialog').getByRole('listitem')
    await expect
      .poll(() => missing.allInnerTexts())
      .toEqual([expect.stringMatching(/nameless@many.example\s+Missing: firstName/)])
    await page.keyboard.press('Escape')
    await page.goto(`/campaigns/${campaignId}/review`)
  })

  it('launches only for the audience that was reviewed, and skips people who cannot be contacted', async () => {
    const launch = async () => {
      await button('Launch campaign').click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Launch campaign' }).press('Enter')
    }
    await button('Launch campaign').waitFor()
    // The page updates live, so its reads are held back until it has requested the launch for the audience that it
    // shows.
    const launched = page.waitForRequest(request => request.url().endsWith('/launch'))
    await page.route(new RegExp(`/v1/campaigns/${campaignId}`), async route => {
      if (route.request().method() === 'GET') await launched
      await route.fallback()
    })
    await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'late@many.example', firstName: 'Late' }],
    })
    await launch()
    await page.getByText('it would contact 101 instead of 100 prospects').waitFor()
    await page.getByText('101 prospects will enter the sequence').waitFor()
    await button('Cancel').click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('draft')

    await launch()
    await page.getByText('Spring launched to 101 prospects.').waitFor()
    await button('Pause campaign').waitFor()
    const { data } = await owner.call('listProspects', { campaignId, status: ['failed', 'paused'] })
    expect(data.map(({ statusReason }) => statusReason).toSorted()).toEqual([
      'do_not_contact',
      'missing_variable: firstName',
    ])
    await page.goto(`/campaigns/${campaignId}/review`)
    await page.getByText('This campaign has been launched').waitFor()
  })

  it('resumes a failed prospect once its missing values are added', async () => {
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ firstName: 'Eve', lastName: 'Doe', company: 'Navy' }],
    })
    const { prospectId } = data[0]!
    await server.app.owner`
      update prospects set status = 'failed', status_reason = 'no_email', next_step_at = null where id = ${prospectId!}`
    await page.goto(`/campaigns/${campaignId}/prospects?status=failed`)
    await button('Add missing values for nameless@many.example').click()
    await button('Save and continue').click()
    await page.getByText('This field is required').waitFor()
    await page.getByLabel('First name').fill('Nora')
    await button('Save and continue').click()
    await page.getByText('nameless@many.example continues the sequence.').waitFor()
    await button('Add address for Eve Doe').press('Enter')
    await page.getByLabel('Email address').fill('eve@navy.example')
    await page.keyboard.press('Enter')
    await page.getByText('No prospects with this status').waitFor()
    const getProspect = () => owner.call('getProspect', { prospectId: prospectId! })
    expect((await getProspect()).status).toBe('pending')

    await server.app.owner`
      update prospects set status = 'paused', status_reason = 'role_address', next_step_at = null where id = ${prospectId!}`
    await page.goto(`/campaigns/${campaignId}/prospects?status=paused`)
    await button('Correct address for Eve Doe').click()
    await button('Save and continue').click()
    await page.getByText('Enter another email address').waitFor()
    expect((await getProspect()).status).toBe('paused')
    await page.getByLabel('Email address').fill('eve.doe@navy.example')
    await button('Save and continue').click()
    await page.getByText('Eve Doe continues the sequence.').waitFor()
    expect((await getProspect()).status).toBe('pending')
  })

  it('resumes a bounced prospect, by mouse or keyboard, once the address is corrected', async () => {
    const bounce = async (first: string) => {
      await server.app.owner`
        update prospects set status = 'bounced', status_reason = 'hard_bounce', next_step_at = null
         where person_id in (select id from persons where first_name = ${first} and account_id = ${owner.accountId})`
      await page.goto(`/campaigns/${campaignId}/prospects?status=bounced`)
    }
    const getStatus = async (email: string) =>
      (await owner.call('listProspects', { campaignId, email })).data.map(({ status }) => status)
    await owner.call('addOptOuts', { identifiers: [{ identifier: 'late@many.example' }] })
    await bounce('Late')
    await button('Correct address for Late').click()
    expect(await page.getByLabel('Email address').inputValue()).toBe('late@many.example')
    await button('Save and continue').click()
    await page.getByText('on the Do Not Contact list (late@many.example)').waitFor()
    await page.getByLabel('Email address').fill('late@navy.example')
    await owner.call('removeOptOut', { identifier: 'late@many.example' })
    await button('Save and continue').click()
    await page.getByText('Late continues the sequence.').waitFor()
    expect(await getStatus('late@navy.example')).toEqual(['pending'])

    await bounce('Eve')
    await button('Correct address for Eve Doe').press('Enter')
    await page.locator(':focus').and(page.getByLabel('Email address')).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('eve.d@navy.example')
    await page.keyboard.press('Enter')
    await page.getByText('Eve Doe continues the sequence.').waitFor()
    expect(await getStatus('eve.d@navy.example')).toEqual(['pending'])
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
