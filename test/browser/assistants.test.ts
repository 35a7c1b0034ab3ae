import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { SoundServer } from '../support/voice/sound-server.ts'
import { openVapiServer, vapiKey, vapiSettings } from '../support/voice/vapi-server.ts'
import type { VoiceServer } from '../support/voice/voice-server.ts'

/** One after the other: each goes on where the one before ended. */
describe.skipIf(!hasChromium())('assistants, whom they may call and what was said', () => {
  let vapi: VoiceServer
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    vapi = await openVapiServer()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', VAPI_URL: vapi.url })
    owner = await aCaller(server.app)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await giveCookie(page, server.url, await server.cookieOf(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await vapi?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const assistants = async () => (await owner.call('listAssistants', {})).data

  it('are added with what their provider asks for, said at the field where something is missing', async () => {
    await page.goto('/calls')
    await page.getByRole('link', { name: 'Assistants' }).click()
    await page.getByText('No assistants yet').waitFor()
    await page.getByRole('link', { name: 'Add assistant' }).click()
    await page.getByLabel('Provider').selectOption('retell')
    await page.getByLabel('Agent id').fill('of another provider')
    await page.getByLabel('Provider').selectOption('vapi')
    await page.getByLabel('Name').fill('Front desk')
    await page.getByLabel('Number it calls from').fill('12')
    await page.getByLabel('Assistant id').fill(vapiSettings.assistantId)
    await page.getByLabel('API key').fill('another key')
    await button('Add assistant').click()
    await page.getByText('Fill this in').waitFor()
    await page.getByLabel('Phone number id').fill(vapiSettings.phoneNumberId)
    await button('Add assistant').click()
    await page.getByText(/^Is no phone number/).waitFor()
    await page.getByLabel('Number it calls from').fill('+44 20 7946 0018')
    await button('Add assistant').click()
    await page.getByText('not verified', { exact: true }).waitFor()
    expect(await assistants()).toMatchObject([
      { provider: 'vapi', vapi: vapiSettings, fromNumber: '+442079460018', dailyCap: 100 },
    ])
  })

  it('tell in the provider’s words what to mend, and that they can call once it is', async () => {
    await button('Verify assistant').click()
    await page.getByText('can’t call', { exact: true }).waitFor()
    const [{ statusReason } = {}] = await assistants()
    await page.getByRole('alert').getByText(statusReason!).waitFor()
    await page.getByLabel('API key').fill(vapiKey)
    await button('Save assistant').click()
    await page.getByText('not verified', { exact: true }).waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe('')
    await button('Verify assistant').click()
    await page.getByText('can call', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(vapiKey)
  })

  it('keep what is not changed, lose what is emptied, and stay verified', async () => {
    await page.getByLabel('First message').fill('Have you a minute?')
    await page.getByLabel('Longest call').fill('300')
    await button('Save assistant').click()
    await page.getByText('Front desk is saved.').waitFor()
    expect(await assistants()).toMatchObject([
      { firstMessage: 'Have you a minute?', maxDurationSeconds: 300, status: 'active', vapi: vapiSettings },
    ])
    await page.reload()
    await page.getByLabel('First message').fill('')
    await page.getByLabel('Longest call').fill('')
    await button('Save assistant').click()
    await page.getByText('Front desk is saved.').waitFor()
    const [changed] = await assistants()
    expect(changed).not.toHaveProperty('firstMessage')
    expect(changed).not.toHaveProperty('maxDurationSeconds')
  })

  it('call whoever agreed: a consent that the law asks for is recorded, found and withdrawn', async () => {
    await page.goto('/calls/consents')
    await page.getByText('Where a consent is needed').click()
    await page.getByText(/^Written: .*United States/).waitFor()
    await page.getByLabel('Number').fill('+1 212 555 0123')
    await button('Find').click()
    await page.waitForURL(/phoneNumber=%2B1/)
    await page.getByText('Country: United States. The law there asks for consent that is written').waitFor()
    await page.getByText('consent is missing').waitFor()
    await button('Record consent').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Number').inputValue()).toBe('+1 212 555 0123')
    await dialog.getByLabel('Who gave it').fill('Grace Hopper')
    await dialog.getByLabel('Proof').fill('Ticked <b>on our form</b>')
    await dialog.getByLabel('Given at').fill('2026-11-20T09:30')
    await dialog.getByRole('button', { name: 'Record consent' }).click()
    await page.getByText('consent is there').waitFor()
    const row = page.getByRole('row', { name: /Grace Hopper/ })
    await row.getByText('Proof', { exact: true }).click()
    await row.getByText('Ticked <b>on our form</b>').waitFor()
    await button('Withdraw the consent of Grace Hopper').click()
    await dialog.getByLabel('How it was withdrawn').fill('By email')
    await dialog.getByRole('button', { name: 'Withdraw consent' }).click()
    await page.getByText('consent is missing').waitFor()
    const { data } = await owner.call('listConsents', { phoneNumber: '+12125550123' })
    expect(data).toMatchObject([{ kind: 'written', withdrawalReason: 'By email' }])
  })

  it('let their recordings be heard from any turn on, by keyboard', async () => {
    await using sound = await SoundServer.open(90)
    const called = { assistantId: (await assistants())[0]!.id, name: 'Ada', phoneNumber: '+442079460019' }
    const { callId } = await owner.call('triggerAssistantCall', called)
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
    expect(sound.ranges, 'nothing is loaded before it is wanted').toEqual([])
    await button('Play from 1:14').press('Enter')
    const secondsPlayed = () => player.evaluate(audio => (audio as HTMLAudioElement).currentTime)
    await expect.poll(secondsPlayed, { timeout: 20_000 }).toBeGreaterThan(74)
    expect(sound.ranges.length).toBeGreaterThan(0)
  })

  it('say it when a recording can’t be had any more', async () => {
    await page.reload()
    await button('Play from 1:14').click()
    await page.getByText('The recording can’t be played.').waitFor()
  })

  it('are shown to a viewer, who is offered no change', async () => {
    const theirs = await browser.newPage()
    await giveCookie(
      theirs,
      server.url,
      await server.cookieOf(await aCaller(server.app, 'viewer', owner.accountId)),
    )
    await theirs.goto('/calls/assistants')
    await theirs.getByRole('link', { name: 'Front desk' }).click()
    await theirs.getByText('+442079460018').waitFor()
    await theirs.goto('/calls/consents')
    await theirs.getByText('Grace Hopper').waitFor()
    expect(await theirs.getByRole('button', { name: /Verify|Save|Record|Withdraw/ }).count()).toBe(0)
    await theirs.close()
  })

  it('asked no other host, broke no policy and threw nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
