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

describe.skipIf(!hasChromium())('saved views of people', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let manager: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    manager = await makeCaller(server.app, 'manager')
    const { id } = await manager.call('createPerson', { firstName: 'Ada', email: 'ada@analytical.example' })
    await manager.call('createPerson', { firstName: 'Grace', email: 'grace@navy.example' })
    await manager.call('assignTags', { entityType: 'person', entityId: id, tags: ['Founders'] })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(manager))
    await page.goto('/people')
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const person = (name: string) => page.getByRole('link', { name, exact: true })
  const parameters = () => Object.fromEntries(new URL(page.url()).searchParams)
  const choose = async (item: string) => {
    await page.getByRole('button', { name: /^View: / }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  it('are saved from filters and columns, and opened from the menu', async () => {
    await person('Grace').waitFor()
    await page.getByLabel('Add filter').selectOption({ label: 'Founders' })
    await page.getByLabel('Add filter').selectOption({ label: 'Not contacted in 30 days' })
    await person('Grace').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByLabel('Phone').check()
    await page.keyboard.press('Escape')
    await choose('Save as new view')
    await page.getByLabel('Name', { exact: true }).fill('Founders to call')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('button', { name: 'View: Founders to call' }).waitFor()
    const opened = parameters()
    expect(opened).toMatchObject({ tag: 'Founders', notContactedForDays: '30', view: expect.any(String) })
    expect(opened.columns!.split(',')).toContain('phone')
    await choose('All people')
    await person('Grace').waitFor()
    expect(parameters()).toEqual({})
    await choose('Founders to call')
    await person('Grace').waitFor({ state: 'detached' })
    expect(parameters()).toEqual(opened)
    await page.getByRole('columnheader', { name: 'Phone' }).waitFor()
  })

  it('indicate unsaved changes, which are discarded or saved', async () => {
    await page.getByLabel('Search people').fill('ada')
    await page.getByText('Unsaved changes').waitFor()
    await expectUsable(page, 'saved-view', [360, 768, 1440, 1920])
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Search people').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Remove filter Not contacted in 30 days' }).focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.locator(':focus').getAttribute('aria-label'))
      .toBe('Remove filter Tag: Founders')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
    const { data } = await manager.call('listSavedViews', {})
    expect(data).toMatchObject([{ name: 'Founders to call', filters: { tag: 'Founders' } }])
    expect(data[0]!.filters.notContactedForDays).toBeUndefined()
  })

  it('keep the campaign that people are chosen for', async () => {
    const { id: addTo } = await manager.call('createCampaign', { name: 'Spring' })
    await page.goto(`/people?addTo=${addTo}`)
    await choose('Founders to call')
    await person('Grace').waitFor({ state: 'detached' })
    expect(parameters()).toMatchObject({ addTo, tag: 'Founders' })
    expect(await page.getByText('Unsaved changes').count()).toBe(0)
    await page.getByLabel('Search people').fill('nobody')
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await person('Grace').waitFor()
    await page.getByText('Select people for “Spring”').waitFor()
    expect(parameters()).toEqual({ addTo })
    await choose('Founders to call')
    await person('Grace').waitFor({ state: 'detached' })
  })

  it('are renamed, shared with colleagues who can’t change them, and deleted', async () => {
    await choose('Rename or share view')
    await page.getByLabel('Name', { exact: true }).fill('Founders')
    await page.getByLabel('Share with the team').check()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('button', { name: 'View: Founders', exact: true }).waitFor()
    const colleague = await browser.newPage()
    const viewer = await makeCaller(server.app, 'viewer', manager.accountId)
    await addSessionCookie(colleague, server.url, await server.createCookie(viewer))
    await colleague.goto('/people')
    await colleague.getByRole('button', { name: 'View: All people' }).click()
    await colleague.getByRole('menuitem', { name: 'Founders' }).click()
    await colleague.getByRole('button', { name: 'Remove filter Tag: Founders' }).click()
    await colleague.getByRole('button', { name: 'Save as new view' }).waitFor()
    await colleague.getByRole('button', { name: 'View: Founders' }).click()
    expect(await colleague.getByRole('menuitem', { name: 'Delete view' }).count()).toBe(0)
    await choose('Delete view')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete view' }).click()
    await page.getByRole('button', { name: 'View: All people' }).waitFor()
    expect((await manager.call('listSavedViews', {})).data).toEqual([])
  })
})
