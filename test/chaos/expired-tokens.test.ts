import { expect, it } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { expireAllTokens } from './expired-tokens.ts'
import { report } from './tally-deliveries.ts'

it('when the tokens of all mailboxes expire at once, each is refreshed once and all mailboxes send again', async () => {
  const [engines, mailboxes] = [3, 40]
  const random = randomFrom('EXPIRED_TOKENS_SEED')
  const figures = await expireAllTokens({ engines, mailboxes, random })
  report('expired-tokens', { engines, ...figures })
  expect(figures).toMatchObject({ mailboxes, fewestRefreshes: 1, mostRefreshes: 1 })
  expect(figures).toMatchObject({ unneeded: 0, overlapping: 0, lapsed: 0, early: 0, unclaimed: 0 })
  expect(figures).toMatchObject({ markedFailing: 0, lost: 0, duplicated: 0 })
  // Every disruption must occur, otherwise the test proves nothing.
  expect(Math.min(...Object.values(figures.disruptions))).toBeGreaterThan(0)
})
