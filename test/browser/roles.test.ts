import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getPermissionScope, type Permission, type Role, roles } from '../../src/contract/permissions.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { navigateInApp, signedInPages } from '../support/browser/pages.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { makeWorld, type World } from '../support/contract/world.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

/** The permission that each button or link requires, by its label. */
const actions: Record<string, Permission> = {
  'New campaign': 'Campaign.EditCampaign',
  'Import people': 'Prospect.EditProspect',
  'Edit details': 'Prospect.EditProspect',
  'Add note': 'Prospect.EditProspect',
  'Add to campaign': 'Prospect.EditProspect',
  'Merge duplicate': 'Prospect.EditProspect',
  'Log call': 'Call.TriggerCall',
  'Create task': 'Task.EditTask',
  'New task': 'Task.EditTask',
  'Write email': 'Inbox.SendMessage',
  'Pause prospect': 'Prospect.EditProspect',
  'Stop sequence': 'Prospect.EditProspect',
  'Export data': 'Prospect.ManagePersonalData',
  'Erase person': 'Prospect.ManagePersonalData',
  'Add tag': 'Inbox.EditTags',
  Snooze: 'Inbox.SendMessage',
  Assign: 'Inbox.SendMessage',
  'Mark as sent': 'Task.EditTask',
  'Skip task': 'Task.EditTask',
  'Add step': 'Campaign.EditCampaign',
  'Launch campaign': 'Campaign.EditCampaign',
  'Save sending settings': 'Campaign.EditCampaign',
  'Edit knowledge': 'Campaign.EditCampaign',
  Rename: 'Campaign.EditCampaign',
  'Opt out': 'DoNotContact.EditDoNotContact',
  'Add to list': 'DoNotContact.EditDoNotContact',
  Withdraw: 'DoNotContact.EditDoNotContact',
  Revoke: 'Account.ManageMembers',
  'Save account': 'Account.ManageSettings',
  'Record consent': 'DoNotContact.EditDoNotContact',
  'Add assistant': 'Rep.EditRep',
  'Invite member': 'Account.ManageMembers',
  'Add webhook': 'Account.ManageWebhooks',
  'Create field': 'Campaign.EditCampaign',
  'Create snippet': 'Inbox.CreateDraft',
  'Duplicate campaign': 'Campaign.EditCampaign',
  'Archive campaign': 'Campaign.EditCampaign',
  'Add rep': 'Rep.EditRep',
  'Edit rep': 'Rep.EditRep',
  'Connect mailbox': 'Rep.EditRep',
  Limits: 'Rep.EditRep',
}

/** Every page of the app, without further entries that differ only in the query. */
const paths = signedInPages.map(([path]) => path).filter(path => !path.includes('?'))

describe.skipIf(!hasChromium())('the web app', () => {
  let server: TestServer
  let browser: TestBrowser
  let world: World
  const callers = {} as Record<Role, Caller>
  const seen = new Map<string, Set<Role>>()
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    callers.owner = await makeCaller(server.app)
    for (const role of roles)
      if (role !== 'owner') callers[role] = await makeCaller(server.app, role, callers.owner.accountId)
    world = await makeWorld(server.app, callers.owner)
    // Members see the conversations of their own reps.
    await callers.owner.call('updateRep', { repId: world.repId, ownedById: callers.member.userId })
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it.each(roles)(
    'shows the role %s only permitted actions on every page, and sends no forbidden requests',
    async role => {
      const page = await browser.newPage()
      await addSessionCookie(page, server.url, await server.createCookie(callers[role]))
      const errors: string[] = []
      let path = ''
      page.on('response', response => {
        if (response.status() >= 400) errors.push(`${path}: ${response.status()} ${response.url()}`)
      })
      await page.goto('/')
      for (path of paths) {
        await navigateInApp(
          page,
          path.replace(/:(\w+)/, (_all, name: keyof World) => String(world[name])),
        )
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
        const names = await page.locator('main :is(a, button)').allInnerTexts()
        for (const name of [...names, ...(await readMenus(page))]) {
          const permission = actions[name]
          if (!permission) continue
          seen.set(name, (seen.get(name) ?? new Set()).add(role))
          if (!getPermissionScope(role, permission)) errors.push(`${path}: offers “${name}”`)
        }
      }
      expect(errors).toEqual([])
      await page.context().close()
    },
  )

  it('offers each action to the owner', () => {
    expect(Object.keys(actions).filter(name => !seen.get(name)?.has('owner'))).toEqual([])
  })
})

/** Opens one menu for each menu label on the page, and returns the names of all items. */
async function readMenus(page: Page): Promise<string[]> {
  const items: string[] = []
  const menus = page.locator('main button[aria-haspopup=menu]')
  for (const label of new Set(await menus.allInnerTexts())) {
    await menus.filter({ hasText: label }).first().click()
    await page.getByRole('menuitem').first().waitFor()
    items.push(...(await page.getByRole('menuitem').allInnerTexts()))
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
  }
  return items.map(item => item.split('\n')[0]!)
}
