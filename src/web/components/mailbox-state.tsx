import type { Output } from '../../contract/index.ts'
import { Badge } from '../ui/badge.tsx'

export type Mailbox = Output<'listMailboxes'>['data'][number]

/** Shows whether a mailbox sends and receives, and its problems. */
export function MailboxState({ mailbox }: { mailbox: Mailbox }) {
  return (
    <span className="grid justify-items-start gap-1">
      <SendingBadge mailbox={mailbox} />
      {getProblems(mailbox).map(problem => (
        <span key={problem} className="max-w-[60ch] wrap-anywhere text-amber text-xs">
          {problem}
        </span>
      ))}
    </span>
  )
}

function SendingBadge({
  mailbox: { kind, status, pausedAt, health, imap, syncStatus, connection },
}: {
  mailbox: Mailbox
}) {
  if (pausedAt) return <Badge tone="red">Paused</Badge>
  if (status === 'failing' && connection?.error?.resolvedBy === 'nobody')
    return <Badge tone="amber">Waiting for provider</Badge>
  if (status === 'failing') return <Badge tone="red">Cannot send</Badge>
  if (connection && !connection.connectedAt) return <Badge tone="amber">Not connected</Badge>
  if (status === 'unverified') return <Badge tone="amber">Not tested</Badge>
  if (health) return <Badge tone="amber">Waiting for server</Badge>
  if (syncStatus === 'failing') return <Badge tone="amber">Cannot receive</Badge>
  if (kind === 'sandbox') return <Badge tone="blue">Test mailbox</Badge>
  return imap ? <Badge tone="green">Connected</Badge> : <Badge tone="amber">Sends only</Badge>
}

const getProblems = ({
  kind,
  pauseReason,
  statusReason,
  health,
  syncStatusReason,
  sentCopyError,
  imap,
  connection,
  signIn,
}: Mailbox): string[] => [
  // Both directions may fail for the same reason.
  ...new Set(
    [pauseReason, statusReason, health?.reason, syncStatusReason].filter(text => text !== undefined),
  ),
  ...(sentCopyError ? [`Sent emails are missing from the Sent folder: ${sentCopyError}`] : []),
  ...(signIn?.error ? [`The last sign-in failed: ${signIn.error}`] : []),
  ...(kind === 'smtp' && !imap && (!connection || connection.connectedAt)
    ? ['Replies are not read, so they cannot stop a sequence.']
    : []),
]
