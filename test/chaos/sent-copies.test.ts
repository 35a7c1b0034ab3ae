import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { randomFrom } from '../support/random.ts'
import { loseRepliesWithCopies } from './sent-copies.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it.runIf(hasDovecot())(
  'an email whose SMTP reply is lost is reported as sent only when its copy appears in the Sent folder',
  async () => {
    const emailCount = 100
    const random = randomFrom('SENT_COPIES_SEED')
    const { before, after, copies } = await loseRepliesWithCopies(app, { emailCount, random })
    report('sent-copies', { emailCount, copies, ...after })
    expect(before).toMatchObject({ sent: 0, unconfirmed: emailCount, duplicated: 0, lost: 0 })
    expect(after).toMatchObject({ sent: copies, unconfirmed: emailCount - copies, unconfirmedDelivered: 0 })
    expect(after).toMatchObject({ lost: 0, duplicated: 0, misreported: 0 })
  },
)
