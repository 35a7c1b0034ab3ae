import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { StepFilter } from './step-filter.ts'

// Effects of campaign operations on prospects and their queued steps: implemented in higher layers and passed in by
// handlers.ts.

/** Recomputes when waiting steps are due. */
export type RescheduleSteps = (ctx: Context, filter: StepFilter) => Promise<void>

export type CompleteCampaign = (tx: Sql, campaignId: string) => Promise<boolean>

/** Resumes the prospects that are paused because of a disposable or role address. */
export type ReleaseRiskyAddresses = (ctx: Context, campaignId: string) => PromiseLike<unknown>

export type LaunchEffects = {
  rescheduleProspects: RescheduleSteps
  /** Fails the prospects that lack a value for a variable in any step. */
  failIncompleteProspects: (ctx: Context, campaignId: string) => Promise<Incomplete>
  countOpenProspects: (ctx: Context, campaignId: string) => Promise<number>
  /** Returns the time at which the first email will be sent; undefined when no email will be sent. */
  forecastFirstSend: (ctx: Context, campaignId: string) => Promise<Date | undefined>
}

export type Incomplete = NonNullable<Output<'launchCampaign'>['incomplete']>

export type WithdrawEffects = {
  /** Deletes queued emails of steps, except those of `keptRepIds`, and makes their steps due again. */
  withdrawQueuedEmails: (ctx: Context, campaignId: string, keptRepIds?: readonly string[]) => Promise<void>
  /** Deletes open tasks of steps, except those of `keptRepIds`; returns their prospects' IDs. */
  deleteOpenTasks: (tx: Sql, campaignId: string, keptRepIds?: readonly string[]) => Promise<string[]>
  revertStep: (tx: Sql, prospectId: string, dueAt: Date) => PromiseLike<unknown>
}

export type StepEffects = WithdrawEffects & {
  rescheduleProspects: RescheduleSteps
  /** Makes failed prospects due again if missing values or template errors were the reason. */
  retryFailedRendering: (ctx: Context, campaignId: string) => PromiseLike<unknown>
  /** Ends queued calls of steps; returns their prospects' IDs. */
  withdrawCalls: (tx: Sql, campaignId: string, reason: string, now: Date) => Promise<string[]>
}
