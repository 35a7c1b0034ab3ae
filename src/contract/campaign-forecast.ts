import { z } from 'zod'
import { addressRisk } from './address-risks.ts'
import { launchWarnings, stepChannels } from './campaigns.ts'
import { operation } from './operation.ts'
import { dayInput, id, time } from './page.ts'
import { prospectStatuses } from './prospects.ts'

/** Limits that delay a campaign's emails, besides the windows of its schedule and the delays between its steps. */
export const forecastLimits = [
  'daily_cap',
  'warm_up',
  'gap',
  'new_prospects_cap',
  'no_working_mailbox',
  'schedule_over',
  'none',
] as const

const count = z.int().min(0)

const launch = z.object({
  recipients: count.describe('Prospects who would be contacted; see `expectedRecipients` of launchCampaign'),
  errors: z
    .array(
      z.object({
        path: z.string().describe('Field to change, such as `steps`, `repIds` or `account.postalAddress`'),
        message: z.string().describe('Missing requirement, and how to meet it'),
      }),
    )
    .describe('Requirements that prevent the launch; empty if there are none'),
  warnings: launchWarnings,
  incomplete: z
    .object({
      total: count.describe('Number of prospects that lack a value'),
      prospects: z
        .array(
          z.object({
            prospectId: id,
            personId: id,
            name: z.string().optional(),
            variables: z.array(z.string()),
          }),
        )
        .describe('The first 100 of these prospects, with the missing variables'),
    })
    .optional()
    .describe('Prospects who would be left out until they have a value for each variable without a fallback'),
  withoutEmail: count.describe(
    'Those of `recipients` who have no email address and will fail at the first email step, if there is one',
  ),
  leftOut: z
    .array(
      z.object({
        status: z.enum(prospectStatuses),
        reason: z.string().optional().describe('Reason for the status, such as `do_not_contact`'),
        count,
      }),
    )
    .describe('Prospects who would not be contacted because of their status'),
  riskyAddresses: z
    .object({
      total: count,
      undeliverable: count.describe('Prospects who are paused instead of getting their first email'),
      unchecked: count.describe(
        'Prospects whose domain could not be checked because DNS did not respond in time',
      ),
      prospects: z
        .array(z.object({ prospectId: id, personId: id, name: z.string().optional(), ...addressRisk }))
        .describe('The first 100 of these prospects, most serious first'),
    })
    .optional()
    .describe('Addresses that may not receive email; absent if there are none'),
  domainWarnings: z.array(z.string()).describe('Problems with the DNS of the sending domains'),
})

export const forecastCampaign = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/forecast',
  summary: 'Forecast when emails are sent',
  description:
    "Simulates a launch or resumption of the campaign now, by the rules of the engine: windows and holidays in each prospect's time zone, delays, the daily limit of new prospects, caps, warm-up and gaps of the mailboxes, their sent and queued emails, and the other active campaigns that use them. Assumes that nobody replies, bounces or opts out, that every variable has a value (prospects of a draft who lack one are left out), that tasks and calls are done when due, and that mailboxes keep working: a real campaign sends fewer emails. Gaps have their average length. For a draft, `launch` reports who would be contacted and what prevents the launch.",
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject({
    campaignId: id.describe('Campaign ID'),
    horizonDays: z.int().min(1).max(365).default(180).describe('Number of days to look ahead'),
  }),
  output: z
    .object({
      objectType: z.literal('campaign_forecast'),
      campaignId: id,
      timezone: z.string().describe("Time zone of the days: the schedule's, else the account's"),
      prospects: count.describe(
        'Prospects whose sequence is not over; for a draft, those who would be contacted',
      ),
      emails: count.describe('Emails sent within the horizon'),
      firstSendAt: time.optional().describe('When the first email is sent'),
      lastSendAt: time.optional().describe('When the last email within the horizon is sent'),
      endsAfterHorizon: z.boolean().describe('True if emails remain after the horizon'),
      remainingEmails: count.describe('Emails not sent within the horizon'),
      bottleneck: z
        .object({
          limit: z
            .enum(forecastLimits)
            .describe(
              '`none`: only windows and delays decide; `no_working_mailbox` and `schedule_over`: some emails are never sent',
            ),
          message: z.string().describe('Explanation of the limit and what to change'),
          emails: count.describe('Emails that this limit delays'),
          averageWaitHours: z.number().describe('Average delay per email'),
        })
        .describe('The limit that delays emails the most'),
      steps: z
        .array(
          z.object({
            stepId: id,
            position: z.int(),
            channel: z.enum(stepChannels),
            count: count.describe('Emails sent, tasks created or calls placed'),
            firstOn: dayInput.optional(),
            lastOn: dayInput.optional(),
          }),
        )
        .describe('All steps, in order'),
      mailboxes: z.array(z.object({ mailboxId: id, email: z.string(), emails: count })),
      days: z
        .array(
          z.object({
            date: dayInput,
            emails: count,
            mailboxes: z.record(z.string(), count).describe('Emails by mailbox ID'),
          }),
        )
        .describe('Days with emails, in order'),
      launch: launch.optional().describe('Effect of a launch now; only for a draft'),
    })
    .meta({ id: 'CampaignForecast' }),
})
