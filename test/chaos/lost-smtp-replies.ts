import { openEngine } from '../../src/server/engine/loop.ts'
import type { TestApp } from '../support/app.ts'
import { type CampaignServer, makeMailCampaign } from '../support/mail/mail-campaign.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import type { Reaction } from '../support/mail/scripted-smtp.ts'
import { FaultProxy } from './fault-proxy.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

/** Reactions to the final dot that don't say whether the email was accepted. */
const reactions: Reaction[] = ['cut', 'reset', '421 4.3.2 shutting down', 'hello', '354 go on']

/**
 * Sends emails whose reply to the final dot is lost; half of them are accepted. Three servers lose the reply
 * themselves; the fourth is behind a network that resets the connection.
 */
export async function loseSmtpReplies(
  app: TestApp,
  { emailCount, random, oauth }: { emailCount: number; random: () => number; oauth?: OAuthServer },
): Promise<Tally> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const servers: CampaignServer[] = []
  for (let n = 0; n < 4; n += 1) {
    const proxy = { opened: undefined as FaultProxy | undefined }
    const peer = await openJournaledSmtp(
      journal,
      step => {
        if (step !== 'DOT') return undefined
        const isAccepted = random() < 0.5
        if (!proxy.opened) return { isAccepted, reaction: reactions[Math.floor(random() * reactions.length)] }
        proxy.opened.resetAll()
        return { isAccepted, reaction: 'silent' }
      },
      oauth,
    )
    opened.use(peer)
    if (n === 3) proxy.opened = opened.use(await FaultProxy.open(peer.port))
    servers.push({ port: (proxy.opened ?? peer).port, oauth })
  }
  const campaign = await makeMailCampaign(app, servers, emailCount)
  oauth?.expireAccessTokens()
  {
    const clock = openClock()
    await using _engine = openEngine({ ...app, now: clock.now })
    await waitUntilIdle(app, [campaign.owner.accountId], clock)
  }
  return tallyDeliveries(app.owner, journal, campaign.owner.accountId)
}
