import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { getOAuthSettings } from '../support/mail/oauth-mail.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { randomFrom } from '../support/random.ts'
import { openFaultyOAuth } from './faulty-oauth.ts'
import { raceOptOuts } from './opt-out-during-send.ts'
import { report } from './tally-deliveries.ts'

const random = randomFrom('OPT_OUT_DURING_SEND_SEED')
let app: TestApp
let oauth: OAuthServer
beforeAll(async () => {
  oauth = await openFaultyOAuth(random)
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', ...getOAuthSettings(oauth) })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await oauth[Symbol.asyncDispose]()
})

it.each([
  ['password', 500],
  ['OAuth', 250],
] as const)(
  'with mailboxes that sign in by %s, only emails that an opt-out reported as in flight are sent after its acknowledgement',
  async (method, races) => {
    const figures = await raceOptOuts(app, { races, random, ...(method === 'OAuth' && { oauth }) })
    report('opt-out-during-send', { method, races, ...figures })
    expect(figures).toMatchObject({ late: 0, lost: 0, duplicated: 0, misreported: 0, unconfirmed: 0 })
    // Every result of the race must occur, otherwise the test proves nothing.
    expect(figures.sent).toBeGreaterThan(0)
    expect(figures.suppressed).toBeGreaterThan(0)
    expect(figures.inFlight).toBeGreaterThan(0)
    expect(figures.sent + figures.suppressed).toBe(races)
  },
)
