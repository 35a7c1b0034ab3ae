import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { SoundServer } from '../support/voice/sound-server.ts'
import { openVapiServer, vapiKey, vapiSettings } from '../support/voice/vapi-server.ts'
import type { VoiceServer } from '../support/voice/voice-server.ts'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the assistants and consents area', () => {
  let vapi: VoiceServer
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    vapi = await openVapiServer()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', VAPI_URL: vapi.url })
    owner = await makeCaller(server.app)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await vapi?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const assistants = async () => (await owner.call('listAssistants', {})).data

  it('adds an assistant and marks the fields of missing provider settings', async () => {
    await page.goto('/calls')
    await page.getByRole('link', { name: 'Assistants' }).click()
    await page.getByText('No assistants yet').waitFor()
    await page.getByRole('link', { name: 'Add assistant' }).click()
    await page.getByLabel('Provider').selectOption('retell')
    await page.getByLabel('Agent ID').fill('of another provider')
    await page.getByLabel('Provider').selectOption('vapi')
    await page.getByLabel('Name').fill('Front desk')
    await page.getByLabel('Caller number').fill('12')
    await page.getByLabel('Assistant ID').fill(vapiSettings.assistantId)
    await page.getByLabel('API key').fill('another key')
    await button('Add assistant').click()
    await page.getByText('This field is required').waitFor()
    await page.getByLabel('Phone number ID').fill(vapiSettings.phoneNumberId)
    await button('Add assistant').click()
    await page.getByText(/^Must be a valid phone number/).waitFor()
    await page.getByLabel('Caller number').fill('+44 20 7946 0018')
    await button('Add assistant').click()
    await page.getByText('Not verified', { exact: true }).waitFor()
    expect(await assistants()).toMatchObject([
      { provider: 'vapi', vapi: vapiSettings, fromNumber: '+442079460018', dailyCap: 100 },
    ])
  })

  it('shows the provider’s reason when verification fails, and that the assistant is ready once the problem is fixed', async () => {
    await button('Verify assistant').click()
    await page.getByText('Verification failed', { exact: true }).waitFor()
    const [{ statusReason } = {}] = await assistants()
    await page.getByRole('alert').getByText(statusReason!).waitFor()
    await page.getByLabel('API key').fill(vapiKey)
    await button('Save assistant').click()
    await page.getByText('Not verified', { exact: true }).waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe('')
    await button('Verify assistant').click()
    await page.getByText('Ready', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(vapiKey)
  })

  it('keeps unchanged settings, clears emptied settings and keeps the assistant verified', async () => {
    await page.getByLabel('First message').fill('Do you have a minute?')
    await page.getByLabel('Maximum call duration').fill('300')
    await button('Save assistant').click()
    await page.getByText('Front desk saved.').waitFor()
    expect(await assistants()).toMatchObject([
      {
        firstMessage: 'Do you have a minute?',
        maxDurationSeconds: 300,
        status: 'active',
        vapi: vapiSettings,
      },
    ])
    await page.reload()
    await page.getByLabel('First message').fill('')
    await page.getByLabel('Maximum call duration').fill('')
    await button('Save assistant').click()
    await page.getByText('Front desk saved.').waitFor()
    const [changed] = await assistants()
    expect(changed).not.toHaveProperty('firstMessage')
    expect(changed).not.toHaveProperty('maxDurationSeconds')
  })

  it('records, finds and withdraws a consent that the law requires', async () => {
    await page.goto('/calls/consents')
    await page.getByText('Countries that require consent').click()
    await page.getByText(/^Written: .*United States/).waitFor()
    await page.getByLabel('Phone number').fill('+1 212 555 0123')
    await page.getByRole('main').getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/phoneNumber=%2B1/)
    await page.getByText('Country: United States. Calls by an AI voice require written').waitFor()
    await page.getByText('Consent missing').waitFor()
    await button('Record consent').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Phone number').inputValue()).toBe('+1 212 555 0123')
    await dialog.getByLabel('Name').fill('Grace Hopper')
    await dialog.getByLabel('Proof').fill('Ticked <b>on our form</b>')
    await dialog.getByLabel('Date given').fill('2026-11-20T09:30')
    await dialog.getByRole('button', { name: 'Record consent' }).click()
    await page.getByText('Consent recorded').waitFor()
    const row = page.getByRole('row', { name: /Grace Hopper/ })
    await row.getByText('Proof', { exact: true }).click()
    await row.getByText('Ticked <b>on our form</b>').waitFor()
    await button('Withdraw consent of Grace Hopper').click()
    await dialog.getByLabel('Reason').fill('By email')
    await dialog.getByRole('button', { name: 'Withdraw consent' }).click()
    await page.getByText('Consent missing').waitFor()
    const { data } = await owner.call('listConsents', { phoneNumber: '+12125550123' })
    expect(data).toMatchObject([{ kind: 'written', withdrawalReason: 'By email' }])
  })

  it('plays a recording from any turn of the transcript by keyboard', async () => {
    await using sound = await SoundServer.open(90)
    const input = { assistantId: (await assistants())[0]!.id, name: 'Ada', phoneNumber: '+442079460019' }
    const { callId } = await owner.call('triggerAssistantCall', input)
    const transcript = [
      { role: 'assistant', text: 'Good morning.', at: 0.4 },
      { role: 'person', text: 'Good morning.', at: 74 },
    ]
    const { owner: sql } = server.app
    await sql`
      update calls set status = 'ended', outcome = 'answered', transcript = ${sql.json(transcript)},
                       recording_url = ${sound.url}
       where id = ${callId}`
    await page.goto(`/calls/${callId}`)
    const player = page.getByLabel('Recording', { exact: true })
    await player.waitFor()
    expect(sound.ranges, 'nothing is loaded before playback').toEqual([])
    await button('Play from 1:14').press('Enter')
    const secondsPlayed = () => player.evaluate(audio => (audio as HTMLAudioElement).currentTime)
    await expect.poll(secondsPlayed, { timeout: 20_000 }).toBeGreaterThan(74)
    expect(sound.ranges.length).toBeGreaterThan(0)
  })

  it('reports a recording that is no longer available', async () => {
    await page.reload()
    await button('Play from 1:14').click()
    await page.getByText('The recording can’t be played.').waitFor()
  })

  it('shows assistants and consents to a viewer without controls to change them', async () => {
    const viewerPage = await browser.newPage()
    await addSessionCookie(
      viewerPage,
      server.url,
      await server.createCookie(await makeCaller(server.app, 'viewer', owner.accountId)),
    )
    await viewerPage.goto('/calls/assistants')
    await viewerPage.getByRole('link', { name: 'Front desk' }).click()
    await viewerPage.getByText('+442079460018').waitFor()
    await viewerPage.goto('/calls/consents')
    await viewerPage.getByText('Grace Hopper').waitFor()
    expect(await viewerPage.getByRole('button', { name: /Verify|Save|Record|Withdraw/ }).count()).toBe(0)
    await viewerPage.close()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
