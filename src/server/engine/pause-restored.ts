import { storeSendingPause } from '../domain/accounts/sending.ts'
import { isRestored } from '../domain/webhooks/events.ts'
import { sleep } from '../kernel/async/sleep.ts'
import { type App, inAccount } from '../kernel/context.ts'

const RETRY_MS = 2_000
const REASON =
  'The database was restored from a backup, which does not contain later opt-outs and sent messages. Add the missing opt-outs and check which messages were sent since the backup.'

/**
 * Pauses all sending in every account if the database was restored into another server. Without the opt-outs and sent
 * messages since the backup, the engine would send messages again and contact people who have opted out. Retries until
 * it succeeds.
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
