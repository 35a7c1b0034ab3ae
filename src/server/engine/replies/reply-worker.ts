import { type ClaimedReply, claimReplies } from '../../domain/reply-agent/claim-replies.ts'
import { openWorker } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { answerReply, REPLY_LEASE_MS } from './answer-reply.ts'
import { sendByAutopilot } from './send-by-autopilot.ts'

/** Maximum replies of an account in progress, so that an account with a slow model does not take every slot. */
const MAX_PER_ACCOUNT = 4

/** Classifies and answers a pending reply with the model, or sends a scheduled draft by autopilot. */
export const processReply = (app: App, claim: ClaimedReply, signal: AbortSignal): Promise<void> =>
  claim.state === 'pending' ? answerReply(app, claim, signal) : sendByAutopilot(app, claim)

/** Runs the reply agent over incoming replies. Disposing stops claiming and aborts requests to models. */
export const openReplyWorker = (app: App): AsyncDisposable =>
  openWorker(app, {
    queue: 'replies',
    pollMs: 1_000,
    leaseMs: REPLY_LEASE_MS,
    concurrency: 20,
    claim: (limit, inFlight: readonly ClaimedReply[]) => {
      const byAccount = Map.groupBy(inFlight, ({ accountId }) => accountId)
      const busy = [...byAccount]
        .filter(([, claims]) => claims.length >= MAX_PER_ACCOUNT)
        .map(([accountId]) => accountId)
      const due = { now: app.now(), limit, perAccount: MAX_PER_ACCOUNT, leaseMs: REPLY_LEASE_MS, busy }
      return claimReplies(app.db.engine, due)
    },
    prepare: ({ messageId }) => failpoint('reply.claimed', messageId),
    perform: (claim, signal) => processReply(app, claim, signal),
    logError: ({ messageId }, err) =>
      app.log.error({ messageId, err }, 'engine: processing a reply failed; retrying after the lease'),
  })
