import type { App } from '../../kernel/context.ts'
import type { Clock } from './due-time.ts'
import { findHold, type Hold } from './hold.ts'
import { isInboxStale } from './inbox-freshness.ts'

/** The facts of a planned step at the time of its call or message. */
export type PlannedStepFacts = Clock & {
  prospectStatus: string
  campaignStatus: string
  inboxSyncedAt: Date | null
}

/**
 * Returns why a planned step is held; undefined if it isn't. The caller checks whether the account has paused all
 * sending.
 */
export const findPlannedHold = (
  app: App,
  { inboxSyncedAt, ...facts }: PlannedStepFacts,
  now: Date,
): Hold | undefined =>
  findHold(
    {
      ...facts,
      isInboxStale: isInboxStale(app, inboxSyncedAt),
      isSendingPaused: false,
      task: { hasRep: true, acceptanceUntil: undefined },
      // The step's delay is over, and planning has applied the new-prospect limit.
      ...{ wait: undefined, mailboxId: undefined, newProspectLimit: undefined, quota: undefined },
    },
    now,
  )
