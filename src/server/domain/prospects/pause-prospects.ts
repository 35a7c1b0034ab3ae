import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { pipeline } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import { audit } from '../accounts/audit-log.ts'
import type { StopEffects } from './end-prospects.ts'
import { getProspect } from './get-prospect.ts'
import { isPausable, pausePausableProspects } from './in-touch.ts'
import { lockProspects } from './incomplete.ts'
import { readSelectedProspects, selectProspectIds } from './selected-prospects.ts'
import { checkExpectedPeople } from './stop-prospects.ts'

type Result = Output<'pauseProspects'>['data'][number]
type CountInFlight = StopEffects['countInFlight']

/** Pauses a prospect. Throws NotFound, or a conflict if its sequence has ended or is already paused. */
export async function pauseProspect(
  ctx: Context,
  { prospectId }: Input<'pauseProspect'>,
  countInFlight: CountInFlight,
): Promise<Output<'pauseProspect'>> {
  await getProspect(ctx, { prospectId })
  const [prospect] = await pause(ctx, [prospectId])
  if (prospect!.outcome !== 'paused')
    throw conflict(`A prospect that is ${prospect!.status} cannot be paused.`)
  const { text } = await getProspect(ctx, { prospectId })
  return withInFlight(ctx, JSON.parse(text), () => countInFlight(ctx, { prospectIds: [prospectId] }))
}

/** Pauses these prospects, or those at a company whose sequences have not ended. */
export async function pauseProspects(
  ctx: Context,
  { expectedPeople, ...selection }: Input<'pauseProspects'>,
  countInFlight: CountInFlight,
): Promise<Output<'pauseProspects'>> {
  const prospectIds = await selectProspectIds(ctx, selection, isPausable(ctx.sql, ctx.sql`r`))
  const data = (await pause(ctx, prospectIds)).map(({ status: _, ...result }) => result)
  const paused = data.filter(({ outcome }) => outcome === 'paused')
  checkExpectedPeople(expectedPeople, paused, 'paused')
  const response = { data, total: data.length, paused: paused.length, skipped: data.length - paused.length }
  return withInFlight(ctx, response, () => countInFlight(ctx, { prospectIds }))
}

/** Pauses prospects; returns the outcome and the previous status of each. */
async function pause(ctx: Context, prospectIds: readonly string[]): Promise<(Result & { status: string })[]> {
  await lockProspects(ctx.sql, prospectIds)
  const selected = await readSelectedProspects(ctx, prospectIds)
  const paused = new Set(await pausePausableProspects(ctx.sql, prospectIds, 'manual', ctx.app.now()))
  if (paused.size > 0) await pipeline(...[...paused].map(id => audit(ctx, 'pause', 'prospect', id)))
  return selected.map(({ id, personId, status }) => ({
    ...{ prospectId: id, personId, status },
    outcome: paused.has(id) ? 'paused' : status === 'paused' ? 'already_paused' : 'already_ended',
  }))
}
