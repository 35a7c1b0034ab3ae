import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, usePages } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { FormSkeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { DomainSection } from './domain-section.tsx'
import { describeLimits, LimitsForm } from './mailbox-limits-dialog.tsx'
import { RepForm } from './rep-dialog.tsx'

type Props = {
  mailbox: Mailbox
  /** A new mailbox still needs a signature and limits. */
  isNew: boolean
  onEdit: () => void
}

/** Shows for each direction whether the sign-in succeeded, and what to do if not; then sets up a new mailbox. */
export function ConnectionResult({ mailbox, isNew, onEdit }: Props) {
  const { email, status, statusReason, syncStatus, syncStatusReason, rampUp, dailyCap } = mailbox
  const canSend = status === 'active'
  const canReceive = syncStatus !== 'failing'
  return (
    <>
      <Card>
        <div className="grid max-w-[72ch] justify-items-start gap-5">
          <h2 className="font-semibold text-lg">
            {canSend && canReceive ? `${email} is connected` : `${email} is saved but not connected`}
          </h2>
          <ul className="grid gap-2">
            <Direction label="Sending" isOk={canSend} reason={statusReason} />
            <Direction label="Receiving" isOk={canReceive} reason={syncStatusReason} />
          </ul>
          {canSend && rampUp && (
            <p className="text-muted">
              The mailbox starts with {rampUp.start} emails a day and adds {rampUp.increase} more each day, up
              to {dailyCap}.{describeLimits(mailbox)}
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            {(!canSend || !canReceive) && (
              <Button look="primary" onClick={onEdit}>
                Correct the settings
              </Button>
            )}
            <Link
              to="/settings/senders"
              className={buttonClass(canSend && canReceive ? 'primary' : 'secondary')}
            >
              Show senders
            </Link>
          </div>
        </div>
      </Card>
      {canSend && <MailboxDomain email={email} />}
      {canSend && isNew && <MailboxSetup mailbox={mailbox} />}
    </>
  )
}

/** Shows the sender's signature, and the mailbox's starting limits. */
function MailboxSetup({ mailbox }: { mailbox: Mailbox }) {
  const rep = useOperation('getRep', { repId: mailbox.repId })
  const [current, setCurrent] = useState(mailbox)
  return (
    <div className="mt-8 grid grid-cols-1 items-start gap-8 triple:grid-cols-2">
      <div>
        <Section title="Signature">
          <Card>
            <Loaded query={rep} skeleton={<FormSkeleton fields={2} />}>
              {rep => <RepForm rep={rep} />}
            </Loaded>
          </Card>
        </Section>
      </div>
      <div>
        <Section title="Limits and warm-up">
          <Card>
            <LimitsForm mailbox={current} onSaved={setCurrent} />
          </Card>
        </Section>
      </div>
    </div>
  )
}

/** Shows the DNS records of the address’s domain, which decide whether its mail is treated as spam. */
function MailboxDomain({ email }: { email: string }) {
  const { query } = usePages('listDomains', {})
  const name = email.slice(email.lastIndexOf('@') + 1)
  return (
    <Loaded query={query} skeleton={<TableSkeleton rows={4} />}>
      {domains => {
        const domain = domains.find(({ domain }) => domain === name)
        return domain && <DomainSection domain={domain} isAutoChecked />
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
