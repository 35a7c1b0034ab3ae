import type { Input } from '../../../contract/index.ts'
import type { SendingLimits } from '../../../contract/mail-providers.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'

type MailboxLimits = Pick<Input<'updateMailbox'>, 'dailyCap' | 'minGapSeconds' | 'rampUp'>

/** Returns the limits of a new mailbox. The provider's limits apply where the mailbox has none of its own. */
export function addProviderLimits(
  limits: MailboxLimits,
  providerLimits: SendingLimits | undefined,
): MailboxLimits {
  if (!providerLimits) return limits
  const { perDay, perMinute } = providerLimits
  return {
    ...limits,
    dailyCap: limits.dailyCap === undefined ? perDay : limits.dailyCap,
    minGapSeconds: limits.minGapSeconds ?? (perMinute && Math.ceil(60 / perMinute)),
  }
}

/**
 * Stores sending limits: undefined keeps a limit and null removes it. Resets the cached quota. Returns the change to
 * the daily limit for the audit log, if there is one.
 */
export async function storeSendingLimits(
  { sql, app, accountId }: Context,
  mailboxId: string,
  { dailyCap, minGapSeconds, rampUp }: MailboxLimits,
): Promise<string | undefined> {
  if (dailyCap === undefined && minGapSeconds === undefined && rampUp === undefined) return undefined
  const [stored] = await sql<{ dailyCap: number | null; isRamping: boolean }[]>`
    select daily_cap as "dailyCap", ramp_since is not null as "isRamping"
      from mailboxes
     where account_id = ${accountId} and id = ${mailboxId}`
  const cap = dailyCap === undefined ? stored!.dailyCap : dailyCap
  if (cap === null && (rampUp === undefined ? stored!.isRamping : rampUp !== null))
    throw invalid('rampUp', 'requires dailyCap; set dailyCap or set rampUp to null')
  const ramp =
    rampUp === undefined
      ? sql``
      : sql`ramp_start = ${rampUp?.start ?? null}, ramp_increase = ${rampUp?.increase ?? null},
            ramp_since = ${rampUp ? app.now() : null}, ramp_skipped = 0, ramp_sent_at = null, ramp_stepped_back_at = null,`
  await sql`
    update mailboxes
       set daily_cap = ${cap}, min_gap_seconds = coalesce(${minGapSeconds ?? null}, min_gap_seconds), ${ramp}
           cap_resets_at = null, gap_ends_at = null, updated_at = now()
     where account_id = ${accountId} and id = ${mailboxId}`
  if (cap === stored!.dailyCap) return undefined
  return `change the daily limit from ${stored!.dailyCap ?? 'none'} to ${cap ?? 'none'}`
}
