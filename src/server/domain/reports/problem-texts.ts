import type { Output } from '../../../contract/index.ts'
import { isApplicationKind, type MailClientKind } from '../../protocols/mail-oauth/provider.ts'

type Problem = Output<'listProblems'>['data'][number]
type ProblemText = Pick<Problem, 'message' | 'nextStep'>

export const problemSeverities: Record<Problem['kind'], Problem['severity']> = {
  sending_paused: 'high',
  no_postal_address: 'high',
  no_sender: 'high',
  mailbox_failing: 'high',
  mailbox_waiting: 'low',
  mail_provider_unavailable: 'low',
  mailbox_paused: 'high',
  mailbox_disconnected: 'high',
  mailbox_consent_missing: 'high',
  mail_client_failing: 'high',
  mail_client_expired: 'high',
  mail_client_expiring: 'medium',
  replies_unread: 'high',
  sent_copies_failing: 'low',
  domain_errors: 'medium',
  prospects_failed: 'medium',
  emails_unconfirmed: 'medium',
  linkedin_account_failing: 'high',
  assistant_failing: 'high',
  reply_agent_unverified: 'medium',
  webhook_failing: 'medium',
  webhook_disabled: 'high',
}

/** Appends the recorded reason, if any, to a sentence that has no final period. */
const withReason = (sentence: string, reason: string | undefined): string =>
  reason ? `${sentence}: ${reason.replace(/\.?$/, '.')}` : `${sentence}.`

/** Describes the status reason of a failed prospect. */
function describeFailure(reason: string): string {
  const [, kind, detail] = /^(\w+)(?:: *(.*))?$/.exec(reason) ?? []
  if (kind === 'no_email') return 'they have no email address'
  return kind === 'missing_variable'
    ? `they lack a value for ${detail}`
    : `the template has an error (${detail})`
}

const ASK_ADMINISTRATOR =
  'Ask an administrator of the organization to change that at the provider, then verify the mailbox.'

const RENEW_SECRET =
  'Create a new client secret in the Microsoft Entra admin center, and save it with its expiry date under Settings → Google and Microsoft.'

const describeExpiry = (day: string): ProblemText => ({
  message: `The client secret of the Microsoft OAuth client expires on ${day}. After that day, its mailboxes can’t send or receive email.`,
  nextStep: RENEW_SECRET,
})

const testingText: ProblemText = {
  message:
    'Google revokes access to each mailbox 7 days after its sign-in, because the OAuth client is in testing.',
  nextStep:
    'Publish the Google client in the Google Cloud console or make it internal, change its publishing status under Settings → Google and Microsoft, then connect its mailboxes again.',
}

type Describe = (
  name: string,
  reason: string | undefined,
  provider: MailClientKind | undefined,
) => ProblemText

/** Returns what to do when a server rejects a mailbox's sign-in. With OAuth there is no password or setting to correct. */
function adviseOnRefusal(
  settings: string,
  provider: MailClientKind | undefined,
  reason: string | undefined,
): string {
  if (reason?.includes('an administrator')) return ASK_ADMINISTRATOR
  if (!provider) return `Correct ${settings} of the mailbox and verify it.`
  return isApplicationKind(provider)
    ? 'Verify the mailbox. If it still fails, ask an administrator to check the application’s access to the mailbox.'
    : 'Verify the mailbox. If it still fails, connect it again.'
}

/**
 * The texts of each kind of problem: what is wrong with the named object, including the recorded reason, and what to
 * do. `provider` is set for a mailbox that signs in with OAuth.
 */
