import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { getOAuthSettings } from '../support/mail/oauth-mail.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { randomFrom } from '../support/random.ts'
import { openFaultyOAuth } from './faulty-oauth.ts'
import { loseSmtpReplies } from './lost-smtp-replies.ts'
import { report } from './tally-deliveries.ts'

const random = randomFrom('LOST_SMTP_REPLIES_SEED')
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
  ['password', 200],
  ['OAuth', 100],
] as const)(
  'with a mailbox that signs in by %s, an email whose SMTP reply is lost is shown as unconfirmed and never resent automatically',
  async (method, emailCount) => {
    const figures = await loseSmtpReplies(app, { emailCount, random, ...(method === 'OAuth' && { oauth }) })
    report('lost-smtp-replies', { method, emailCount, ...figures })
    expect(figures).toMatchObject({
      lost: 0,
      duplicated: 0,
      misreported: 0,
      failed: 0,
      sent: 0,
      unconfirmed: emailCount,
    })
    expect(figures.unconfirmedDelivered).toBeGreaterThan(emailCount / 4)
    expect(figures.unconfirmedDelivered).toBeLessThan((emailCount * 3) / 4)
  },
)
