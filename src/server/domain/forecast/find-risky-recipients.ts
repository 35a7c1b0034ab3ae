import { addressRiskKinds } from '../../../contract/address-risks.ts'
import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findAddressRisks } from '../people/addresses/find-address-risks.ts'
import { openStatuses } from '../prospects/write-prospects.ts'

type RiskyAddresses = NonNullable<Output<'forecastCampaign'>['launch']>['riskyAddresses']
export type Recipient = { prospectId: string; personId: string; name: string | null; email: string }

const MAX_RECIPIENTS = 50_000
const MAX_LISTED = 100
const DNS_TIMEOUT_MS = 3_000

/** Returns the open prospects to whom a campaign sends email. */
export const listRecipients = ({ sql, accountId }: Context, campaignId: string): Promise<Recipient[]> =>
  sql<Recipient[]>`
    select r.id as "prospectId", r.person_id as "personId", p.email,
           nullif(concat_ws(' ', p.first_name, p.last_name), '') as name
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id and p.email is not null
     where r.account_id = ${accountId} and r.campaign_id = ${campaignId} and r.status in ${openStatuses(sql)}
       and exists (select from campaign_steps
                    where account_id = r.account_id and campaign_id = r.campaign_id and removed_at is null
                      and channel = 'email')
     order by r.id
     limit ${MAX_RECIPIENTS}`

/** Finds recipients with a risky address. Looks up domains in DNS, so call it outside of a transaction. */
export async function findRiskyRecipients(
  ctx: Context,
  recipients: readonly Recipient[],
): Promise<RiskyAddresses> {
  const emails = recipients.map(({ email }) => email)
  const { risks, unchecked } = await findAddressRisks(ctx, emails, DNS_TIMEOUT_MS)
  const found = recipients
    .flatMap(({ name, ...recipient }) => {
      const risk = risks.get(recipient.email)
      return risk ? [{ ...recipient, ...(name && { name }), ...risk }] : []
    })
    .toSorted((a, b) => addressRiskKinds.indexOf(a.kind) - addressRiskKinds.indexOf(b.kind))
  if (found.length === 0 && unchecked === 0) return undefined
  return {
    total: found.length,
    undeliverable: found.filter(({ kind }) => kind === 'undeliverable_domain').length,
    unchecked,
    prospects: found.slice(0, MAX_LISTED),
  }
}
