import { z } from 'zod'
import { operation } from './operation.ts'
import { base, id, time } from './page.ts'

export const problemKinds = [
  'sending_paused',
  'no_postal_address',
  'no_sender',
  'mailbox_failing',
  'mailbox_waiting',
  'mail_provider_unavailable',
  'mailbox_paused',
  'mailbox_disconnected',
  'mailbox_consent_missing',
  'mail_client_failing',
  'mail_client_expired',
  'mail_client_expiring',
  'replies_unread',
  'sent_copies_failing',
  'domain_errors',
  'prospects_failed',
  'emails_unconfirmed',
  'linkedin_account_failing',
  'assistant_failing',
  'reply_agent_unverified',
  'webhook_failing',
  'webhook_disabled',
] as const

const fields = {
  kind: z.enum(problemKinds),
  message: z.string().describe('Description of the problem'),
  nextStep: z.string().describe('How to resolve it'),
  url: z.string().optional().describe("Page of the mailbox's provider on which an administrator resolves it"),
  severity: z
    .enum(['high', 'medium', 'low'])
    .describe(
      '`high`: nothing is sent, read or delivered until it is resolved; `medium`: some of it is affected; `low`: it usually ends by itself',
    ),
  about: z
    .object({
      objectType: z.enum([
        'account',
        'campaign',
        'mailbox',
        'domain',
        'linkedin_account',
        'assistant',
        'webhook',
      ]),
      id,
      name: z.string(),
    })
    .describe('The object that has the problem'),
  since: time.optional(),
  waiting: z
    .int()
    .min(0)
    .describe(
      'Messages, calls, prospects or events that wait because of it, counted up to 1,000. For a mailbox that does not send: its queued emails, and prospects whose next step is due',
    ),
  campaigns: z
    .array(
      z.object({
        id,
        name: z.string(),
        prospects: z.int().describe('Prospects among `waiting`, up to 1,000'),
      }),
    )
    .optional()
    .describe('For a mailbox: active campaigns that cannot send, because none of their mailboxes works'),
}
const problem = z.object(fields).meta({ id: 'Problem' })

/** A problem in the payload of an event. */
export const problemEventData = z.object({ ...base('problem'), ...fields }).meta({ id: 'ProblemEventData' })

export const listProblems = operation({
  method: 'GET',
  path: '/problems',
  summary: 'List what keeps campaigns from working',
  description:
    'Lists everything that needs attention: failing mailboxes, domains with invalid DNS records, campaigns without a sender, prospects that lack a value, disabled webhooks. An empty list means that nothing is wrong. Contains what the role may see, at most 50 problems of each kind. The events `problem.opened` and `problem.resolved` report the same within about a minute.',
  tag: 'Account',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject({}),
  output: z
    .object({
      data: z.array(problem).describe('Most severe first, then those with the most waiting work'),
    })
    .meta({ id: 'Problems' }),
})
