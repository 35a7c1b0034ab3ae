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
import { openTestServer, type TestServer } from '../support/http/server.ts'

const people = [
  'First Name,Last Name,Email,Company name,Job Title,Plan,Unsubscribed from all email',
  'Ada,Byron,ada@analytical.example,Analytical,Mathematician,Team,false',
  'Grace,Hopper,grace@navy.example,Navy,Rear Admiral,,false',
  'Nobody,,not an address,,,,false',
  'Ada,Byron,ADA@analytical.example,,,,false',
  'Eve,Moneypenny,eve@rival.example,Rival,,,false',
  'Hedy,Lamarr,hedy@radio.example,Radio,,,TRUE',
].join('\n')

describe.skipIf(!hasChromium())('the import of people', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    await owner.call('createPerson', { email: 'grace@navy.example' })
    await owner.call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const heading = (name: string) => page.getByRole('heading', { name })
  const choose = (text: string | Buffer, name = 'people.csv') =>
    page
      .getByLabel('CSV file')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.isBuffer(text) ? text : Buffer.from(text) })
  const getCounts = () => page.getByRole('group', { name: 'Outcomes' }).getByRole('button').allInnerTexts()
  const listPeople = async () => (await owner.call('listPersons', { limit: 100 })).data

  it('says what is wrong with a file that can’t be read', async () => {
    await page.goto('/people')
    await page.getByRole('link', { name: 'Import people' }).click()
    for (const [text, message] of [
      ['', 'The file is empty.'],
      ['Things\na\nb', 'only one column'],
      [Buffer.from('504b0304ffff', 'hex'), 'workbook or an archive'],
      [Buffer.from('%PDF-1.7\0\u0001'), 'not a CSV file'],
    ] as const) {
      await choose(text)
      await page.getByText(message).waitFor()
    }
  })

  it('has an accessible page for choosing the file', async () => {
    await expectUsable(page, 'import-file')
  })

  it('shows an error when the custom fields cannot be loaded, and tries again', async () => {
    const fields = '**/v1/custom-fields?*'
    await page.route(fields, route => route.fulfill({ status: 500 }))
    await page.goto('/people/import')
    await choose(people)
    await button('Try again').waitFor()
    await page.unroute(fields)
    await button('Try again').click()
    await button('Preview import').waitFor()
    await page.goto('/people/import')
  })

  it('recognizes columns, and every guess can be corrected', async () => {
    await choose(people)
    await heading('What do the columns contain?').waitFor()
    const column = (name: string) => page.getByLabel(name, { exact: true })
    expect(await column('Job Title').inputValue()).toBe('field:jobTitle')
    expect(await column('Unsubscribed from all email').inputValue()).toBe('optedOut')
    await page.getByText('Rear Admiral').waitFor()
    await column('Email').selectOption('Don’t import')
    await column('First Name').selectOption('City')
    await button('Preview import').click()
    await page.getByRole('alert').getByText('Choose the column with email addresses').waitFor()
    await column('Email').selectOption('Email')
    await column('First Name').selectOption('First name')
    await column('Plan').selectOption('New custom field…')
    await column('Name of the new field').fill('Current plan')
    await column('Type').selectOption('choice')
    await page.getByLabel('Tag for everyone in the file').fill('Fair')
    await expectUsable(page, 'import-columns')
  })

  it('shows the outcome of each row and writes nothing before the import is confirmed', async () => {
    const before = await listPeople()
    await button('Preview import').click()
    await button('Import 2 people').waitFor()
    await expectUsable(page, 'import-preview')
    const grace = page.getByRole('table', { name: 'Rows' }).getByRole('row').filter({ hasText: 'Updated' })
    await grace.getByText('grace@navy.example').first().waitFor()
    expect(await getCounts()).toEqual([
      'All rows 6',
      'Added 1',
      'Updated 1',
      'Duplicate 1',
      'Opted out 2',
      'Invalid 1',
    ])
    await button(/Invalid/).click()
    await page.getByText('Email: must be a valid email address').waitFor()
    expect(await listPeople()).toEqual(before)
    expect((await owner.call('listCustomFields', {})).data).toEqual([])
    expect((await owner.call('listTags', {})).data).toEqual([])
    expect((await owner.call('listOptOuts', {})).data).toHaveLength(1)
  })

  it('imports the previewed rows, and blocks people marked as opted out', async () => {
    const previewed = await getCounts()
    await button('Import 2 people').click()
    await heading('Import complete').waitFor()
    expect(await getCounts()).toEqual(previewed)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button('Download rows that failed').click(),
    ])
    const failed = await readFile(await download.path(), 'utf8')
    expect(failed).toContain('Nobody,,not an address,,,,false,4,Invalid,Email: must be a valid email address')
    expect(failed.trim().split('\r\n')).toHaveLength(4)
    const byEmail = new Map((await listPeople()).map(person => [person.email, person]))
    expect([...byEmail.keys()].toSorted()).toEqual(['ada@analytical.example', 'grace@navy.example'])
    expect(byEmail.get('ada@analytical.example')).toMatchObject({
      ...{ firstName: 'Ada', title: 'Mathematician', company: 'Analytical' },
      ...{ custom: { currentPlan: 'Team' }, tags: ['Fair'] },
    })
    expect(byEmail.get('grace@navy.example')).toMatchObject({ lastName: 'Hopper', tags: ['Fair'] })
    expect((await owner.call('listCustomFields', {})).data).toMatchObject([
      { key: 'currentPlan', label: 'Current plan', type: 'choice', choices: ['Team'] },
    ])
    expect((await owner.call('listOptOuts', {})).data.map(({ identifier }) => identifier)).toContain(
      'hedy@radio.example',
    )
    await page.getByRole('link', { name: 'Show people' }).click()
    await page.getByRole('link', { name: 'Ada Byron' }).waitFor()
  })

  it('works by keyboard alone', async () => {
    // Registered first, because Chromium must know in advance that the test handles the file dialog.
    const opened = page.waitForEvent('filechooser')
    await page.getByRole('link', { name: 'Import people' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('CSV file').focus()
    await page.keyboard.press('Enter')
    const chooser = await opened
    const csv = 'Name;Mail\nAlan Turing;alan@bletchley.example\n'
    await chooser.setFiles({ name: 'alan.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await heading('What do the columns contain?').waitFor()
    const tabTo = async (name: string) => {
      const isFocused = () => button(name).evaluate(element => element === document.activeElement)
      for (let presses = 0; presses < 20 && !(await isFocused()); presses++) await page.keyboard.press('Tab')
    }
    // Each step of the import receives the focus, so that Tab continues within it.
    await tabTo('Preview import')
    await page.keyboard.press('Enter')
    await button('Import 1 person').waitFor()
    await tabTo('Import 1 person')
    await page.keyboard.press('Enter')
    await heading('Import complete').waitFor()
    expect(await getCounts()).toEqual(['All rows 1', 'Added 1'])
  })

  it('lists the addresses that might not receive an email, and why', async () => {
    await button('Import another file').click()
    await choose('Name;Mail\nAcme;info@acme.example\nLynn Conway;lynn@chips.example\n', 'risky.csv')
    await button('Preview import').click()
    await page.getByText('1 address might not receive an email').waitFor()
    await button(/Risky address/).click()
    const rows = page.getByRole('table', { name: 'Rows' })
    await rows.getByText('info@acme.example reaches a team or a machine').waitFor()
    expect(await rows.getByText('lynn@chips.example').count()).toBe(0)
    await expectUsable(page, 'import-risky')
  })

  it('shows which people marked as opted out could not be added to the Do Not Contact list', async () => {
    await page.goto('/people/import')
    const lines = ['Name,Company,Phone,Do not call', 'Mary,Somerville,020 7946 0018,yes', 'Emmy,Noether,,yes']
    await choose([...lines, 'Lise,Meitner,+44 20 7946 0021,yes'].join('\n'), 'do-not-call.csv')
    await button('Preview import').click()
    await page.getByText('2 rows are marked as opted out').waitFor()
    await button('Add to Do Not Contact').click()
    await heading('Import complete').waitFor()
    expect(await getCounts()).toEqual(['All rows 3', 'Opted out 1', 'Invalid 2'])
    const rows = page.getByRole('table', { name: 'Rows' }).getByRole('row')
    await rows.filter({ hasText: 'Mary' }).getByText('; not added to the Do Not Contact list').waitFor()
    await rows.filter({ hasText: 'Emmy' }).getByText('to add to the Do Not Contact list').waitFor()
    const { data } = await owner.call('listOptOuts', { identifierType: 'phone' })
    expect(data.map(({ identifier }) => identifier)).toEqual(['+442079460021'])
  })

  it('does not report people as opted out before they are on the Do Not Contact list', async () => {
    await page.goto('/people/import')
    await choose('Name,Phone,Do not call\nLise Meitner,+44 20 7946 0022,yes\n', 'do-not-call.csv')
    await button('Preview import').click()
    await page.route(/\/communication-opt-outs\/import$/, route => route.fulfill({ status: 500 }), {
      times: 1,
    })
    await button('Add to Do Not Contact').click()
    await page.getByRole('alert').waitFor()
    expect(await getCounts()).toEqual(['All rows 0'])
    await button('Try again').click()
    await heading('Import complete').waitFor()
    expect(await getCounts()).toEqual(['All rows 1', 'Opted out 1'])
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
