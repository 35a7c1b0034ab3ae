import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import { checkTransition, setStatus } from './change-status.ts'

export async function pauseCampaign(
  ctx: Context,
  { campaignId }: Input<'pauseCampaign'>,
  countInFlight: (ctx: Context, scope: { campaignId: string }) => Promise<number>,
): Promise<Output<'pauseCampaign'>> {
  await checkTransition(ctx, campaignId, 'paused', ['active'])
  const { text } = await setStatus(ctx, campaignId, 'pause', 'paused')
  return withInFlight(ctx, JSON.parse(text), () => countInFlight(ctx, { campaignId }))
}
