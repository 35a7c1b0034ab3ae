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
describe.skipIf(!hasChromium())('the prospects page of a campaign', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let campaignId: string
  let autumnId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    campaignId = (await owner.call('createCampaign', { name: 'Spring' })).id
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const rows = () => page.getByRole('table', { name: 'Prospects' }).locator('tbody tr[data-index]')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const chooseFile = async (lines: string[], encoding: BufferEncoding = 'utf8') => {
    await page.getByRole('link', { name: 'Import people' }).click()
    await page.getByRole('heading', { name: 'Import people into Spring' }).waitFor()
    const buffer = Buffer.from(`First name,Email,Company,Shoe size\n${lines.join('\n')}`, encoding)
    await page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('heading', { name: 'What do the columns contain?' }).waitFor()
  }
  const getOutcomes = () => page.getByRole('group', { name: 'Outcomes' }).getByRole('button').allInnerTexts()
  const importPeople = async (name: string) => {
    await button('Preview import').click()
    await button(name).waitFor()
    const previewed = await getOutcomes()
    await button(name).click()
    await page.getByRole('heading', { name: 'Import complete' }).waitFor()
    expect(await getOutcomes()).toEqual(previewed)
  }

  it('imports a CSV file with custom fields after showing the outcome of each row', async () => {
    const steps = [{ subject: 'Hello', body: 'Hi {{ firstName }}' }]
    await owner.call('setCampaignSteps', { campaignId, steps })
    await owner.call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Spring' }).click()
    await page
      .getByRole('navigation', { name: 'Campaign', exact: true })
      .getByRole('link', { name: 'People' })
      .click()
    await page.getByText('No prospects yet').waitFor()
    await chooseFile([
      'Ada,ada@analytical.example,Analytical,38',
      'Grace,grace@navy.example,Navy,',
      'Alan,nowhere,,',
      'Eve,eve@rival.example,,',
      'Ada,ADA@analytical.example,,',
    ])
    await page.getByLabel('Shoe size', { exact: true }).selectOption('New custom field…')
    await button('Preview import').click()
    await button('Add 2 people').waitFor()
    expect((await owner.call('listProspects', { campaignId })).data).toEqual([])
    expect(await getOutcomes()).toEqual([
      ...['All rows 5', 'Added 2', 'Duplicate 1', 'Opted out 1', 'Invalid 1'],
    ])
    await page.getByText('Same person as an earlier row').waitFor()
    await expectUsable(page, 'import-campaign')
    await button('Add 2 people').click()
    await page.getByRole('heading', { name: 'Import complete' }).waitFor()
    await page.getByRole('link', { name: 'Show campaign' }).click()
    await expect.poll(() => rows().count()).toBe(2)
    expect((await rows().allInnerTexts()).toSorted()).toEqual([
      expect.stringMatching(/Ada\s+Analytical\s+Not started/),
      expect.stringMatching(/Grace\s+Navy\s+Not started/),
    ])
    const { data: people } = await owner.call('listPersons', { query: 'Ada' })
    expect(people).toMatchObject([{ custom: { shoeSize: '38' } }])
  })

  it('pauses prospects selected by keyboard and keeps the status filter in the URL', async () => {
    await rows().first().focus()
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key)
    await button('Pause 2').click()
    await page.getByText('2 paused.').waitFor()
    await page.getByRole('link', { name: 'Paused 2' }).click()
    await page.waitForURL('**/prospects?status=paused')
    await page.getByLabel('Select Ada').check()
    await button('Resume 1').click()
    await page.getByText('1 resumed.').waitFor()
    await expect.poll(() => rows().count()).toBe(1)
    await page.reload()
    await page.getByRole('link', { name: 'Paused 1' }).waitFor()
    await expect.poll(() => rows().count()).toBe(1)
    await page.goBack()
    await expect.poll(() => rows().count()).toBe(2)
  })

  it('imports a file in the encoding of spreadsheet programs, and shows missing values and existing prospects', async () => {
    // Latin-1 equals Windows-1252 for these letters.
    await chooseFile(
      ['Zoë Müller,zoe@rhein.example,Köln AG,', 'Ada,ada@analytical.example,,', ',hedy@radio.example,,'],
      'latin1',
    )
    await importPeople('Add 2 people')
    expect(await getOutcomes()).toEqual(['All rows 3', 'Added 2', 'Already in campaign 1'])
    await page.getByText('Missing: firstName').waitFor()
    await page.getByRole('link', { name: 'Show campaign' }).click()
    await rows().filter({ hasText: 'Zoë Müller' }).filter({ hasText: 'Köln AG' }).waitFor()
  })

  it('adds missing details when everybody in the file is already in the campaign', async () => {
    await chooseFile(['Ada,ada@analytical.example,,', 'Hedy,hedy@radio.example,Radio,'])
    await importPeople('Add missing details')
    expect(await getOutcomes()).toEqual(['All rows 2', 'Already in campaign 2'])
    const { data: people } = await owner.call('listPersons', { query: 'hedy' })
    expect(people).toMatchObject([{ firstName: 'Hedy', company: 'Radio' }])
    await page.getByRole('link', { name: 'Show campaign' }).click()
  })

  it('fits long names and long status reasons', async () => {
    const reason = `550 5.1.1 The mailbox you tried to reach does not exist ${'x'.repeat(120)}`
    await server.app.owner`
      update prospects set status = 'bounced', status_reason = ${reason}
       where person_id in (select id from persons where first_name = 'Grace')`
    await server.app
      .owner`update persons set first_name = ${'Wolfeschlegelstein'.repeat(8)} where first_name = 'Ada'`
    await page.reload()
    await page.getByText('550 5.1.1').waitFor()
    await expectUsable(page, 'prospects-long', [360, 720, 768, 1024, 1440])
  })

  it('renders only the visible rows of a long list', async () => {
    await owner.call('importProspects', {
      campaignId,
      csv: ['email', ...Array.from({ length: 400 }, (_, n) => `ben${n}@many.example`)].join('\n'),
    })
    await page.reload()
    await rows().first().waitFor()
    const last = page.locator('tr[aria-rowindex="405"]')
    for (let tries = 0; tries < 200 && !(await last.isVisible()); tries++) {
      await page.mouse.wheel(0, 2_000)
      await page.waitForTimeout(100)
    }
    await last.waitFor()
    expect(await rows().count()).toBeLessThan(200)
    // Keys move between rows as in a short list.
    await last.focus()
    await page.keyboard.press('k')
    expect(await page.evaluate(() => document.activeElement?.ariaRowIndex)).toBe('404')
  })

  it('adds existing people, chosen from the list of people', async () => {
    for (const firstName of ['Hedy', 'Joan', 'Radia'])
      await owner.call('createPerson', { firstName, email: `${firstName}@trio.example`, company: 'Trio' })
    autumnId = (await owner.call('createCampaign', { name: 'Autumn' })).id
    await page.goto(`/campaigns/${autumnId}/prospects`)
    await page.getByRole('link', { name: 'Add people' }).click()
    await page.getByText('Select people for “Autumn”').waitFor()
    await page.getByRole('searchbox').fill('Trio')
    const people = page.getByRole('table', { name: 'People' }).locator('tbody tr[data-index]')
    await expect.poll(() => people.count()).toBe(3)
    await people.nth(0).getByRole('checkbox').click()
    await people
      .nth(2)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await button('Clear selection').click()
    await people.nth(1).getByRole('checkbox').click()
    await button('Select all 3').click()
    await expectUsable(page, 'people-add-to-campaign', [360, 1440])
    await button('Add to campaign').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add to campaign' }).click()
    await dialog.getByText('Done for all 3.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.waitForURL(`**/campaigns/${autumnId}/prospects`)
    await expect.poll(() => rows().count()).toBe(3)
  })

  it('stops and opts out selected prospects after confirmation, and links their names to their pages', async () => {
    const getStatuses = async () =>
      Object.fromEntries(
        (await owner.call('listProspects', { campaignId: autumnId })).data.map(prospect => [
          prospect.person?.firstName,
          [prospect.status, prospect.statusReason],
        ]),
      )
    await page.getByLabel('Select Hedy').check()
    await button('Stop 1').click()
    const question = page.getByRole('alertdialog')
    await question.getByText('Stop the sequence for Hedy?').waitFor()
    await question.getByRole('button', { name: 'Stop sequence' }).click()
    await expect
      .poll(getStatuses)
      .toMatchObject({ Hedy: ['stopped', 'manual'], Joan: ['pending', undefined] })
    await page.getByLabel('Select Joan').check()
    await button('Opt out 1').click()
    await question.getByText('Never contact Joan again?').waitFor()
    await question.getByRole('button', { name: 'Opt out' }).click()
    await expect
      .poll(getStatuses)
      .toMatchObject({ Joan: ['paused', 'do_not_contact'], Radia: ['pending', undefined] })
    await rows().filter({ hasText: 'Joan' }).getByText('on Do Not Contact').waitFor()
    await page.getByRole('link', { name: 'Joan' }).click()
    await page.getByText('On the Do Not Contact list: nobody will contact them again.').waitFor()
    expect(await button('Resume prospect').count()).toBe(0)
  })

  it('says which selected prospects an action left unchanged, and why', async () => {
    const winter = await owner.call('createCampaign', { name: 'Winter' })
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId: winter.id,
      data: [
        { firstName: 'Emmy', lastName: 'Noether', company: 'Göttingen' },
        { firstName: 'Lise', email: 'lise@uranium.example' },
      ],
    })
    await page.goto(`/campaigns/${winter.id}/prospects`)
    await page.getByLabel('Select Emmy Noether').check()
    await button('Opt out 1').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Opt out' }).click()
    await page.getByText('0 opted out. 1 unchanged: Has no email address').waitFor()
    for (const name of ['Emmy Noether', 'Lise']) await page.getByLabel(`Select ${name}`).check()
    await server.app.owner`update prospects set status = 'replied' where id = ${data[0]!.prospectId!}`
    await button('Pause 2').click()
    await page.getByText('1 paused. 1 unchanged: The sequence had already ended.').waitFor()
  })

  it('opts out several prospects in one request, by all their addresses', async () => {
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Summer' })
    await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [
        { firstName: 'Mary', lastName: 'Anning', company: 'Lyme' },
        { firstName: 'Rita', email: 'rita@nerve.example', phone: '+442079460021' },
        { firstName: 'Vera', email: 'vera@galaxy.example' },
      ],
    })
    const requests: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') requests.push(new URL(request.url()).pathname)
    })
    await page.goto(`/campaigns/${campaignId}/prospects`)
    for (const name of ['Mary Anning', 'Rita', 'Vera']) await page.getByLabel(`Select ${name}`).check()
    await button('Opt out 3').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Opt out' }).click()
    await page.getByText('2 opted out. 1 unchanged: Has no email address').waitFor()
    expect(requests.filter(path => path.endsWith('/communication-opt-outs'))).toHaveLength(1)
    const { data } = await owner.call('listOptOuts', {})
    expect(data.map(({ identifier }) => identifier)).toEqual(
      expect.arrayContaining(['rita@nerve.example', '+442079460021', 'vera@galaxy.example']),
    )
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
