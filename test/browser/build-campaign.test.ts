import type { Locator, Page } from 'playwright-core'
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
describe.skipIf(!hasChromium())('the campaign builder', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    await owner.call('createRep', { name: 'Ada Byron' })
    await owner.call('createAssistant', {
      name: 'Night desk',
      provider: 'simulated',
      fromNumber: '+442079460000',
    })
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const campaignId = () => new URL(page.url()).pathname.split('/')[2]!
  const getSteps = async () => (await owner.call('getCampaign', { campaignId: campaignId() })).steps
  const waitUntilSaved = () => page.getByText('Saved', { exact: true }).waitFor()
  const create = async (name: string, start = 'An empty sequence') => {
    await page.goto('/campaigns')
    await button('New campaign').click()
    await field('Name').fill(name)
    await page.getByLabel('Start from').selectOption(start)
    await button('Create campaign').click()
    await page.getByRole('heading', { name }).waitFor()
    await page.waitForURL('**/steps')
  }
  const addStep = async (channel: string) => {
    await button('Add step').click()
    await page.getByRole('menuitem', { name: channel }).click()
  }

  it('creates a campaign from a template or as a copy, and opens its steps', async () => {
    await create('Autumn', 'First contact')
    expect(await getSteps()).toHaveLength(4)
    const { repIds } = await owner.call('getCampaign', { campaignId: campaignId() })
    expect(repIds, 'the only rep of the account').toHaveLength(1)
    await create('Winter', 'Autumn')
    expect(await getSteps()).toHaveLength(4)
  })

  it('stores a sequence as entered: an email with two variants, an invitation and a call', async () => {
    await create('By mouse')
    await addStep('Email')
    await field('Subject').focus()
    expect(await page.getByText('Needs a subject', { exact: true }).count(), 'before the field is left').toBe(
      0,
    )
    await field('Message').focus()
    await page.getByText('Needs a subject', { exact: true }).waitFor()
    await field('Subject').fill('A question')
    await field('Message').fill('Hi ')
    await button('Insert variable').click()
    await page.getByRole('menuitem', { name: 'First name' }).click()
    await page.keyboard.type(', are you hiring?')
    await button('Add variant B').click()
    await field('Subject of variant B').fill('Hiring at {{ company }}')
    await addStep('LinkedIn invitation')
    await page.getByRole('textbox', { name: /^Note/ }).fill('Glad to connect.')
    await addStep('AI call')
    await button('Add fact').click()
    await field('Name').fill('reason')
    await field('Value').fill('{{ company }} is hiring')
    await page.getByLabel('Assistant').selectOption('Night desk')
    await waitUntilSaved()
    await expect.poll(async () => (await getSteps())[2]?.call?.assistantId).toBeDefined()
    const [email, invitation, call] = await getSteps()
    const body = 'Hi {{ firstName | default: "there" }}, are you hiring?'
    expect(email).toMatchObject({
      channel: 'email',
      delay: { amount: 0, unit: 'minutes' },
      thread: 'new',
      variants: [
        { subject: 'A question', body, weight: 1 },
        { subject: 'Hiring at {{ company }}', body, weight: 1 },
      ],
    })
    expect(invitation).toMatchObject({
      channel: 'linkedin_connect',
      delay: { amount: 3, unit: 'business_days' },
      variants: [{ body: 'Glad to connect.' }],
    })
    expect(call).toMatchObject({
      channel: 'call',
      call: { data: { reason: '{{ company }} is hiring' }, onAnswered: 'stop', retries: 2 },
    })
  })

  it('keeps everything after a reload and previews the open step for a sample person', async () => {
    await page.reload()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await field('Subject of variant A').inputValue()).toBe('A question')
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('Ada Byron (sample)').waitFor()
    await preview.getByText('Hi Ada, are you hiring?').waitFor()
    await expectUsable(page, 'step-editor')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('previews the variant that is being edited, and says how many people a test needs', async () => {
    const preview = page.getByRole('region', { name: 'Preview' })
    await field('Subject of variant B').focus()
    await preview.getByText('Hiring at Analytical Engines').waitFor()
    await field('Subject of variant A').focus()
    await preview.getByText('A question').waitFor()
    await page.getByText('Each variant needs at least 100 people').waitFor()
  })

  it('opens the step that the URL names, and shows that a closed step has variants', async () => {
    await page.goto(`/campaigns/${campaignId()}/steps?step=3`)
    await button('Add fact').waitFor()
    await page.getByText('2 variants: A question').waitFor()
  })

  it('warns that the sender has no signature, and links to the page for adding one', async () => {
    await page.goto(`/campaigns/${campaignId()}/steps`)
    await field('Message of variant A').fill('Hi there, {{ signature }}')
    const preview = page.getByRole('region', { name: 'Preview' })
    const warning = preview.getByRole('listitem').filter({ hasText: 'The sender has no signature' })
    expect(await warning.getByRole('link', { name: 'Open senders' }).getAttribute('href')).toBe(
      '/settings/senders',
    )
    await waitUntilSaved()
  })

  it('builds and reorders a sequence by keyboard alone', async () => {
    await create('By keyboard')
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
    const waitForFocus = (target: Locator) =>
      expect.poll(() => target.evaluate(element => element === document.activeElement)).toBe(true)
    await button('Add step').focus()
    await press('Enter')
    await waitForFocus(page.getByRole('menuitem', { name: 'Email' }))
    await press('Enter')
    await waitForFocus(field('Subject'))
    await page.keyboard.type('Hello')
    await press('Tab')
    await page.keyboard.type('First words')
    await button('Add step').focus()
    await press('Enter')
    await waitForFocus(page.getByRole('menuitem', { name: 'Email' }))
    await press('End')
    await waitForFocus(page.getByRole('menuitem', { name: 'Task' }))
    await press('Enter')
    await waitForFocus(field('Instructions'))
    await page.keyboard.type('Read their site')
    await press('Alt+ArrowUp')
    await page.getByText('Step moved to position 1 of 2.').waitFor()
    await page.keyboard.type(' twice')
    await expect
      .poll(async () => (await getSteps()).map(({ channel, variants }) => [channel, variants[0]?.body]))
      .toEqual([
        ['task', 'Read their site twice'],
        ['email', 'First words'],
      ])
    await waitUntilSaved()
  })

  it('shows a template error at its field until it is corrected', async () => {
    await field('Instructions').fill('Read about {{ shoeSize }}')
    await page.getByText('Not saved. Correct the marked fields.').waitFor()
    expect(await field('Instructions').getAttribute('aria-invalid')).toBe('true')
    await page
      .getByText(/shoeSize/)
      .last()
      .waitFor()
    await field('Instructions').fill('Read about {{ company }}')
    await waitUntilSaved()
    expect((await getSteps())[0]?.variants[0]?.body).toBe('Read about {{ company }}')
  })

  it('does not overwrite changes that somebody else made in the meantime', async () => {
    const [task, email] = await getSteps()
    const otherSteps = [
      { id: email!.id, subject: 'Theirs', body: 'Theirs' },
      { id: task!.id, channel: 'task', body: 'Theirs' },
    ] as const
    await owner.call('setCampaignSteps', { campaignId: campaignId(), steps: [...otherSteps] })
    await field('Instructions').fill('Mine')
    await page.getByText('Someone else changed these steps').waitFor()
    expect((await getSteps()).map(({ variants }) => variants[0]?.body)).toEqual(['Theirs', 'Theirs'])
    await button('Load their version').click()
    await expect.poll(() => field('Instructions').inputValue()).toBe('Theirs')
  })

  it('stops saving automatically once somebody else has launched the campaign', async () => {
    await create('Launched meanwhile')
    await addStep('Task')
    await field('Instructions').fill('Read their site')
    await waitUntilSaved()
    const url = `**/v1/campaigns/${campaignId()}`
    const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(url, async route => {
      started.resolve()
      await released.promise
      await route.continue()
    })
    await field('Instructions').fill('Read half a sent')
    await started.promise
    await server.app
      .owner`update campaigns set status = 'active', launched_at = now() where id = ${campaignId()}`
    released.resolve()
    await button('Save changes').waitFor()
    await page.getByText('Not saved yet').waitFor()
    expect((await getSteps())[0]?.variants[0]?.body).toBe('Read their site')
    await page.unroute(url)
    await field('Instructions').fill('Read half a sentence')
    await button('Save changes').click()
    await waitUntilSaved()
    expect((await getSteps())[0]?.variants[0]?.body).toBe('Read half a sentence')
  })

  it('opens another page during a save without a warning, and saves the change', async () => {
    await create('In a hurry')
    const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const stepsUrl = `**/v1/campaigns/${campaignId()}/steps`
    await page.route(stepsUrl, async route => {
      started.resolve()
      await released.promise
      await route.continue()
    })
    await addStep('LinkedIn profile visit')
    await started.promise
    const navigation = page.getByRole('navigation', { name: 'Campaign', exact: true })
    await navigation.getByRole('link', { name: 'People' }).click()
    released.resolve()
    await page.waitForURL('**/prospects')
    expect(await getSteps()).toHaveLength(1)
    await page.unroute(stepsUrl)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
