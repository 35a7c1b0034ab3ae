import { z } from 'zod'
import { country } from './countries.ts'
import { operation } from './operation.ts'
import { base, inFlight, optionalText, patchMultiline, time } from './page.ts'

export const replyPauseScopes = ['person', 'company_domain'] as const
export const unsubscribeWordsActions = ['mark', 'opt_out'] as const

const settings = {
  replyPauses: z
    .enum(replyPauseScopes)
    .describe(
      "Other sequences that pause when a person replies or a rep writes to them: the person's own, or those of everyone with an email address at the same company",
    ),
  unsubscribeWords: z
    .enum(unsubscribeWordsActions)
    .describe(
      'Effect when a person asks in their own words not to be emailed: `mark` stops the sequence with the reason `asks_to_unsubscribe` and leaves the decision to you; `opt_out` adds them to the Do Not Contact list',
    ),
  assistantsMayRequestCalls: z
    .boolean()
    .describe('Whether AI assistants may request calls; a person approves each request in the web app'),
  assistantSendsNeedApproval: z
    .boolean()
    .describe(
      'Whether a person must approve what AI assistants send: their emails and LinkedIn messages wait as drafts, and changes that would cause other sends are refused. API tokens are not affected',
    ),
  maxBouncePercent: z
    .number()
    .min(1)
    .max(100)
    .describe(
      'A mailbox is paused when more than this percentage of its last 100 emails, and at least 5, went to addresses that do not exist',
    ),
  maxComplaintPercent: z
    .number()
    .min(0.1)
    .max(100)
    .describe(
      'A mailbox is paused when more than this percentage of its last 1,000 emails, and at least 2, were reported as spam',
    ),
  maxAttachmentMegabytes: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe(
      'Storage for email attachments. Once it is full, attachments of received emails are only listed',
    ),
}

export const account = z
  .object({
    ...base('account'),
    name: z.string(),
    defaultCountry: z
      .string()
      .optional()
      .describe('Two-letter ISO 3166 code; the country of phone numbers without a country code'),
    timezone: z.string().describe('IANA time zone, such as Europe/Lisbon'),
    postalAddress: z.string().optional().describe('Postal address, added below every campaign email'),
    optOutLine: z
      .string()
      .optional()
      .describe(
        'Opt-out text below every campaign email. The link replaces `{{ unsubscribeUrl }}`, or follows the text if that is missing',
      ),
    ...settings,
    sendingPausedAt: time.optional().describe('When all sending was paused; absent while it is not paused'),
    sendingPauseReason: z.string().optional(),
    sendingPausedBy: z
      .string()
      .optional()
      .describe('Name of the user who paused sending, or on whose behalf an app paused it'),
  })
  .meta({ id: 'Account' })

export const getAccount = operation({
  method: 'GET',
  path: '/account',
  summary: 'Get the account',
  description: 'Returns the settings of the account, and whether all sending is paused.',
  tag: 'Account',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject({}),
  output: account,
})

export const updateAccount = operation({
  method: 'PATCH',
  path: '/account',
  summary: 'Update the account',
  description: 'Absent fields stay as they are; null clears a field.',
  tag: 'Account',
  extension: true,
  permission: 'Account.ManageSettings',
  reachesOutside: 'always',
  timeoutMs: 120_000,
  input: z.strictObject({
    name: optionalText(200).describe('Name of the organization'),
    defaultCountry: country
      .nullish()
      .describe('Two-letter ISO 3166 code; the country of phone numbers without a country code'),
    timezone: optionalText(64).describe('IANA time zone, such as Europe/Lisbon'),
    postalAddress: patchMultiline(1000).describe('Postal address, added below every campaign email'),
    optOutLine: patchMultiline(1000).describe(
      'Opt-out text below every campaign email. The link replaces `{{ unsubscribeUrl }}`, or follows the text if that is missing',
    ),
    replyPauses: settings.replyPauses.optional(),
    unsubscribeWords: settings.unsubscribeWords.optional(),
    assistantsMayRequestCalls: settings.assistantsMayRequestCalls.optional(),
    assistantSendsNeedApproval: settings.assistantSendsNeedApproval.optional(),
    maxBouncePercent: settings.maxBouncePercent.optional(),
    maxComplaintPercent: settings.maxComplaintPercent.optional(),
    maxAttachmentMegabytes: settings.maxAttachmentMegabytes.optional(),
  }),
  output: account,
  example: { input: { postalAddress: 'Analytical Ltd, 12 St James Square, London SW1Y 4JH, UK' } },
})

export const pauseSending = operation({
  method: 'POST',
  path: '/account/pause-sending',
  summary: 'Pause all sending',
  description:
    'Stops all sending: after the response, no email or LinkedIn message is sent and no call is placed, except those that `inFlight` counts. Steps, drafts and calls wait and go out after resumeSending; replies are still received. Repeating the request changes nothing.',
  tag: 'Account',
  extension: true,
  permission: 'Campaign.EditCampaign',
  input: z.strictObject({ reason: optionalText(500).describe('Reason, shown to the other members') }),
  output: account.extend({ inFlight }),
  example: { input: { reason: 'Wrong price in step 2' } },
})

export const resumeSending = operation({
  method: 'POST',
  path: '/account/resume-sending',
  summary: 'Resume all sending',
  description:
    'Ends a pause of all sending. Everything due by then is sent within the limits of the mailboxes. Applications can end their own pause, but not somebody else’s if that would place calls. Repeating the request changes nothing.',
  tag: 'Account',
  extension: true,
  permission: 'Campaign.EditCampaign',
  reachesOutside: 'always',
  input: z.strictObject({}),
  output: account,
})
