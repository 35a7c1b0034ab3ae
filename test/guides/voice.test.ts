import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { advanceCall } from '../../src/server/domain/calls/advance-call.ts'
import { claimDueCalls } from '../../src/server/domain/calls/claim-calls.ts'
import { makeCaller } from '../support/app.ts'
import { openTestServer } from '../support/http/server.ts'
import { openTerminal, readShellBlocks, runPrinted } from '../support/processes/guide.ts'
import { findFreePort } from '../support/processes/ports.ts'
import { httpCallbackSecret, httpKey, openHttpVoiceServer } from '../support/voice/http-voice-server.ts'
import { openRetellServer, retellKey, retellSettings } from '../support/voice/retell-server.ts'
import { openVapiServer, vapiKey, vapiSettings } from '../support/voice/vapi-server.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

/** For each guide, functions that open a server of the provider and fill in placeholders as a reader does. */
const guides: Record<string, [open: typeof openVapiServer, fill: (text: string, url: string) => string]> = {
  'vapi.md': [
    openVapiServer,
    text =>
      text
        .replace('YOUR-PRIVATE-KEY', vapiKey)
        .replace('YOUR-ASSISTANT-ID', vapiSettings.assistantId)
        .replace('YOUR-PHONE-NUMBER-ID', vapiSettings.phoneNumberId),
  ],
  'retell.md': [
    openRetellServer,
    text => text.replace('YOUR-API-KEY', retellKey).replace('YOUR-AGENT-ID', retellSettings.agentId),
  ],
  'voice-http.md': [
    openHttpVoiceServer,
    (text, url) =>
      text
        .replace('YOUR-API-KEY', `"${httpKey}"`)
        .replace('YOUR-WHSEC-SECRET', httpCallbackSecret)
        .replace('https://voice.acme.example', url),
  ],
}

it.each(Object.entries(guides))(
  'the commands of docs/%s place a call when run as printed',
  async (name, [open, fill]) => {
    await using provider = await open()
    await using server = await openTestServer({
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      PUBLIC_URL: `http://127.0.0.1:${await findFreePort()}`,
      VAPI_URL: provider.url,
      RETELL_URL: provider.url,
    })
    server.app.setNow('2026-11-23T12:00:00.000Z')
    provider.now = server.app.now
    const owner = await makeCaller(server.app)
    const printed = [...(await read(`docs/${name}`)).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, text]) => text,
    )
    expect(printed).toHaveLength(2)
    const results = await runPrinted(fill(printed.join('\n'), provider.url), server.url, {
      token: await server.createToken(owner),
    })
    expect(results).toMatchObject([{ status: 'active' }, { kind: 'written' }, { callId: expect.any(String) }])
    const { callId } = results.at(-1) as { callId: string }
    for (const claim of await claimDueCalls(server.app.db.engine, { now: server.app.now(), limit: 10 }))
      await advanceCall(server.app, claim)
    const [call] = provider.calls
    expect(call).toMatchObject({ reference: callId, to: '+442079460019' })
    const sent = JSON.stringify(call!.body)
    for (const text of ['AI assistant. Do you have a minute', '4711', '+442079460020'])
      expect(sent).toContain(text)
    for (const posted of [...provider.pickUp(call!), ...provider.hangUp(call!)])
      expect((await provider.post(call!, posted)).status).toBe(200)
    expect(await owner.call('getCall', { callId })).toMatchObject({ status: 'ended', outcome: 'answered' })
  },
)

it('the commands of docs/calls.md record one consent and import several when run as printed', async () => {
  await using server = await openTestServer()
  server.app.setNow('2026-11-23T12:00:00.000Z')
  const owner = await makeCaller(server.app)
  await using terminal = await openTerminal(server.url, await server.createToken(owner))
  const printed = await readShellBlocks('calls.md', 'Consent')
  expect(await terminal.run(printed.join('\n'))).toMatchObject([
    { objectType: 'consent', phoneNumber: '+14155550123', kind: 'written' },
    { total: 1, added: 1, invalid: 0, ignoredColumns: [] },
  ])
  const [imported] = (await owner.call('listConsents', { phoneNumber: '+442079460019' })).data
  expect(imported).toMatchObject({ kind: 'express', givenAt: '2026-11-19T00:00:00.000Z' })
})
