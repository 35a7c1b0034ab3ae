import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { getOAuthSettings } from '../support/mail/oauth-mail.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { randomFrom } from '../support/random.ts'
import { openFaultyOAuth } from './faulty-oauth.ts'
import { killDuringSends } from './kills-during-sends.ts'
import { report } from './tally-deliveries.ts'

const random = randomFrom('KILLS_DURING_SENDS_SEED')
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

it('no step is sent twice or lost, wherever four engines are killed and however their SMTP servers fail', async () => {
  const size = { engines: 4, emailsPerServer: 20, oneDeathIn: 8, oneCombinationIn: 9 }
  const figures = await killDuringSends(app, { ...size, random })
  report('kills-during-sends', figures)
  expect(figures).toMatchObject({ duplicated: 0, lost: 0, misreported: 0 })
  expect(figures.combinations).toBeGreaterThanOrEqual(60)
  expect(figures.deaths).toBeGreaterThanOrEqual(7)
})

it('no step is sent twice or lost while engines are killed and the token endpoint for OAuth mailboxes often fails', async () => {
  const size = { engines: 3, emailsPerServer: 6, oneDeathIn: 8, oneCombinationIn: 13 }
  const figures = await killDuringSends(app, { ...size, random, oauth })
  report('kills-during-sends', { method: 'OAuth', ...figures })
  expect(figures).toMatchObject({ duplicated: 0, lost: 0, misreported: 0 })
  expect(figures.combinations).toBeGreaterThanOrEqual(48)
  expect(figures.deaths).toBeGreaterThanOrEqual(5)
})
