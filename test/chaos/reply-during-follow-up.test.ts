import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { randomFrom } from '../support/random.ts'
import { raceReplies } from './reply-during-follow-up.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', INBOX_MAX_AGE_SECONDS: '20' })
})
afterAll(() => app[Symbol.asyncDispose]())

/**
 * A reply and a follow-up can cross: a reply that arrives after a sync is known after the next sync. We promise that no
 * step goes out once a sync that began after the reply's arrival has finished; and that while syncs fail, no step goes
 * out after the time an inbox may go without a sync.
 */
it.runIf(hasDovecot())(
  'a prospect who replied gets no further step, except one that crosses the reply within the promised time',
  async () => {
    const replies = 300
    const figures = await raceReplies(app, {
      replies,
      silent: 100,
      random: randomFrom('REPLY_DURING_FOLLOW_UP_SEED'),
    })
    report('reply-during-follow-up', { ...figures })
    expect(figures).toMatchObject({ replies, late: 0, stale: 0, doubled: 0, lost: 0, leftOut: 0, short: 0 })
    // Every result of the race must occur, otherwise the test proves nothing.
    expect(figures.followUps).toBeGreaterThan(2 * 100)
    expect(figures.followUps).toBeLessThan(2 * 400)
    expect(figures.unreadSamples).toBeGreaterThan(0)
  },
  600_000,
)
