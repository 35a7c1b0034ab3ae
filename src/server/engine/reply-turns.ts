import type { App } from '../context.ts'
import { failpoint } from '../failpoints.ts'
import { type ClaimedReply, claimReplies } from '../reply-agent/claim-replies.ts'
import { waitAtMost } from '../wait-at-most.ts'
import { answerReply, REPLY_LEASE_MS } from './answer-reply.ts'
import { hasSlept } from './has-slept.ts'
import { sendByAutopilot } from './send-by-autopilot.ts'

const CLAIM_MS = 1_000
const FAULT_MS = 2_000
const MAX_TURNS = 20
/** A slow model is waited for by its own account alone. */
const PER_ACCOUNT = 4

/** What has to be done with a claimed reply now: the model is asked, or its draft leaves. */
export const takeTurn = (app: App, claim: ClaimedReply, signal: AbortSignal): Promise<void> =>
  claim.state === 'pending' ? answerReply(app, claim, signal) : sendByAutopilot(app, claim)

/** Gives each reply that is due its turn. Disposing claims no more, and lets go of the models that are thinking. */
export function openReplyTurns(app: App): AsyncDisposable {
  const stop = new AbortController()
  const turns = new Map<Promise<void>, string>()
  const claiming = run()

  async function run(): Promise<void> {
    let waitMs = CLAIM_MS
    while (await hasSlept(waitMs, stop.signal)) {
      try {
        waitMs = CLAIM_MS
        if (!(await waitAtMost(REPLY_LEASE_MS, claim()))) app.log.error('engine: claiming replies hangs')
      } catch (err) {
        waitMs = FAULT_MS
        app.log.error({ err }, 'engine: replies were not claimed; the next time tries again')
      }
    }
  }

  async function claim(): Promise<void> {
    const limit = MAX_TURNS - turns.size
    if (limit === 0) return
    const underWay = Map.groupBy(turns.values(), accountId => accountId)
    const busy = [...underWay].filter(([, of]) => of.length >= PER_ACCOUNT).map(([accountId]) => accountId)
    const due = { now: app.now(), limit, perAccount: PER_ACCOUNT, leaseMs: REPLY_LEASE_MS, busy }
    for (const claimed of await claimReplies(app.db.engine, due)) {
      await failpoint('reply.claimed', claimed.messageId)
      const turn = takeTurn(app, claimed, stop.signal)
        .catch(err =>
          app.log.error(
            { messageId: claimed.messageId, err },
            'engine: a reply was not answered; its lease will end',
          ),
        )
        .finally(() => turns.delete(turn))
      turns.set(turn, claimed.accountId)
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await claiming
      await Promise.all(turns.keys())
    },
  }
}