export const problemTexts: Record<Problem['kind'], Describe> = {
  sending_paused: (_name, reason) => ({
    message: withReason('All sending is paused', reason),
    nextStep: 'Resume sending once the cause is resolved.',
  }),
  no_postal_address: () => ({
    message: 'The account has no postal address, which every campaign email must contain.',
    nextStep: 'Add the postal address in the account settings.',
  }),
  no_sender: name => ({
    message: `No rep of the campaign "${name}" has a mailbox.`,
    nextStep: 'Connect a mailbox to one of its reps, or add a rep who has one.',
  }),
  mailbox_failing: (name, reason, provider) => ({
    message: withReason(`${name} cannot send through its mail server`, reason?.replaceAll('<address>', name)),
    nextStep: adviseOnRefusal('the password or settings', provider, reason),
  }),
  mailbox_waiting: (name, reason) => ({
    message: withReason(`The mail server of ${name} refuses or delays emails`, reason),
    nextStep:
      'No action is needed for now. Overture retries automatically. If the problem continues, contact the provider.',
  }),
  mail_provider_unavailable: (name, reason) => ({
    message: withReason(`The sign-in server of the provider of ${name} is unavailable`, reason),
    nextStep:
      'No action is needed for now. Overture retries automatically and then sends the queued emails. If the problem continues, check the provider’s status page and this server’s internet connection.',
  }),
  mailbox_paused: (name, reason) => ({
    message: withReason(`${name} was paused automatically`, reason),
    nextStep:
      'Find out where the addresses that bounced or reported spam come from, remove the bad ones, then resume the mailbox.',
  }),
  mailbox_disconnected: (name, reason) => ({
    message: withReason(`Overture no longer has access to ${name}`, reason),
    nextStep: 'Connect the mailbox again; queued emails are then sent.',
  }),
  mailbox_consent_missing: (name, reason) => ({
    message: withReason(`The organization of ${name} does not allow Overture to use the mailbox`, reason),
    nextStep: 'Ask an administrator of the organization to allow it; then verify the mailbox.',
  }),
  mail_client_failing: (_name, reason) => ({
    message: withReason('The OAuth client of the mailboxes does not work', reason),
    nextStep: 'Correct the client in the settings; the mailboxes then resume automatically.',
  }),
  mail_client_expired: (_name, day) => ({
    message: `The client secret of the Microsoft OAuth client expired on ${day}, so its mailboxes can’t send or receive email.`,
    nextStep: RENEW_SECRET,
  }),
  mail_client_expiring: (_name, reason = '') => {
    const [day] = /^[\d-]+/.exec(reason) ?? []
    const texts = [
      ...(day ? [describeExpiry(day)] : []),
      ...(reason.endsWith('testing') ? [testingText] : []),
    ]
    return {
      message: texts.map(({ message }) => message).join(' '),
      nextStep: texts.map(({ nextStep }) => nextStep).join(' '),
    }
  },
  replies_unread: (name, reason, provider) => ({
    message: withReason(
      `Replies to ${name} cannot be read, so its follow-ups wait`,
      reason?.replaceAll('<address>', name),
    ),
    nextStep: adviseOnRefusal('the IMAP settings', provider, reason),
  }),
  sent_copies_failing: (name, reason) => ({
    message: withReason(`Emails sent from ${name} are missing from its Sent folder`, reason),
    nextStep:
      'Check the Sent folder at the provider, or turn off “Save sent emails” in the mailbox’s limits. Sending continues.',
  }),
  domain_errors: (name, reason) => ({
    message: withReason(`The DNS records of ${name} are invalid`, reason),
    nextStep: 'Correct the records at the DNS provider, then check the domain again.',
  }),
  prospects_failed: (name, reason = '') => ({
    message: withReason(`Prospects of "${name}" cannot get their next step`, describeFailure(reason)),
    nextStep: 'Fill in the missing values or change the step; the prospects then continue.',
  }),
  emails_unconfirmed: () => ({
    message:
      'Emails may or may not have been sent, because the connection was lost before the server confirmed them.',
    nextStep: 'Look for each in the Sent folder or ask the recipient, then mark it as sent or send it again.',
  }),
  linkedin_account_failing: (name, reason) => ({
    message: withReason(`The LinkedIn account of ${name} does not work`, reason),
    nextStep: 'Reconnect it at the provider, then update the LinkedIn account.',
  }),
  assistant_failing: (name, reason) => ({
    message: withReason(`The assistant ${name} cannot place calls`, reason),
    nextStep: 'Correct its settings and verify it.',
  }),
  reply_agent_unverified: () => ({
    message: 'The reply agent has not connected to its model since its settings changed.',
    nextStep: 'Verify the reply agent; the result shows what to fix.',
  }),
  webhook_failing: (name, reason) => ({
    message: withReason(`${name} does not accept events`, reason),
    nextStep: 'Fix the endpoint. Events are retried for days, then the webhook is disabled.',
  }),
  webhook_disabled: (name, reason) => ({
    message: withReason(`The webhook ${name} was disabled because of errors from its endpoint`, reason),
    nextStep: 'Fix the endpoint, enable the webhook and replay the failed deliveries.',
  }),
}
