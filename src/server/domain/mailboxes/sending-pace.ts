import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'

type Pace = Pick<Input<'updateMailbox'>, 'dailyCap' | 'minGapSeconds' | 'rampUp'>

/** Undefined leaves, null lifts a limit. What was thought to be full is looked at again. */
export async function storePace(
  { sql, app, accountId }: Context,
  mailboxId: string,
  { dailyCap, minGapSeconds, rampUp }: Pace,
): Promise<void> {
  if (dailyCap === undefined && minGapSeconds === undefined && rampUp === undefined) return
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
            ramp_since = ${rampUp ? app.now() : null},`
  await sql`
    update mailboxes
       set daily_cap = ${cap}, min_gap_seconds = coalesce(${minGapSeconds ?? null}, min_gap_seconds), ${ramp}
           full_until = null, rests_until = null, updated_at = now()
     where account_id = ${accountId} and id = ${mailboxId}`
}
