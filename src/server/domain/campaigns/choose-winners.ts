import type { Output } from '../../../contract/index.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import { findWinner } from './compare-variants.ts'
import { defineOutcomes } from './outcomes.ts'

type Winner = NonNullable<Output<'getCampaignStats'>['steps'][number]['winner']>
type Campaign = { id: string; metric: Winner['metric'] }
/** A step whose variants compete. */
type Contest = { campaignId: string; stepId: string; testsDone: number; variantIds: string[] }

const CHECK_INTERVAL_MS = 3_600_000
/** Everyone gets this long to reply, so that the variant that was sent earlier has no advantage. */
const REPLY_MS = 3 * 86_400_000

/** Ends the A/B tests in which a variant is proven best. Checks each active campaign at most once an hour. */
export async function chooseWinners(app: App, accountId: string): Promise<void> {
  const now = app.now()
  const campaigns = await inAccount(app.db.work, accountId, tx => claimCampaigns(tx, now))
  for (const campaign of campaigns)
    await inAccount(app.db.work, accountId, tx => chooseCampaignWinners(tx, campaign, now))
}

const claimCampaigns = (tx: Sql, now: Date): Promise<Campaign[]> => tx<Campaign[]>`
  update campaigns
     set winners_checked_at = ${now}
   where account_id = current_account_id() and status = 'active' and auto_winner is not null
     and coalesce(winners_checked_at <= ${new Date(now.getTime() - CHECK_INTERVAL_MS)}, true)
  returning id, auto_winner as metric`

async function chooseCampaignWinners(tx: Sql, campaign: Campaign, now: Date): Promise<void> {
  const contests = await findContests(tx, campaign)
  if (contests.length === 0) return
  const numbers = await countSuccesses(tx, campaign, now)
  for (const contest of contests) {
    const rivals = contest.variantIds.map(
      variantId =>
        numbers.find(each => each.stepId === contest.stepId && each.variantId === variantId) ?? {
          ...{ variantId, contacted: 0, successes: 0 },
        },
    )
    const test = findWinner(rivals, contest.testsDone)
    if (!test) continue
    const { winner, pValue, testsDone } = test
    if (!winner) {
      await recordTests(tx, contest, testsDone)
      continue
    }
    await recordWinner(tx, contest, {
      ...{ variantId: winner.variantId, metric: campaign.metric, decidedAt: now.toISOString(), pValue },
      variants: rivals.map(({ variantId, contacted, successes }) => ({ variantId, contacted, successes })),
    })
  }
}

/** Finds the steps without a winner in which several variants have a weight. */
const findContests = (tx: Sql, { id }: Campaign): Promise<Contest[]> => tx<Contest[]>`
  select st.campaign_id as "campaignId", st.id as "stepId", st.winner_tests as "testsDone",
         array_agg(v.id order by v.id) as "variantIds"
    from campaign_steps st
    join campaign_step_variants v on v.account_id = st.account_id and v.step_id = st.id
   where st.account_id = current_account_id() and st.campaign_id = ${id} and st.removed_at is null and st.winner is null
     and v.removed_at is null and v.weight > 0
   group by st.account_id, st.id
  having count(*) > 1`

type Numbers = { stepId: string; variantId: string; contacted: number; successes: number }

/** Counts the people who have had `REPLY_MS` to reply, and the people who replied within that time. */
const countSuccesses = (tx: Sql, { id, metric }: Campaign, now: Date): Promise<Numbers[]> => tx<Numbers[]>`
  select found.*
    from (select current_account_id() as account_id) s
   cross join lateral (
     with ${defineOutcomes(tx, { campaignId: id })},
     contacts as (
       select step_id, variant_id, prospect_id, min(at) as at
         from (select * from sent union all select * from other_outcomes) o
        where name in ('sent', 'invited', 'linkedinSent') and variant_id is not null
        group by step_id, variant_id, prospect_id)
     select c.step_id as "stepId", c.variant_id as "variantId", count(*)::integer as contacted,
            count(a.prospect_id)::integer as successes
       from contacts c
       -- Joins at most one row, because only the first reply of each prospect is an outcome.
       left join other_outcomes a on a.name = ${metric} and a.prospect_id = c.prospect_id and a.step_id = c.step_id
                                 and a.variant_id = c.variant_id
                                 and a.at < c.at + make_interval(secs => ${REPLY_MS / 1000})
      where c.at <= ${new Date(now.getTime() - REPLY_MS)}
      group by c.step_id, c.variant_id) found`

const recordTests = (tx: Sql, { stepId, testsDone }: Contest, tests: number) => tx`
  update campaign_steps
     set winner_tests = ${tests}
   where account_id = current_account_id() and id = ${stepId} and winner_tests = ${testsDone}`

/**
 * Records the winner of a step and turns its other variants off, unless someone has edited the step in the meantime.
 * Emails that are already queued keep their variant.
 */
export async function recordWinner(
  tx: Sql,
  { campaignId, stepId, variantIds }: Pick<Contest, 'campaignId' | 'stepId' | 'variantIds'>,
  winner: Winner,
): Promise<void> {
  const losers = variantIds.filter(id => id !== winner.variantId)
  // Edits to the steps also lock the campaign first.
  await tx`select from campaigns where account_id = current_account_id() and id = ${campaignId} for update`
  const competing = tx`
    select v.id
      from campaign_step_variants v
     where v.account_id = st.account_id and v.step_id = st.id and v.removed_at is null and v.weight > 0
     order by v.id`
  const { count } = await tx`
    update campaign_steps st
       set winner = ${tx.json(winner)}, updated_at = now()
     where account_id = current_account_id() and id = ${stepId} and removed_at is null and winner is null
       and array(${competing}) = ${variantIds}::uuid[]`
  if (count === 0) return
  await tx`
    update campaign_step_variants
       set weight = 0, updated_at = now()
     where account_id = current_account_id() and id = any(${losers}::uuid[])`
  await tx`update campaigns set updated_at = now() where account_id = current_account_id() and id = ${campaignId}`
  await auditEngine(tx, 'choose_variant', 'campaign', campaignId)
}
