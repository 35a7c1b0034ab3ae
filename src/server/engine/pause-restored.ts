import { storeSendingPause } from '../domain/accounts/sending.ts'
import { isRestored } from '../domain/webhooks/events.ts'
import { sleep } from '../kernel/async/sleep.ts'
import { type App, inAccount } from '../kernel/context.ts'

const RETRY_MS = 2_000
const REASON =
  'The database was restored from a backup, which lacks what was sent and who opted out after it. Bring the opt-outs up to date, and check what was sent since.'

/**
 * Pauses all sending in every account if the database was restored into another server: until people have told it what
 * happened since the backup, it would repeat emails and write to people who have opted out. Retries until it succeeds.
 */
export async function pauseRestored(app: App, signal: AbortSignal): Promise<void> {
  do {
    try {
      if (await isRestored(app.db.engine)) await pauseAccounts(app)
      return
    } catch (err) {
      app.log.error(
        { err },
        'engine: cannot check whether the database was restored; retrying before sending',
      )
    }
  } while (await sleep(RETRY_MS, signal))
}

async function pauseAccounts(app: App): Promise<void> {
  app.log.warn('engine: the database was restored from a backup; pausing all sending')
  const accounts = await app.db.engine<{ id: string }[]>`select id from accounts`
  for (const { id } of accounts)
    await inAccount(app.db.work, id, sql =>
      storeSendingPause({ app, sql, accountId: id, actor: 'engine' }, REASON),
    )
}
