import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { hasDovecot } from '../support/dovecot.ts'
import { randomFrom } from '../support/random.ts'
import { report } from './check.ts'
import { loseAnswersWithCopies } from './sent-copies.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it.runIf(hasDovecot())(
  'C4: a mail whose answer is lost counts as sent once its copy shows in the sent folder, and only then',
  async () => {
    const mails = 200
    const random = randomFrom('C4_COPIES_SEED')
    const { before, after, copies } = await loseAnswersWithCopies(app, { mails, random })
    report('C4 copies', { mails, copies, ...after })
    expect(before).toMatchObject({ sent: 0, unknown: mails, doubled: 0, lost: 0 })
    expect(after).toMatchObject({ sent: copies, unknown: mails - copies, unknownDelivered: 0 })
    expect(after).toMatchObject({ lost: 0, doubled: 0, silent: 0 })
  },
  300_000,
)
