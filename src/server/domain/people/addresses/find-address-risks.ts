import type { addressRiskKinds } from '../../../../contract/address-risks.ts'
import { type Context, inAccount } from '../../../kernel/context.ts'
import { getMailDomains, type UndeliverableReason } from '../../../protocols/dns/mail-domains.ts'
import { getEmailDomain } from '../../../protocols/identity/email.ts'
import { isFreeMail } from '../../../protocols/identity/free-mail.ts'
import {
  findIntendedDomain,
  isDisposableDomain,
  isRoleAddress,
} from '../../../protocols/identity/risky-address.ts'

export type AddressRisk = { email: string; kind: (typeof addressRiskKinds)[number]; message: string }

/** Older bounces are ignored. At least two addresses must bounce, because one says little about its domain. */
const BOUNCE_DAYS = 90
const MIN_BOUNCED_ADDRESSES = 2

/**
 * Returns the most serious risk of each address that has one, and the number of addresses whose domains
 * could not be checked in time. Call it outside of transactions: it waits for DNS for at most `timeoutMs`.
 */
export async function findAddressRisks(
  ctx: Pick<Context, 'app' | 'accountId'>,
  emails: Iterable<string>,
  timeoutMs: number,
): Promise<{ risks: Map<string, AddressRisk>; unchecked: number }> {
  const addresses = [...new Set(emails)]
  const domains = [...new Set(addresses.map(getEmailDomain))]
  const mailDomains = getMailDomains(ctx.app)
  await mailDomains.check(domains, timeoutMs)
  const bounced = await countBounces(ctx, domains)
  const risks = addresses.flatMap(email => {
    const domain = getEmailDomain(email)
    const facts = {
      undeliverable: mailDomains.findUndeliverableReason(domain),
      bounced: bounced.get(domain) ?? 0,
    }
    const risk = describeRisk(email, facts)
    return risk ? [[email, { email, ...risk }] as const] : []
  })
  return {
    risks: new Map(risks),
    unchecked: addresses.filter(email => mailDomains.isUnknown(getEmailDomain(email))).length,
  }
}

/** Counts, by domain, the addresses at which emails from any mailbox of the account bounced recently. */
async function countBounces(
  { app, accountId }: Pick<Context, 'app' | 'accountId'>,
  domains: readonly string[],
): Promise<Map<string, number>> {
  const companyDomains = domains.filter(domain => !isFreeMail(domain))
  if (companyDomains.length === 0) return new Map()
  const since = new Date(app.now().getTime() - BOUNCE_DAYS * 24 * 3_600_000)
  const rows = await inAccount(
    app.db.app,
    accountId,
    sql => sql<{ domain: string; count: number }[]>`
      select split_part(email, '@', 2) as domain, count(distinct email)::int as count
        from email_sends
       cross join lateral unnest(recipient_emails) email
       where account_id = ${accountId} and hard_bounced_at > ${since}
         and split_part(email, '@', 2) = any(${companyDomains})
       group by 1
      having count(distinct email) >= ${MIN_BOUNCED_ADDRESSES}`,
  )
  return new Map(rows.map(({ domain, count }) => [domain, count]))
}

function describeRisk(
  email: string,
  { undeliverable, bounced }: { undeliverable: UndeliverableReason | undefined; bounced: number },
): Omit<AddressRisk, 'email'> | undefined {
  const domain = getEmailDomain(email)
  const intended = findIntendedDomain(domain)
  const correction = intended && `${email.slice(0, email.lastIndexOf('@'))}@${intended}`
  if (undeliverable) {
    const fact =
      undeliverable === 'null_mx'
        ? `${domain} declares that it accepts no email.`
        : `${domain} has no mail server, so emails to it bounce.`
    const advice = correction ? `Did you mean ${correction}?` : 'Find another address for this person.'
    return { kind: 'undeliverable_domain', message: `${fact} ${advice}` }
  }
  if (correction)
    return { kind: 'possible_typo', message: `${domain} may be a typo. Did you mean ${correction}?` }
  if (bounced > 0)
    return {
      kind: 'bouncing_domain',
      message: `Emails to ${bounced} addresses at ${domain} bounced in the last ${BOUNCE_DAYS} days. Confirm the address first.`,
    }
  if (isDisposableDomain(domain))
    return {
      kind: 'disposable_address',
      message: `${domain} provides disposable addresses, which soon go unread. Find a work address.`,
    }
  if (isRoleAddress(email))
    return {
      kind: 'role_address',
      message: `${email} reaches a team or a machine. Emails to such addresses are often reported as spam. Find the work address of a person.`,
    }
  return undefined
}
