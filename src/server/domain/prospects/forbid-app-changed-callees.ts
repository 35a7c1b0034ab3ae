import type { Context } from '../../kernel/context.ts'
import { forbidAppCampaigns } from '../campaigns/forbid-app-triggered-calls.ts'
import { openStatuses } from './write-prospects.ts'

/**
 * Throws Forbidden when an application would change a person whom a launched campaign may still call: the new number
 * would be dialed, and a value that was missing lets the sequence continue.
 */
export const forbidAppChangedCallees = (ctx: Context, personId: string): Promise<void> =>
  forbidAppCampaigns(
    ctx,
    ctx.sql`
      c.status <> 'draft' and c.id in (
        select campaign_id from prospects
         where account_id = ${ctx.accountId} and person_id = ${personId}
           and (status in ${openStatuses(ctx.sql)} or status in ('paused', 'failed')))`,
    'This person is in a campaign with call steps',
  )
