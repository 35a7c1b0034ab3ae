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
import { makeTaskCampaign } from '../support/campaigns/task-campaign.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const HOUR_MS = 3_600_000
const widths = [360, 768, 1440, 1920]
const stepsStay = 'Campaign steps stay with the prospect’s rep.'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('tasks that users create', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let personId: string
  let repId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    const view = { channel: 'linkedin_view' } as const
    const ben = { firstName: 'Ben', linkedinUrl: 'linkedin.com/in/ben' }
    owner = (await makeTaskCampaign(server.app, [view], [ben])).owner
    await owner.call('createRep', { name: 'Hedy Lamarr' })
    const { data } = await owner.call('listReps', {})
    repId = data.find(({ name }) => name === 'Grace Hopper')!.id
    personId = (
      await owner.call('createPerson', {
        firstName: 'Ada',
        lastName: 'Byron',
        email: 'ada@analytical.example',
        phone: '+442079460018',
        ownerRepId: repId,
      })
    ).id
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const dialog = () => page.getByRole('dialog')
  const picker = () => dialog().getByRole('combobox')
  const card = (title: string) =>
    page.getByRole('article').filter({ has: page.getByRole('heading', { name: title }) })
  const getTask = async (title: string) => {
    const { data } = await owner.call('listTasks', { personId, limit: 100 })
    return data.find(task => task.title === title)!
  }
  const focusCard = (title: string) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: title, exact: true }) })
      .focus()
  const makeTask = (title: string, dueInHours: number) =>
    owner.call('createTask', {
      ...{ channel: 'other', title, personId, repId },
      dueAt: new Date(Date.now() + dueInHours * HOUR_MS).toISOString(),
    } as const)

  it('are created on the tasks page by keyboard, for a person found by name', async () => {
    await page.goto('/tasks')
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Mark as visited: Ben' }).waitFor()
    await page.keyboard.press('c')
    await picker().fill('byr')
    await dialog().getByRole('option', { name: 'Ada Byron' }).waitFor()
    // The form is submitted before it has loaded the person's rep.
    const submitted = Promise.withResolvers<void>()
    await page.route(/\/timeline/, async route => {
      await submitted.promise
      await route.continue()
    })
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Create a task for Ada Byron' }).waitFor()
    await page.getByLabel('What to do').fill('Call about the offer')
    await page.keyboard.press('Enter')
    await dialog()
      .getByRole('button', { name: 'Create task' })
      .and(page.locator('[aria-busy=true]'))
      .waitFor()
    submitted.resolve()
    await card('Call about the offer').waitFor()
    expect(await getTask('Call about the offer')).toMatchObject({ channel: 'call', repName: 'Grace Hopper' })
  })

  it('are created from the command palette on any page', async () => {
    await page.goto('/campaigns')
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await picker().fill('new task')
    await page.keyboard.press('Enter')
    await dialog().getByRole('option', { name: 'Ada Byron' }).click()
    await page.getByLabel('What to do').fill('Send the brochure')
    await dialog().getByLabel('Kind').selectOption('Other')
    await dialog().getByRole('button', { name: 'Create task' }).click()
    await expect.poll(() => getTask('Send the brochure')).toMatchObject({ channel: 'other' })
  })

  it('are filtered by due date in the URL', async () => {
    await makeTask('Was due long ago', -48)
    await makeTask('Is due in a month', 24 * 30)
    await page.goto('/tasks')
    await page.getByLabel('Due').selectOption('Overdue')
    await page.waitForURL('**/tasks?due=overdue')
    await card('Was due long ago').waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByLabel('Due').selectOption('Due later')
    await card('Is due in a month').waitFor()
    expect(await card('Was due long ago').count()).toBe(0)
    await page.getByLabel('Rep').selectOption('Hedy Lamarr')
    await page.getByText('No matching tasks').waitFor()
  })

  it('are snoozed and assigned by keyboard, and both can be undone', async () => {
    await page.goto('/tasks')
    await card('Was due long ago').waitFor()
    const { dueAt } = await getTask('Was due long ago')
    await focusCard('Was due long ago')
    await page.keyboard.press('h')
    await picker().fill('tomorrow')
    await page.keyboard.press('Enter')
    await page.getByText('Snoozed until').waitFor()
    const snoozed = await getTask('Was due long ago')
    expect(Date.parse(snoozed.dueAt)).toBeGreaterThan(Date.now())
    await page.keyboard.press('z')
    await page.getByText('Undone.').waitFor()
    expect(await getTask('Was due long ago')).toMatchObject({ dueAt })
    await focusCard('Was due long ago')
    await page.keyboard.press('a')
    await dialog().getByRole('option', { name: 'Hedy Lamarr' }).waitFor()
    await picker().fill('hedy')
    await page.keyboard.press('Enter')
    await page.getByText('Assigned to Hedy Lamarr.').waitFor()
    expect(await getTask('Was due long ago')).toMatchObject({ repName: 'Hedy Lamarr' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await getTask('Was due long ago')).toMatchObject({ repName: 'Grace Hopper' })
  })

  it('are edited, marked as done with undo, and reopened later', async () => {
    await card('Was due long ago').getByRole('button', { name: 'More actions: Ada Byron' }).click()
    await page.getByRole('menuitem', { name: 'Edit task' }).click()
    await page.getByLabel('What to do').fill('Ask about the order')
    await page.getByLabel('Notes').fill('Order 1815')
    await page.getByRole('button', { name: 'Save task' }).click()
    await card('Ask about the order').getByText('Order 1815').waitFor()
    await card('Ask about the order').getByRole('button', { name: 'Mark as done: Ada Byron' }).click()
    await card('Ask about the order').waitFor({ state: 'detached' })
    await page.getByText('Done: Ada Byron.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await card('Ask about the order').waitFor()
    await expect.poll(() => getTask('Ask about the order')).toMatchObject({ status: 'open' })
    await focusCard('Ask about the order')
    await page.keyboard.press('e')
    await page.getByText('Done: Ada Byron.').waitFor()
    await page.getByRole('link', { name: 'Done', exact: true }).click()
    await card('Ask about the order').getByRole('button', { name: 'Reopen: Ada Byron' }).click()
    await page.getByText('Task reopened.').waitFor()
    expect(await getTask('Ask about the order')).toMatchObject({ status: 'open' })
  })

  it('keep a snooze that a colleague set while the notes were edited', async () => {
    await page.goto('/tasks')
    const { id: taskId } = await getTask('Ask about the order')
    await card('Ask about the order').getByRole('button', { name: 'More actions: Ada Byron' }).click()
    await page.getByRole('menuitem', { name: 'Edit task' }).click()
    await page.getByLabel('Notes').fill('Order 1843')
    const dueAt = '2031-01-06T09:30:15.000Z'
    await owner.call('updateTask', { taskId, dueAt })
    await page.getByRole('button', { name: 'Save task' }).click()
    await page.getByText('Task saved.').waitFor()
    expect(await getTask('Ask about the order')).toMatchObject({ dueAt, text: 'Order 1843' })
  })

  it('are completed by logging the call', async () => {
    await page.goto('/tasks')
    const path = `**/v1/persons/${personId}`
    const error = { error: 'NotFound', message: 'There is no such person.' }
    await page.route(path, route => route.fulfill({ status: 404, json: error }))
    await card('Call about the offer').getByRole('button', { name: 'Log call: Ada Byron' }).click()
    await page.getByText(error.message).waitFor()
    await page.unroute(path)
    await owner.call('updateTask', {
      taskId: (await getTask('Call about the offer')).id,
      dueAt: new Date(Date.now() - HOUR_MS).toISOString(),
    })
    await card('Call about the offer').getByRole('button', { name: 'Log call: Ada Byron' }).click()
    await dialog().getByLabel('Length in minutes').fill('4')
    await dialog().getByLabel('Notes').fill('Wants a demo.')
    await dialog().getByRole('button', { name: 'Log call' }).click()
    await card('Call about the offer').waitFor({ state: 'detached' })
    await expect.poll(() => getTask('Call about the offer')).toMatchObject({ status: 'completed' })
    expect((await owner.call('listCalls', { personId })).data).toMatchObject([
      { duration: 240, summary: 'Wants a demo.', to: '+442079460018', outcome: 'answered' },
    ])
  })

  it('are selected by keyboard and changed together', async () => {
    await page.goto('/tasks')
    await card('Ask about the order').waitFor()
    for (const title of ['Ask about the order', 'Send the brochure']) {
      await focusCard(title)
      await page.keyboard.press('x')
    }
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('a')
    await dialog().getByRole('option', { name: 'Hedy Lamarr' }).click()
    await page.getByText('Assigned to Hedy Lamarr.').waitFor()
    for (const title of ['Ask about the order', 'Send the brochure'])
      expect(await getTask(title)).toMatchObject({ repName: 'Hedy Lamarr' })
    await page.getByLabel('Select task: Ada Byron').first().check()
    await page.getByLabel('Select task: Ada Byron').nth(1).check()
    await expectUsable(page, 'tasks-selected', widths)
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Done' }).click()
    await page.getByText('2 tasks done.').waitFor()
  })

  it('can be assigned, unlike campaign steps, which stay with the prospect’s rep', async () => {
    await page.goto('/tasks?status=completed')
    await card('Call about the offer').waitFor()
    await page.keyboard.press('a')
    expect(await page.getByText(stepsStay).count(), 'about a closed task').toBe(0)
    await page.goto('/tasks')
    await page.getByRole('button', { name: 'Mark as visited: Ben' }).waitFor()
    await page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Ben' }) })
      .focus()
    await page.keyboard.press('a')
    await page.getByText(stepsStay).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Ben', level: 1 }).waitFor()
  })

  it('appear while the page is open', async () => {
    await page.goto('/tasks')
    await page.getByRole('button', { name: 'Mark as visited: Ben' }).waitFor()
    await makeTask('Came from elsewhere', -1)
    await card('Came from elsewhere').waitFor()
  })

  it('are shown as skipped on the person’s page at once, even without live updates', async () => {
    await makeTask('No longer needed', -1)
    await page.route('**/v1/session/events*', route => route.abort())
    await page.goto(`/people/${personId}`)
    const entry = page
      .getByRole('list', { name: 'Timeline' })
      .getByRole('listitem')
      .filter({ hasText: 'No longer needed' })
    await entry.getByText('Open').waitFor()
    await page.getByRole('link', { name: /^Tasks/ }).click()
    await card('No longer needed').getByRole('button', { name: 'Skip task: Ada Byron' }).click()
    await dialog().getByRole('button', { name: 'Skip task' }).click()
    await page.getByText('Task skipped.').waitFor()
    await page.goBack()
    await entry.getByText('Skipped').waitFor()
    await page.unroute('**/v1/session/events*')
  })

  it('are shown to a viewer without any button that changes them', async () => {
    const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
    const viewerPage = await browser.newPage()
    await addSessionCookie(viewerPage, server.url, await server.createCookie(viewer))
    await viewerPage.goto('/tasks')
    await viewerPage.getByRole('heading', { name: 'Came from elsewhere' }).waitFor()
    expect(await viewerPage.getByRole('main').getByRole('button').count()).toBe(0)
    expect(await viewerPage.getByRole('checkbox').count()).toBe(0)
    await viewerPage.keyboard.press('e')
    await viewerPage.keyboard.press('c')
    await viewerPage.keyboard.press('a')
    expect(await viewerPage.getByRole('dialog').count()).toBe(0)
    expect(await viewerPage.getByText(stepsStay).count()).toBe(0)
    await viewerPage.close()
  })

  it('make no requests to other hosts, violate no policy and throw no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
