import type { Output } from '../../contract/index.ts'

export type Problem = Output<'listProblems'>['data'][number]

type ProblemPage = { to: string; search?: Record<string, string>; label: string }

const senders: ProblemPage = { to: '/settings/senders', label: 'Show senders' }

/** Returns the page for the problem's next step; undefined if the step is done where the problem is shown. */
export function getProblemPage({ kind, about }: Problem): ProblemPage | undefined {
  switch (kind) {
    case 'sending_paused':
      return undefined
    case 'no_postal_address':
      return { to: '/settings/account', label: 'Add address' }
    case 'mailbox_failing':
    case 'mailbox_waiting':
    case 'mail_provider_unavailable':
    case 'mailbox_paused':
    case 'mailbox_disconnected':
    case 'mailbox_consent_missing':
    case 'replies_unread':
    case 'sent_copies_failing':
    case 'no_sender':
    case 'linkedin_account_failing':
      return senders
    case 'mail_client_failing':
    case 'mail_client_expired':
    case 'mail_client_expiring':
      return { to: '/settings/mail-clients', label: 'Show OAuth client' }
    case 'domain_errors':
      return { to: '/settings/domains', label: 'Show records' }
    case 'prospects_failed':
      return {
        to: `/campaigns/${about.id}/prospects`,
        search: { status: 'failed' },
        label: 'Show prospects',
      }
    case 'emails_unconfirmed':
      return { to: '/inbox', search: { view: 'unconfirmed' }, label: 'Show emails' }
    case 'assistant_failing':
      return { to: `/calls/assistants/${about.id}`, label: 'Show assistant' }
    case 'reply_agent_unverified':
      return { to: '/settings/reply-agent', label: 'Show reply agent' }
    case 'webhook_failing':
    case 'webhook_disabled':
      return { to: `/settings/webhooks/${about.id}`, label: 'Show webhook' }
  }
}
