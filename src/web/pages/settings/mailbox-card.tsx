import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Mailbox, MailboxState } from '../../components/mailbox-state.tsx'
import { NextSteps, useProblemsAbout } from '../../components/problems.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { formatNumber, formatPercent, Time } from '../../ui/time.tsx'
import { MailboxAliasesDialog } from './mailbox-aliases-dialog.tsx'
import { MailboxLimitsDialog } from './mailbox-limits-dialog.tsx'
import { RemoveMailbox } from './remove-mailbox.tsx'
import { RestoreButton } from './restore-mailbox.tsx'

/** Shows a mailbox with its state, what it sent, and what to do about a problem. */
export function MailboxCard({ mailbox, canEdit }: { mailbox: Mailbox; canEdit: boolean }) {
  const { id, email, kind, senderName, fromEmail, lastSyncedAt, imap, connection } = mailbox
  const problems = useProblemsAbout('mailbox', id)
  const [openDialog, setOpenDialog] = useState<'aliases' | 'limits' | 'removal'>()
  const close = () => setOpenDialog(undefined)
  return (
    <article
      aria-label={email}
      className="flex flex-col gap-4 rounded-card border border-line bg-surface p-4"
    >
      <header className="grid gap-1.5">
        <h3 className="wrap-anywhere font-medium">{email}</h3>
        <MailboxState mailbox={mailbox} />
        <NextSteps problems={problems} />
      </header>
      <SentToday mailbox={mailbox} />
      <div className="text-sm empty:hidden">
        <DescriptionList
          items={{
            'Sender name': senderName,
            'Sends from': fromEmail,
            'Signs in as': connection?.user !== email && connection?.user,
            'Warm-up': formatWarmUp(mailbox),
            'Bounce rate': formatBounces(mailbox),
            'Last sync': lastSyncedAt ? <Time at={lastSyncedAt} /> : imap && 'Not yet',
          }}
        />
      </div>
      {canEdit && (
        <footer className="mt-auto flex flex-wrap gap-2">
          <RestoreButton mailbox={mailbox} />
          {kind === 'smtp' && (
            <Link
              to="/settings/senders/connect"
              search={{ mailboxId: id }}
              aria-label={`Sign-in of ${email}`}
              className={buttonClass('secondary', 'small')}
            >
              Sign-in
            </Link>
          )}
          {kind === 'smtp' && (
            <Button size="small" aria-label={`Aliases of ${email}`} onClick={() => setOpenDialog('aliases')}>
              Aliases
            </Button>
          )}
          <Button size="small" aria-label={`Limits of ${email}`} onClick={() => setOpenDialog('limits')}>
            Limits
          </Button>
          <Button size="small" aria-label={`Remove ${email}`} onClick={() => setOpenDialog('removal')}>
            Remove
          </Button>
        </footer>
      )}
      <MailboxAliasesDialog mailbox={openDialog === 'aliases' ? mailbox : undefined} onClose={close} />
      <MailboxLimitsDialog mailbox={openDialog === 'limits' ? mailbox : undefined} onClose={close} />
      <RemoveMailbox mailbox={openDialog === 'removal' ? mailbox : undefined} onClose={close} />
    </article>
  )
}

function SentToday({ mailbox: { email, usage } }: { mailbox: Mailbox }) {
  if (!usage) return null
  const { sent, limit } = usage
  if (limit === undefined)
    return <p className="tabular-nums">{formatNumber(sent)} sent in 24 hours, no limit</p>
  return (
    <div className="grid gap-1.5">
      <p className="tabular-nums">
        {formatNumber(sent)} of {formatNumber(limit)} sent in 24 hours
      </p>
      <ProgressBar label={`Sent from ${email}`} value={sent} max={limit} />
    </div>
  )
}

function formatWarmUp({ rampUp, dailyCap, usage }: Mailbox): string | undefined {
  if (!rampUp || dailyCap === undefined) return undefined
  if (usage?.limit === dailyCap) return 'Finished'
  const growth = `+${formatNumber(rampUp.increase)} a day, up to ${formatNumber(dailyCap)}`
  if (!usage?.rampUpDay || usage.limit === undefined) return growth
  const today = `Day ${formatNumber(usage.rampUpDay)}: ${formatNumber(usage.limit)} today, ${growth}`
  return rampUp.steppedBackAt ? `${today}; lowered after bounces` : today
}

function formatBounces({ usage }: Mailbox): string | undefined {
  if (!usage || usage.lastEmails === 0) return undefined
  const { bounced, lastEmails } = usage
  return `${formatPercent(bounced / lastEmails)} of the last ${formatNumber(lastEmails)} emails`
}
