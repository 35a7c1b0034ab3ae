import { Link } from '@tanstack/react-router'
import { statusLabels } from '../../components/prospect-statuses.ts'
import { Section } from '../../ui/page.tsx'
import { formatNumber } from '../../ui/time.tsx'
import type { LaunchPreview } from './review.tsx'

const reasonLabels: Record<string, string> = {
  do_not_contact: 'On the Do Not Contact list',
  undeliverable_domain: 'The domain of their email address doesn’t accept email',
  disposable_address: 'Disposable address',
  role_address: 'Role address, such as info@',
  hard_bounce: 'Emails to their address bounced',
}

/** Lists the prospects that a launch would not contact, and why. */
export function LeftOut({ campaignId, launch }: { campaignId: string; launch: LaunchPreview }) {
  const { incomplete, leftOut, withoutEmail } = launch
  if (!incomplete && leftOut.length === 0 && withoutEmail === 0) return null
  const show = (status: (typeof leftOut)[number]['status']) => (
    <Link
      to="/campaigns/$campaignId/prospects"
      params={{ campaignId }}
      search={{ status }}
      className="text-accent underline underline-offset-2"
    >
      Show them
    </Link>
  )
  return (
    <Section title="Left out">
      <div className="grid gap-3">
        {leftOut.map(({ status, reason, count }) => (
          <p key={`${status} ${reason}`}>
            {formatNumber(count)}: {(reason && reasonLabels[reason]) ?? statusLabels[status]}. {show(status)}
          </p>
        ))}
        {withoutEmail > 0 && (
          <p>
            {formatNumber(withoutEmail)} {withoutEmail === 1 ? 'prospect has' : 'prospects have'} no email
            address and will fail at the first email step. {show('pending')}
          </p>
        )}
        {incomplete && <IncompleteProspects incomplete={incomplete} />}
      </div>
    </Section>
  )
}

/** Lists prospects who lack a value that a step uses. */
export const IncompleteProspects = ({
  incomplete,
}: {
  incomplete: NonNullable<LaunchPreview['incomplete']>
}) => (
  <div className="grid gap-2">
    <p className="max-w-[72ch]">
      {formatNumber(incomplete.total)} {incomplete.total === 1 ? 'lacks' : 'lack'} a value that a step uses.
      They start as soon as the value is filled in or the step has a fallback.
    </p>
    <ul
      aria-label="Prospects who lack a value"
      className="grid max-h-80 overflow-y-auto rounded-card border border-line bg-surface"
    >
      {incomplete.prospects.map(({ prospectId, personId, name, variables }) => (
        <li
          key={prospectId}
          className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 border-line border-b px-4 py-2 last:border-0"
        >
          <Link
            to="/people/$personId"
            params={{ personId }}
            className="wrap-anywhere underline-offset-2 hover:underline"
          >
            {name ?? 'Unnamed prospect'}
          </Link>
          <span className="text-amber">Missing: {variables.join(', ')}</span>
        </li>
      ))}
    </ul>
    {incomplete.total > incomplete.prospects.length && (
      <p className="text-muted text-sm">The first {incomplete.prospects.length} are listed.</p>
    )}
  </div>
)
