import type { AccountKey } from '../data/accounts.ts'
import type { SeedCampaign } from '../data/campaigns.ts'
import type { Rows, SeedContext } from './seed-context.ts'

/** Returns a simulated model for Acme, which drafts from the campaign's knowledge without any network request. */
export const replyAgentRows = (account: AccountKey, { accountId, at }: SeedContext): Rows =>
  account === 'acme'
    ? [
        {
          account_id: accountId,
          provider: 'simulated',
          model: 'simulated',
          input_price: 1,
          output_price: 5,
          verified_at: at(1),
          created_at: at(1),
          updated_at: at(1),
        },
      ]
    : []

export const knowledgeRows = (
  account: AccountKey,
  { accountId, id, at }: SeedContext,
  campaigns: readonly SeedCampaign[],
): Rows =>
  campaigns
    .filter(() => account === 'acme')
    .map(({ key, createdDaysAgo }) => ({
      account_id: accountId,
      campaign_id: id('campaign', key),
      ...knowledge,
      created_at: at(createdDaysAgo),
      updated_at: at(createdDaysAgo),
    }))

/** Facts for the drafts of all campaigns. */
export const knowledge = {
  offer:
    'Ten temperature loggers on loan for two weeks, at no cost. Afterwards 14 EUR per logger, or 11 EUR each for 100 or more.',
  answers:
    'The loggers need no network: a reader at the far end turns each into a one-page report. The battery lasts a year down to −30 °C.',
  next_step: 'Shall I send the ten loggers this week? All I need is an address.',
  tone: 'Short and matter-of-fact.',
}
