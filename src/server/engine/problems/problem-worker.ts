import { claimProblemChecks, PROBLEM_CHECK_INTERVAL_MS } from '../../domain/accounts/problem-checks.ts'
import { chooseWinners } from '../../domain/campaigns/choose-winners.ts'
import { notifyMembers } from '../../domain/notifications/notify-members.ts'
import { recordProblems } from '../../domain/reports/record-problems.ts'
import { openWorker } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'

/**
 * Looks for problems in each account every minute, ends A/B tests that have a winner, and notifies members of what has
 * happened.
 */
export const openProblemWorker = (app: App): AsyncDisposable =>
  openWorker(app, {
    queue: 'problem checks',
    pollMs: 5_000,
    leaseMs: PROBLEM_CHECK_INTERVAL_MS,
    concurrency: 2,
    claim: limit => claimProblemChecks(app.db.engine, { now: app.now(), limit }),
    prepare: () => undefined,
    perform: ({ accountId }, signal) => checkAccount(app, accountId, signal),
    logError: ({ accountId }, err) =>
      app.log.error({ accountId, err }, 'engine: checking the account failed; retrying in a minute'),
  })

async function checkAccount(app: App, accountId: string, signal: AbortSignal): Promise<void> {
  await recordProblems(app, accountId)
  await chooseWinners(app, accountId)
  await notifyMembers(app, accountId, signal)
}
