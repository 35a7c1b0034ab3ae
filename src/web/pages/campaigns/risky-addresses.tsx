import { Link } from '@tanstack/react-router'
import { Section } from '../../ui/page.tsx'
import { formatNumber } from '../../ui/time.tsx'
import type { LaunchPreview } from './review.tsx'

/** Lists the addresses that might not receive an email, and why. */
export function RiskyAddresses({ launch: { riskyAddresses } }: { launch: LaunchPreview }) {
  if (!riskyAddresses) return null
  const { total, undeliverable, unchecked, prospects } = riskyAddresses
  return (
    <Section title="Risky addresses" intro="You can launch anyway.">
      <div className="grid max-w-[72ch] gap-2">
        {total > 0 && (
          <p>
            {formatNumber(total)} {total === 1 ? 'address' : 'addresses'} might not receive an email.{' '}
            {undeliverable > 0 &&
              `${formatNumber(undeliverable)} ${undeliverable === 1 ? 'is at a domain that doesn’t' : 'are at domains that don’t'} accept email: ${undeliverable === 1 ? 'this prospect is' : 'these prospects are'} paused until the address is corrected.`}
          </p>
        )}
        {unchecked > 0 && (
          <p className="text-muted">
            {formatNumber(unchecked)} could not be checked, because DNS did not answer in time.
          </p>
        )}
      </div>
      {total > 0 && (
        <ul
          aria-label="Risky addresses"
          className="mt-3 grid max-h-80 overflow-y-auto rounded-card border border-line bg-surface"
        >
          {prospects.map(({ prospectId, personId, name, email, message }) => (
            <li key={prospectId} className="grid gap-0.5 border-line border-b px-4 py-2 last:border-0">
              <Link
                to="/people/$personId"
                params={{ personId }}
                className="wrap-anywhere underline-offset-2 hover:underline"
              >
                {name ? `${name}, ${email}` : email}
              </Link>
              <span className="wrap-anywhere text-amber">{message}</span>
            </li>
          ))}
        </ul>
      )}
      {total > prospects.length && (
        <p className="mt-2 text-muted text-sm">The first {prospects.length} are listed.</p>
      )}
    </Section>
  )
}
