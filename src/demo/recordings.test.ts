import { expect, it } from 'vitest'
import { openTestApp } from '../../test/support/app.ts'
import { readConfig } from '../server/kernel/config.ts'
import { serve } from '../server/main.ts'
import { openDemo } from './demo.ts'
import { allowOwnHost } from './webhook/receiver.ts'

it('call recordings of the demo can be played in full and from an offset', async () => {
  await using app = await openTestApp()
  const config = allowOwnHost(readConfig({}, { OVERTURE_DATA: app.dataDir, PORT: '0', LOG_LEVEL: 'silent' }))
  const installation = {
    app: { ...app, config },
    dataDir: app.dataDir,
    [Symbol.asyncDispose]: async () => {},
  }
  const demo = await openDemo(installation)
  await using running = await serve(config, installation, demo.mount)
  await using _demo = await demo.start(running)
  const get = (path: string, headers = {}) =>
    fetch(running.url + path, {
      headers: { authorization: `Bearer ${demo.info.tokens['manager@demo.example']}`, ...headers },
    })
  const { data } = (await (await get('/v1/calls?limit=100')).json()) as {
    data: { recordingUrl?: string; duration?: number }[]
  }
  const recorded = data.filter(({ recordingUrl }) => recordingUrl)
  expect(recorded).toHaveLength(2)
  for (const { recordingUrl, duration } of recorded) {
    const { pathname } = new URL(recordingUrl!)
    const whole = await get(pathname)
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    const audio = Buffer.from(await whole.arrayBuffer())
    expect([audio.toString('latin1', 0, 4), audio.length]).toEqual(['RIFF', 44 + duration! * 8_000])
    expect(new Set(audio.subarray(44)).size).toBeGreaterThan(50)
    const rest = await get(pathname, { range: 'bytes=1000-' })
    expect(rest.status).toBe(206)
    expect(Buffer.from(await rest.arrayBuffer()).equals(audio.subarray(1000))).toBe(true)
  }
})
