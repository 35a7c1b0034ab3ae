import { Link } from '@tanstack/react-router'
import { usePages } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DomainSection } from './domain-section.tsx'

/** Says for each direction whether the sign-in succeeded, and what to do if not. */
export function ConnectionResult({ mailbox, onEdit }: { mailbox: Mailbox; onEdit: () => void }) {
  const { email, status, statusReason, readingStatus, readingReason, rampUp, dailyCap } = mailbox
  const sends = status === 'active'
  const receives = readingStatus !== 'failing'
  return (
    <>
      <Card>
        <div className="grid max-w-[72ch] justify-items-start gap-5">
          <h2 className="font-semibold text-lg">
            {sends && receives ? `${email} is connected` : `${email} is saved but not connected`}
          </h2>
          <ul className="grid gap-2">
            <Direction label="Sending" isOk={sends} reason={statusReason} />
            <Direction label="Receiving" isOk={receives} reason={readingReason} />
          </ul>
          {sends && rampUp && (
            <p className="text-muted">
              It starts with {rampUp.start} campaign emails a day and adds {rampUp.increase} each day, up to{' '}
              {dailyCap}.
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            {(!sends || !receives) && (
              <Button look="primary" onClick={onEdit}>
                Correct the settings
              </Button>
            )}
            <Link to="/settings/senders" className={buttonClass(sends && receives ? 'primary' : 'secondary')}>
              Show senders
            </Link>
          </div>
        </div>
      </Card>
      {sends && <MailboxDomain email={email} />}
    </>
  )
}

/** The DNS records of the address’s domain, which decide whether its mail is treated as spam. */
function MailboxDomain({ email }: { email: string }) {
  const { query } = usePages('listDomains', {})
  const name = email.slice(email.lastIndexOf('@') + 1)
  return (
    <Loaded query={query} skeleton={<TableSkeleton rows={4} />}>
      {domains => {
        const domain = domains.find(({ domain }) => domain === name)
        return domain && <DomainSection domain={domain} isChecked />
      }}
    </Loaded>
  )
}

const Direction = ({ label, isOk, reason }: { label: string; isOk: boolean; reason: string | undefined }) => (
  <li>
    <span className={`font-medium ${isOk ? 'text-green' : 'text-red'}`}>
      {label}: {isOk ? 'works' : 'fails'}
    </span>
    {!isOk && reason && <span className="block wrap-anywhere">{reason}</span>}
  </li>
)
