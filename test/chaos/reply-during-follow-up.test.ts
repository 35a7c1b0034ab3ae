import { expect, it } from 'vitest'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { randomFrom } from '../support/random.ts'
import { raceReplies } from './reply-during-follow-up.ts'
import { report } from './tally-deliveries.ts'

/**
 * A reply and a follow-up can cross, because a reply becomes known only at the next sync. We promise that no step is
 * sent after a sync that began after the reply's arrival. While syncs fail, we promise that no step is sent once the
 * inbox has gone without a sync for too long.
 */
it.runIf(hasDovecot())(
  'a prospect who replied gets no further step, except one that crosses the reply within the promised time',
  async () => {
    const replies = 150
    const random = randomFrom('REPLY_DURING_FOLLOW_UP_SEED')
    const figures = await raceReplies({ replies, unanswered: 50, random })
    report('reply-during-follow-up', { ...figures })
    expect(figures).toMatchObject({
      replies,
      late: 0,
      stale: 0,
      duplicated: 0,
      lost: 0,
      skippedEmails: 0,
      missingSteps: 0,
    })
    // Every result of the race must occur, otherwise the test proves nothing.
    expect(figures.followUps).toBeGreaterThan(2 * 50)
    expect(figures.followUps).toBeLessThan(2 * 200)
    expect(figures.unreadSamples).toBeGreaterThan(0)
    expect(figures.withTokens.followUps).toBeGreaterThan(25)
    expect(figures.withTokens.requests).toBeGreaterThan(0)
  },
)
