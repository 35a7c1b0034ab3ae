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

describe.skipIf(!hasChromium())('the data settings area', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let personId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    const ada = { firstName: 'Ada', lastName: 'Byron', email: 'ada@analytical.example' }
    personId = (await owner.call('createPerson', ada)).id
    await owner.call('createRep', { name: 'Alan Turing' })
    await owner.call('assignTags', { entityType: 'person', entityId: personId, tags: ['Fair'] })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('creates a custom field with options, and derives its name in templates', async () => {
    await page.goto('/settings/custom-fields')
    await page.getByRole('button', { name: 'Create field' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create field' })
    await dialog.getByLabel('Name', { exact: true }).fill('Current plan')
    await dialog.getByLabel('Type').selectOption('Choice from a list')
    await dialog.getByLabel('Options').fill('Free\n\nTeam')
    await dialog.getByRole('button', { name: 'Create field' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('{{ currentPlan }}').waitFor()
    const { data } = await owner.call('listCustomFields', {})
    expect(data).toMatchObject([
      { key: 'currentPlan', label: 'Current plan', appliesTo: 'person', choices: ['Free', 'Team'] },
    ])
  })

  it('renames a custom field and adds an option without losing values', async () => {
    await owner.call('updatePerson', { personId, custom: { currentPlan: 'Team' } })
    await page.getByRole('button', { name: 'Edit Current plan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Plan')
    await dialog.getByLabel('Options').fill('Free\nTeam\nEnterprise')
    await dialog.getByRole('button', { name: 'Save field' }).click()
    await page.getByText('Free, Team, Enterprise').waitFor()
    await expectUsable(page, 'custom-fields')
    expect((await owner.call('getPerson', { personId })).custom).toEqual({ currentPlan: 'Team' })
  })

  it('deletes a custom field only after saying that its values are lost', async () => {
    await page.getByRole('button', { name: 'Delete Plan' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete Plan?' })
    await question.getByText('Its values are deleted for all people').waitFor()
    await question.getByRole('button', { name: 'Delete field' }).click()
    await page.getByText('No custom fields yet').waitFor()
    expect((await owner.call('getPerson', { personId })).custom).toBeUndefined()
  })

  it('renames a tag on everyone who has it, and deletes it', async () => {
    await page.goto('/settings/tags')
    await page.getByRole('button', { name: 'Rename Fair' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Met at the fair')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename tag' }).click()
    await page.getByRole('button', { name: 'Delete Met at the fair' }).waitFor()
    expect((await owner.call('getPerson', { personId })).tags).toEqual(['Met at the fair'])
    await expectUsable(page, 'tags', [360, 1440])
    await page.getByRole('button', { name: 'Delete Met at the fair' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete tag' }).click()
    await page.getByText('No tags yet').waitFor()
    expect((await owner.call('getPerson', { personId })).tags ?? []).toEqual([])
  })

  it('writes a snippet with a variable and shows it filled in for a person', async () => {
    await page.goto('/settings/snippets')
    await page.getByRole('button', { name: 'Create snippet' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Greeting')
    await dialog.getByLabel('Text').fill('Hello ')
    await dialog.getByText('Insert a variable').click()
    await dialog.getByRole('button', { name: 'firstName', exact: true }).click()
    await dialog.getByLabel('Share with the team').check()
    await expectUsable(page, 'snippet-form', [360, 1440])
    await dialog.getByRole('button', { name: 'Create snippet' }).click()
    await page.getByRole('button', { name: 'Preview Greeting' }).click()
    await page.getByRole('button', { name: 'Ada Byron' }).click()
    await page.getByText('Hello Ada', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const { data } = await owner.call('listSnippets', {})
    expect(data).toMatchObject([{ name: 'Greeting', text: 'Hello {{ firstName }}', isShared: true }])
  })

  it('lets members preview shared snippets and edit only their own', async () => {
    const member = await makeCaller(server.app, 'member', owner.accountId)
    await member.call('createSnippet', { name: 'Mine', text: 'See you' })
    const other = await browser.newPage()
    await addSessionCookie(other, server.url, await server.createCookie(member))
    await other.goto('/settings/snippets')
    await other.getByRole('button', { name: 'Preview Greeting' }).waitFor()
    expect(await other.getByRole('button', { name: 'Edit Greeting' }).count()).toBe(0)
    await other.getByRole('button', { name: 'Delete Mine' }).click()
    await other.getByRole('alertdialog').getByRole('button', { name: 'Delete snippet' }).click()
    await other.getByText('Mine was deleted.').waitFor()
    await expectUsable(other, 'snippets')
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
