import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { AppError, conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { getAssistant, lockAssistant } from './assistants.ts'
import { openProvider, type StoredVoice } from './voice-provider.ts'

/** Shorter than this server’s own response timeout, because the caller is waiting. */
const TIMEOUT_MS = 20_000

/** Contacts the provider between two transactions, so that no transaction waits for the network. */
export async function verifyAssistant(
  ctx: Context,
  { assistantId }: Input<'verifyAssistant'>,
): Promise<Json<Output<'verifyAssistant'>>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const assistant = await inTransaction(tx => lockAssistant(tx, assistantId))
  const problem = await findProblem(ctx, assistant)
  await inTransaction(async tx => {
    const stored = await tx.sql`
      update assistants
         set status        = ${problem ? 'failing' : 'active'},
             status_reason = ${problem ?? null},
             verified_at   = case when ${problem === undefined} then now() else verified_at end,
             updated_at    = now()
       where account_id = ${tx.accountId} and id = ${assistantId}
         and (from_number, provider_settings, api_key)
             is not distinct from (${assistant.fromNumber}, ${assistant.settings && tx.sql.json(assistant.settings)}::jsonb, ${assistant.apiKey}::bytea)`
    if (stored.count === 0)
      throw conflict('The assistant was changed while it was being verified. Verify it again.')
    await audit(tx, 'verify', 'assistant', assistantId)
  })
  return getAssistant(ctx, { assistantId })
}

/** Returns why calls can’t be placed; undefined when they can. */
async function findProblem(
  { app }: Context,
  assistant: StoredVoice & { fromNumber: string },
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await openProvider(app, assistant).findProblem(assistant.fromNumber, signal)
  } catch (error) {
    if (error instanceof AppError) return error.message
    app.log.info(
      { assistantId: assistant.id, err: error },
      'verifying an assistant failed without a clear result',
    )
    return signal.aborted
      ? `The provider did not respond within ${TIMEOUT_MS / 1000} seconds.`
      : 'The provider returned no usable response. Check its status page, and try again.'
  }
}
