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
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { SoundServer } from '../support/voice/sound-server.ts'

const DAY_MS = 86_400_000
const widths = [360, 768, 1440, 1920]
const lines = Array.from({ length: 30 }, (_, index) => ({
  role: index % 2 === 0 ? 'assistant' : 'person',
  text: `Line ${index + 1} of the conversation.`,
  at: index * 3,
}))

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('calls with a person', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let desk: Desk
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    owner = await makeCaller(server.app)
    desk = await makeDesk(owner)
    await owner.call('updatePerson', { personId: desk.personId, phone: '+442079460031' })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const dialog = () => page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const listCalls = async () => (await owner.call('listCalls', { personId: desk.personId })).data

  it('require an assistant, and the dialog links to the page for adding one', async () => {
    await page.goto(`/people/${desk.personId}`)
    await button('Place call').click()
    await dialog().getByText('your reps don’t have one yet').waitFor()
    await dialog().getByRole('link', { name: 'Add assistant' }).click()
    await page.getByRole('heading', { name: 'Add assistant', level: 1 }).waitFor()
    await owner.call('createAssistant', {
      ...{ name: 'Front desk', fromNumber: '+442079460018', repId: desk.repId },
    })
  })

  it('are scheduled from the person’s page, and scheduling can be undone immediately', async () => {
    await page.goto(`/people/${desk.personId}`)
    await button('Place call').click()
    await dialog().getByLabel('Not before').fill('2099-01-01T10:00')
    await dialog().getByText('Consent missing').waitFor()
    await expectUsable(page, 'place-call', widths)
    await dialog().getByRole('button', { name: 'Schedule call' }).click()
    await dialog().getByText('must be within a year', { exact: false }).waitFor()
    await dialog().getByLabel('Not before').fill('2020-01-01T10:00')
    await dialog().getByRole('button', { name: 'Schedule call' }).click()
    await dialog().getByText('Choose a time in the future').waitFor()
    expect(await listCalls()).toEqual([])
    const at = new Date(Date.now() + 30 * DAY_MS)
    await dialog()
      .getByLabel('Not before')
      .fill(`${at.toISOString().slice(0, 10)}T12:00`)
    await dialog().getByLabel('Notes for the assistant').fill('Prefers mornings.')
    await dialog().getByRole('button', { name: 'Schedule call' }).click()
    await page.getByText('The call to Ada is scheduled for').waitFor()
    expect(await listCalls()).toMatchObject([
      { status: 'queued', to: '+442079460031', data: { notes: 'Prefers mornings.' } },
    ])
    await button('Undo').click()
    await page.getByText('Call cancelled.').waitFor()
    expect(await listCalls()).toMatchObject([{ status: 'ended', outcome: 'withdrawn' }])
  })

  it('are scheduled by keyboard from the command palette, and cancelled on their page', async () => {
    await page.goto('/calls')
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await dialog().getByRole('combobox').fill('place call')
    await page.keyboard.press('Enter')
    await dialog().getByRole('combobox', { name: 'Find a person' }).fill('ada')
    await dialog().getByRole('option', { name: 'Ada' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog().getByLabel('Not before').waitFor()
    const at = new Date(Date.now() + 30 * DAY_MS)
    await dialog()
      .getByLabel('Not before')
      .fill(`${at.toISOString().slice(0, 10)}T12:00`)
    await dialog().getByLabel('Phone number').press('Enter')
    await page.getByText('The call to Ada is scheduled for').waitFor()
    const [call] = await listCalls()
    await page.getByRole('row', { name: /Ada.*Queued/ }).waitFor()
    await page.goto(`/calls/${call!.id}`)
    await button('Cancel call').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel call' }).click()
    await page.getByText('Someone cancelled the call before it was placed.').waitFor()
    expect(await button('Cancel call').count()).toBe(0)
    expect(await listCalls()).toMatchObject([{ outcome: 'withdrawn' }, { outcome: 'withdrawn' }])
  })

  it('are logged manually, and link to the person and the conversation', async () => {
    const emailThreadId = await makeThread(server.app, owner, desk)
    await makeEmail(server.app, owner, { ...desk, threadId: emailThreadId, type: 'received' })
    await page.goto('/calls')
    await button('Log call').click()
    await dialog().getByRole('option', { name: 'Ada' }).click()
    await dialog().getByLabel('Outcome').selectOption('Voicemail')
    await dialog().getByLabel('Notes').fill('Calls back on Monday.')
    await dialog().getByRole('button', { name: 'Log call' }).click()
    await page
      .getByRole('row', { name: /Ada.*Voicemail/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Notes' }).waitFor()
    await page.getByText('Calls back on Monday.').waitFor()
    await page.getByText('Grace Hopper').waitFor()
    expect(await page.getByText('unknown').count()).toBe(0)
    await page.getByRole('link', { name: 'Open conversation' }).click()
    await page.waitForURL(`**/inbox/${emailThreadId}*`)
    await page.goBack()
    await page.getByRole('link', { name: 'Ada', exact: true }).click()
    await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor()
  })

  it('are found by outcome, caller and time', async () => {
    await page.goto('/calls')
    await page.getByLabel('Status').selectOption('Voicemail')
    await page.waitForURL('**/calls?outcome=voicemail')
    await page.getByRole('row', { name: /Ada.*Voicemail/ }).waitFor()
    expect(await page.getByRole('row', { name: /Cancelled/ }).count()).toBe(0)
    await page.getByLabel('Caller').selectOption('Front desk')
    await page.getByText('No matching calls').waitFor()
    await page.getByLabel('Caller').selectOption('Grace Hopper')
    await page.getByLabel('Period').selectOption('Last 7 days')
    await page.getByRole('row', { name: /Ada.*Voicemail/ }).waitFor()
    await expectUsable(page, 'calls-filtered', widths)
    await page.getByLabel('Status').selectOption('Any status')
    await page
      .getByRole('row', { name: /Cancelled/ })
      .first()
      .waitFor()
  })

  const makeEndedCall = async (recordingUrl: string | null): Promise<string> => {
    const [{ id } = { id: '' }] = await listCalls()
    await server.app.owner`
      update calls
         set status = 'ended', outcome = 'answered', transcript = ${server.app.owner.json(lines)},
             recording_url = ${recordingUrl},
             assistant_id = (select id from assistants where account_id = ${owner.accountId})
       where id = ${id}`
    return id
  }

  it('play with a synchronized transcript, controlled by click and by keyboard', async () => {
    await using sound = await SoundServer.open(90)
    const callId = await makeEndedCall(sound.url)
    await page.setViewportSize({ width: 1440, height: 700 })
    await page.goto(`/calls/${callId}`)
    const player = page.getByLabel('Recording', { exact: true })
    const read = <K extends 'currentTime' | 'paused'>(key: K) =>
      player.evaluate((audio, key) => (audio as HTMLAudioElement)[key as K], key)
    const line = (n: number) => page.getByRole('listitem').filter({ hasText: `Line ${n} of` })
    await line(2).getByText('Line 2 of').click()
    await expect.poll(() => read('paused')).toBe(false)
    await expect.poll(() => line(2).getAttribute('aria-current')).toBe('true')
    await page.keyboard.press(' ')
    await expect.poll(() => read('paused')).toBe(true)
    const before = await read('currentTime')
    for (let n = 0; n < 15; n++) await page.keyboard.press('ArrowRight')
    await expect.poll(() => read('currentTime')).toBeGreaterThan(before + 70)
    const current = page.getByRole('list', { name: 'Transcript' }).locator('[aria-current=true]')
    await expect.poll(() => current.innerText()).toMatch(/Line 2[5-9] of/)
    await expect.poll(() => isInSight(current)).toBe(true)
    expect(await isInSight(player)).toBe(true)
    await expectUsable(page, 'call-player', widths)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => read('currentTime')).toBeLessThan(before + 72)
    await line(4).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => line(4).getAttribute('aria-current')).toBe('true')
    // The space bar also pauses after a click on a time, instead of playing from that time again.
    await button('Play from 0:12').click()
    await expect.poll(() => read('paused')).toBe(false)
    await page.keyboard.press(' ')
    await expect.poll(() => read('paused')).toBe(true)
  })

  const isInSight = (element: ReturnType<Page['locator']>): Promise<boolean> =>
    element.evaluate(one => {
      const { top, bottom } = one.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })

  it('show the transcript without a recording', async () => {
    await page.goto(`/calls/${await makeEndedCall(null)}`)
    await page.getByText('Line 30 of').waitFor()
    expect(await page.getByRole('button', { name: /Play from/ }).count()).toBe(0)
    expect(await page.getByLabel('Recording', { exact: true }).count()).toBe(0)
  })

  it('offer a viewer no button to place, log or cancel a call', async () => {
    const { callId } = await owner.call('triggerAssistantCall', {
      assistantId: (await owner.call('listAssistants', {})).data[0]!.id,
      ...{ name: 'Ada', phoneNumber: '+442079460031' },
      notBefore: new Date(Date.now() + DAY_MS).toISOString(),
    })
    const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
    const viewerPage = await browser.newPage()
    await addSessionCookie(viewerPage, server.url, await server.createCookie(viewer))
    for (const path of ['/calls', `/calls/${callId}`, `/people/${desk.personId}`]) {
      await viewerPage.goto(path)
      await viewerPage.getByRole('main').getByText('Ada').first().waitFor()
      expect(await viewerPage.getByRole('button', { name: /^(Place|Log|Cancel) call$/ }).count()).toBe(0)
    }
    await viewerPage.close()
  })

  it('are logged for the rep who last wrote to the person, and a new person’s tasks default to the user’s own rep', async () => {
    const { userId } = await makeCaller(server.app, 'member', owner.accountId)
    await owner.call('createRep', { name: 'Mary Ward', ownedById: userId })
    const { data: reps } = await owner.call('listReps', {})
    expect(reps[0], 'the rep that is listed first').toMatchObject({ name: 'Mary Ward' })
    await page.goto(`/people/${desk.personId}`)
    await button('Log call').click()
    await expect.poll(() => dialog().getByLabel('Rep').inputValue()).toBe(desk.repId)
    expect(await dialog().getByLabel('Rep').locator('option').allInnerTexts()).toEqual(
      expect.not.arrayContaining(['Default']),
    )
    await dialog().getByRole('button', { name: 'Log call' }).click()
    await page.getByText('Call logged.').waitFor()
    const [logged] = await listCalls()
    expect(logged).toMatchObject({ outcome: 'answered', repId: desk.repId })
    const { id: personId } = await owner.call('createPerson', { email: 'hedy@lamarr.example' })
    await page.goto(`/people/${personId}`)
    await button('Create task').click()
    await expect.poll(() => dialog().getByLabel('Rep').inputValue()).not.toBe('')
    await dialog().getByRole('button', { name: 'Create task' }).click()
    await page.getByText('Task created.').waitFor()
    const { data } = await owner.call('listTasks', { personId })
    expect(data[0]).toMatchObject({ repId: desk.repId })
  })

  it('make no requests to other hosts, violate no policy and throw no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
