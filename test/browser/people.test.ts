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
import { makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const widths = [360, 768, 1440, 1920]

describe.skipIf(!hasChromium())('the people area', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  const ids = { ada: '', grace: '', hedy: '' }
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    caller = await makeCaller(server.app)
    const { call } = caller
    await call('createRep', { name: 'Alan Turing' })
    await call('createCustomField', {
      key: 'plan',
      label: 'Current plan',
      type: 'choice',
      choices: ['Free', 'Team'],
    })
    ids.ada = (
      await call('createPerson', {
        firstName: 'Ada',
        lastName: 'Byron',
        email: 'ada@analytical.example',
        title: 'Mathematician',
        company: 'Analytical',
      })
    ).id
    ids.grace = (
      await call('createPerson', { firstName: 'Grace', lastName: 'Hopper', email: 'grace@navy.example' })
    ).id
    ids.hedy = (
      await call('createPerson', { firstName: 'Hedy', lastName: 'Lamarr', email: 'hedy@radio.example' })
    ).id
    await call('createPerson', {
      firstName: 'Ada',
      lastName: 'King',
      phone: '+442079460018',
      company: 'Analytical',
    })
    await call('createNote', { personId: ids.ada, text: 'Met her at the fair.' })
    await call('createTask', {
      personId: ids.ada,
      channel: 'call',
      title: 'Call about the engine',
      dueAt: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await call('createCampaign', {
      name: 'Spring',
      steps: [{ subject: 'Hello', body: 'Hi {{ firstName }}' }],
    })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(caller))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const nameCell = (name: string) => page.getByRole('link', { name, exact: true })

  it('lists everyone', async () => {
    await page.goto('/people')
    await nameCell('Grace Hopper').waitFor()
    await expectUsable(page, 'people-list', widths)
  })

  it('finds a person by keyboard and shows their timeline', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('byr')
    await expect.poll(() => new URL(page.url()).searchParams.get('query')).toBe('byr')
    await nameCell('Grace Hopper').waitFor({ state: 'detached' })
    await page.locator('tbody tr').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Ada Byron', level: 1 }).waitFor()
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('Met her at the fair.').waitFor()
    await timeline.getByText('Call about the engine').waitFor()
    await page.getByRole('button', { name: 'Notes', exact: true }).click()
    await timeline.getByText('Call about the engine').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await expectUsable(page, 'person', widths)
  })

  it('edits details, custom fields and tags in place', async () => {
    await page.getByRole('button', { name: 'Edit details' }).click()
    await page.getByLabel('Job title').fill('Countess')
    await page.getByLabel('Current plan').selectOption('Team')
    await page.getByLabel('Owner').selectOption('Alan Turing')
    await expectUsable(page, 'person-edit', [360, 1440])
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByText('Details saved.').waitFor()
    await page.getByLabel('New tag').fill('Founders')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove tag Founders' }).waitFor()
    const ada = await caller.call('getPerson', { personId: ids.ada })
    expect(ada).toMatchObject({
      title: 'Countess',
      company: 'Analytical',
      email: 'ada@analytical.example',
      custom: { plan: 'Team' },
      tags: ['Founders'],
    })
    expect(ada.ownerRepId).toBeDefined()
  })

  it('names a filter after its custom field', async () => {
    await page.goto('/people?custom=plan%3ATeam')
    await page.getByText('Current plan: Team', { exact: true }).waitFor()
    await nameCell('Ada Byron').waitFor()
  })

  it('keeps a value whose choice was removed, and saves the other details', async () => {
    const { data } = await caller.call('listCustomFields', {})
    await caller.call('updateCustomField', { customFieldId: data[0]!.id, choices: ['Free'] })
    await page.goto(`/people/${ids.ada}`)
    await page.getByRole('button', { name: 'Edit details' }).click()
    expect(await page.getByLabel('Current plan').inputValue()).toBe('Team')
    await page.getByLabel('City').fill('London')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByText('Details saved.').waitFor()
    const ada = await caller.call('getPerson', { personId: ids.ada })
    expect(ada).toMatchObject({ city: 'London', custom: { plan: 'Team' } })
  })

  it('shows and keeps the owner of a person while the list of reps is still loading', async () => {
    const { ownerRepId } = await caller.call('getPerson', { personId: ids.ada })
    const released = Promise.withResolvers<void>()
    await page.route(/\/v1\/reps\?/, async route => {
      await released.promise
      await route.continue()
    })
    await page.goto(`/people/${ids.ada}`)
    await page.getByRole('button', { name: 'Edit details' }).click()
    const owner = page.getByLabel('Owner', { exact: true })
    await owner.focus()
    await page.keyboard.press('Tab')
    const getShown = () => owner.locator('option:checked').textContent()
    await expect.poll(getShown).toBe('Alan Turing')
    const loaded = page.waitForResponse(/\/v1\/reps\?/)
    released.resolve()
    await loaded
    await page.unroute(/\/v1\/reps\?/)
    await page.getByLabel('City').fill('Paris')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByText('Details saved.').waitFor()
    expect(await caller.call('getPerson', { personId: ids.ada })).toMatchObject({ city: 'Paris', ownerRepId })
  })

  it('keeps changes that a colleague made while the details of a person or a company were edited', async () => {
    const { companyId } = await caller.call('getPerson', { personId: ids.ada })
    const edit = async (path: string, update: () => Promise<unknown>) => {
      await page.goto(path)
      await page.getByRole('button', { name: 'Edit details' }).click()
      await update()
      await page.getByLabel('State or region').fill('England')
      await page.getByRole('button', { name: 'Save details' }).click()
      await page.getByText(/^(Details|Company) saved\./).waitFor()
    }
    const changes = { country: 'United Kingdom', custom: { plan: 'Free' } }
    await edit(`/companies/${companyId}`, () =>
      caller.call('updateCompany', { companyId: companyId!, country: 'United Kingdom' }),
    )
    await edit(`/people/${ids.ada}`, () => caller.call('updatePerson', { personId: ids.ada, ...changes }))
    expect(await caller.call('getPerson', { personId: ids.ada })).toMatchObject({
      state: 'England',
      ...changes,
    })
    expect(await caller.call('getCompany', { companyId: companyId! })).toMatchObject({
      state: 'England',
      country: 'United Kingdom',
    })
  })

  it('adds a note and a task, and logs a call', async () => {
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByLabel('Note', { exact: true }).fill('Prefers mornings.')
    await page.getByRole('button', { name: 'Save note' }).click()
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('Prefers mornings.').waitFor()
    await page.getByRole('button', { name: 'Create task' }).click()
    await page.getByLabel('What to do').fill('Send the offer')
    await page.getByRole('dialog').getByRole('button', { name: 'Create task' }).click()
    await timeline.getByText('Send the offer').waitFor()
    await page.getByRole('button', { name: 'Log call' }).click()
    await page.getByLabel('Phone number').fill('+442079460019')
    await page.getByRole('dialog').getByLabel('Notes').fill('Wants a demo.')
    await page.getByRole('dialog').getByRole('button', { name: 'Log call' }).click()
    await timeline.getByText('Wants a demo.').waitFor()
  })

  it('shows the company with its people', async () => {
    await page.getByRole('link', { name: 'Analytical' }).first().click()
    await page.getByRole('heading', { name: 'Analytical', level: 1 }).waitFor()
    await nameCell('Ada King').waitFor()
    await page.getByText('No conversations yet').waitFor()
    await page.getByRole('button', { name: 'Edit details' }).click()
    await page.getByLabel('City').fill('London')
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByText('This field is required').waitFor()
    await name.fill('Analytical')
    await page.getByLabel('Industries').fill('Engines, Computing')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByText('Engines, Computing').waitFor()
    await expectUsable(page, 'company', widths)
  })

  it('merges a duplicate after showing what is kept', async () => {
    await page.goto(`/people/${ids.ada}`)
    await page.getByRole('button', { name: 'Merge duplicate' }).click()
    await page.getByLabel('Find the duplicate').fill('Ada King')
    await page.getByRole('button', { name: /Ada King/ }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('+442079460018').waitFor()
    await expectUsable(page, 'merge', [360, 1440])
    await question.getByRole('button', { name: 'Merge' }).click()
    await page.getByText('Duplicate merged.').waitFor()
    const ada = await caller.call('getPerson', { personId: ids.ada })
    expect(ada).toMatchObject({ phone: '+442079460018', lastName: 'Byron' })
    expect(ada.mergedPersonIds).toHaveLength(1)
  })

  it('adds the selected people to a campaign and says who was skipped', async () => {
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'hedy@radio.example' }] })
    await page.goto('/people')
    await nameCell('Hedy Lamarr').waitFor()
    await page.locator('tbody tr').first().focus()
    for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Add to campaign' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Campaign').selectOption('Spring')
    await expectUsable(page, 'bulk', [360, 1440])
    await dialog.getByRole('button', { name: 'Add to campaign' }).click()
    await dialog.getByText('Hedy Lamarr').waitFor()
    await dialog.getByText('On the Do Not Contact list', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const { data } = await caller.call('listProspects', {})
    expect(data.map(({ personId }) => personId).toSorted()).toEqual([ids.ada, ids.grace].toSorted())
  })

  it('adds the other selected people to a campaign when one of them cannot be identified', async () => {
    const { id: personId } = await caller.call('createPerson', {
      firstName: 'Kay',
      email: 'kay@trio.example',
    })
    await caller.call('updatePerson', { personId, email: null })
    const other = await caller.call('createPerson', { firstName: 'Dorothy', email: 'dorothy@trio.example' })
    await page.goto('/people')
    for (const name of ['Kay', 'Dorothy']) await page.getByLabel(`Select ${name}`).check()
    await page.getByRole('button', { name: 'Add to campaign' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Campaign').selectOption('Spring')
    await dialog.getByRole('button', { name: 'Add to campaign' }).click()
    await dialog.getByText('Done, with 1 left out:').waitFor()
    await dialog.getByText('Kay: Needs an email address').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const { data } = await caller.call('listProspects', {})
    expect(data.map(({ personId }) => personId)).toContain(other.id)
  })

  it('asks before the page is left or reloaded while an action on the selected people is running', async () => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await page.getByLabel('Select Grace Hopper').check()
    const released = Promise.withResolvers<void>()
    await page.route(/\/tags\//, async route => {
      await released.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Add tag' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tag').fill('Navy')
    await dialog.getByRole('button', { name: 'Add tag' }).click()
    await dialog.getByText('0 of 1').waitFor()
    const asksBeforeUnload = () =>
      page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))
    expect(await asksBeforeUnload()).toBe(true)
    await page.evaluate(() => history.back())
    await page.getByRole('alertdialog', { name: 'Leave before everyone is done?' }).waitFor()
    await page.getByRole('button', { name: 'Stay on page' }).click()
    released.resolve()
    await dialog.getByText('Done for all 1.').waitFor()
    expect(await asksBeforeUnload()).toBe(false)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })

  it('filters by campaign, exports the selected people and opts them out after confirmation', async () => {
    await page.getByLabel('Add filter').selectOption({ label: 'Spring' })
    await page.getByRole('button', { name: 'Remove filter Campaign: Spring' }).waitFor()
    await nameCell('Hedy Lamarr').waitFor({ state: 'detached' })
    await page.getByLabel('Select Grace Hopper').check()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    expect(file).toContain('Grace Hopper')
    expect(file).not.toContain('Ada')
    await page.getByRole('button', { name: 'Opt out', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Their sequences stop', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Opt out 1 person' }).click()
    await dialog.getByText('Done for all 1.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect((await caller.call('getPerson', { personId: ids.grace })).isOptedOut).toBe(true)
  })

  it('allows contact again with a person whose earlier phone number and profile are also on the Do Not Contact list', async () => {
    const change = (fields: { phone: string | null; linkedinUrl: string | null }) =>
      caller.call('updatePerson', { personId: ids.grace, ...fields })
    const earlier = { phone: '+442079460077', linkedinUrl: 'https://www.linkedin.com/in/grace-earlier' }
    const { phone, linkedinUrl } = await caller.call('getPerson', { personId: ids.grace })
    await change(earlier)
    await caller.call('addOptOuts', {
      identifiers: [
        ...Object.values(earlier).map(identifier => ({ identifier })),
        ...(['sms', 'whatsapp'] as const).map(identifierType => ({
          identifier: earlier.phone,
          identifierType,
        })),
      ],
    })
    await change({ phone, linkedinUrl })
    await page.goto(`/people/${ids.grace}`)
    for (const identifier of Object.values(earlier))
      await page.getByRole('definition').filter({ hasText: identifier }).waitFor()
    await page.getByRole('button', { name: 'Allow contact again' }).click()
    await page.getByRole('button', { name: 'Allow contact', exact: true }).click()
    await page.getByText('Not on the list: they may be contacted.').waitFor()
  })

  it('erases a person only after their name is typed', async () => {
    await page.getByRole('button', { name: 'Erase person' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase Grace Hopper?' })
    await dialog.getByLabel('Type Grace Hopper to confirm').fill('Grace')
    await dialog.getByRole('button', { name: 'Erase person' }).click()
    await dialog.getByLabel('Type Grace Hopper to confirm').and(page.locator('[aria-invalid]')).waitFor()
    await expectUsable(page, 'erase', [360, 1440])
    await dialog.getByLabel('Type Grace Hopper to confirm').fill('Grace Hopper')
    await dialog.getByRole('button', { name: 'Erase person' }).click()
    await page.getByText('Grace Hopper was erased.').waitFor()
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
    expect((await caller.call('getPerson', { personId: ids.grace })).isErased).toBe(true)
  })

  it('ignores unknown and invalid parameters of the URL', async () => {
    await page.goto('/people?query=hedy&sort=height&color=red')
    await nameCell('Hedy Lamarr').waitFor()
    await page.waitForURL('**/people?query=hedy')
  })

  it('hides actions that a viewer may not perform', async () => {
    const viewer = await browser.newPage()
    const cookie = await server.createCookie(await makeCaller(server.app, 'viewer', caller.accountId))
    await addSessionCookie(viewer, server.url, cookie)
    await viewer.goto('/people')
    await viewer.getByRole('link', { name: 'Ada Byron', exact: true }).click()
    await viewer.getByRole('list', { name: 'Timeline' }).getByText('Prefers mornings.').waitFor()
    const buttons = viewer.locator('main').getByRole('button')
    expect(await buttons.filter({ hasText: /Edit|Erase|Merge|Write|Opt out|Allow|Add|Stop/ }).count()).toBe(0)
  })

  it('lists the conversations with the people of a company, which open in the inbox', async () => {
    const desk = await makeDesk(caller)
    const threadId = await makeThread(server.app, caller, desk)
    await makeEmail(server.app, caller, { ...desk, threadId, type: 'received' })
    const { companyId } = await caller.call('getPerson', { personId: desk.personId })
    await page.goto(`/companies/${companyId}`)
    const conversations = page.getByRole('table', { name: 'Conversations' })
    await conversations.getByRole('link', { name: 'Analytical engines' }).waitFor()
    await expectUsable(page, 'company-conversations', widths)
    await conversations.getByRole('link', { name: 'Analytical engines' }).click()
    await page.getByRole('heading', { name: 'Analytical engines' }).waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
