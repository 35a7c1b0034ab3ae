import type { App } from '../../../kernel/context.ts'
import { getMailDomains } from '../../../protocols/dns/mail-domains.ts'
import { getEmailDomain } from '../../../protocols/identity/email.ts'
import { isDisposableDomain, isRoleAddress } from '../../../protocols/identity/risky-address.ts'

/**
 * Reasons to pause a prospect instead of emailing it; the last two apply only if the campaign holds risky addresses.
 */
export const heldAddressReasons = ['undeliverable_domain', 'disposable_address', 'role_address'] as const
export type HeldAddressReason = (typeof heldAddressReasons)[number]

/** Returns the reason not to email the address, based on the DNS answers that this process has cached. */
export function findHeldAddress(
  app: Pick<App, 'config' | 'now'>,
  email: string,
  { holdsRiskyAddresses }: { holdsRiskyAddresses: boolean },
): HeldAddressReason | undefined {
  const domain = getEmailDomain(email)
  if (getMailDomains(app).findUndeliverableReason(domain)) return 'undeliverable_domain'
  if (!holdsRiskyAddresses) return undefined
  if (isDisposableDomain(domain)) return 'disposable_address'
  return isRoleAddress(email) ? 'role_address' : undefined
}
