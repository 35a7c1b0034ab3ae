import { type ClaimedReply, claimReplies } from '../../domain/reply-agent/claim-replies.ts'
import { openTurns } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { answerReply, REPLY_LEASE_MS } from './answer-reply.ts'
import { sendByAutopilot } from './send-by-autopilot.ts'

/** A slow model is waited for by its own account alone. */
const PER_ACCOUNT = 4

/** What has to be done with a claimed reply now: the model is asked, or its draft leaves. */
export const takeTurn = (app: App, claim: ClaimedReply, signal: AbortSignal): Promise<void> =>
  claim.state === 'pending' ? answerReply(app, claim, signal) : sendByAutopilot(app, claim)

/** Gives each reply that is due its turn. Disposing claims no more, and lets go of the models that are thinking. */
export const openReplyTurns = (app: App): AsyncDisposable =>
  openTurns(app, {
    what: 'replies',
    claimMs: 1_000,
    leaseMs: REPLY_LEASE_MS,
    most: 20,
    claim: (limit, underWay: readonly ClaimedReply[]) => {
      const ofAccounts = Map.groupBy(underWay, ({ accountId }) => accountId)
      const busy = [...ofAccounts]
        .filter(([, of]) => of.length >= PER_ACCOUNT)
        .map(([accountId]) => accountId)
      const due = { now: app.now(), limit, perAccount: PER_ACCOUNT, leaseMs: REPLY_LEASE_MS, busy }
      return claimReplies(app.db.engine, due)
    },
    begin: ({ messageId }) => failpoint('reply.claimed', messageId),
    take: (claim, signal) => takeTurn(app, claim, signal),
    logFault: ({ messageId }, err) =>
      app.log.error({ messageId, err }, 'engine: a reply was not answered; its lease will end'),
  })
