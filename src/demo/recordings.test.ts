import { expect, it } from 'vitest'
import { openTestApp } from '../../test/support/app.ts'
import { readConfig } from '../server/kernel/config.ts'
import { serve } from '../server/main.ts'
import { openDemo } from './demo.ts'
import { allowCatcher } from './webhook-catcher.ts'

it('a recorded call of the demo can be heard, whole and from a moment on', async () => {
  await using app = await openTestApp()
  const config = allowCatcher(readConfig({}, { OVERTURE_DATA: app.dataDir, PORT: '0', LOG_LEVEL: 'silent' }))
  const installation = {
    app: { ...app, config },
    dataDir: app.dataDir,
    [Symbol.asyncDispose]: async () => {},
  }
  const demo = await openDemo(installation)
  await using running = await serve(config, installation, demo.mount)
  await using _people = await demo.begin(running)
  const get = (path: string, headers = {}) =>
    fetch(running.url + path, {
      headers: { authorization: `Bearer ${demo.facts.tokens['manager@demo.example']}`, ...headers },
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
    const sound = Buffer.from(await whole.arrayBuffer())
    expect([sound.toString('latin1', 0, 4), sound.length]).toEqual(['RIFF', 44 + duration! * 8_000])
    expect(new Set(sound.subarray(44)).size).toBeGreaterThan(50)
    const rest = await get(pathname, { range: 'bytes=1000-' })
    expect(rest.status).toBe(206)
    expect(Buffer.from(await rest.arrayBuffer()).equals(sound.subarray(1000))).toBe(true)
  }
})
