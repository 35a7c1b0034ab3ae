import type { App } from '../../../kernel/context.ts'
import { getMailDomains } from '../../../protocols/dns/mail-domains.ts'
import { getEmailDomain } from '../../../protocols/identity/email.ts'
import { isDisposableDomain, isRoleAddress } from '../../../protocols/identity/risky-address.ts'

/** Why campaigns pause a prospect instead of sending to the address; the latter two if the campaign says so. */
export const heldAddressReasons = ['undeliverable_domain', 'disposable_address', 'role_address'] as const
export type HeldAddressReason = (typeof heldAddressReasons)[number]

/** Returns why a campaign sends nothing to the address, by what this process knows about its domain. */
export function findHeldAddress(
  app: Pick<App, 'config' | 'now'>,
  email: string,
  { holdsRiskyAddresses }: { holdsRiskyAddresses: boolean },
): HeldAddressReason | undefined {
  const domain = getEmailDomain(email)
  if (getMailDomains(app).find(domain)) return 'undeliverable_domain'
  if (!holdsRiskyAddresses) return undefined
  if (isDisposableDomain(domain)) return 'disposable_address'
  return isRoleAddress(email) ? 'role_address' : undefined
}
