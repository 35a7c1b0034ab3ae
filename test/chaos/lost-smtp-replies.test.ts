import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { loseSmtpReplies } from './lost-smtp-replies.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('an email whose SMTP reply is lost is shown as unconfirmed and never resent automatically', async () => {
  const mails = 200
  const figures = await loseSmtpReplies(app, { mails, random: randomFrom('LOST_SMTP_REPLIES_SEED') })
  report('lost-smtp-replies', { mails, ...figures })
  expect(figures).toMatchObject({ lost: 0, doubled: 0, silent: 0, failed: 0, sent: 0, unknown: mails })
  expect(figures.unknownDelivered).toBeGreaterThan(mails / 4)
  expect(figures.unknownDelivered).toBeLessThan((mails * 3) / 4)
}, 600_000)
