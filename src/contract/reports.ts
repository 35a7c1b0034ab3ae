import { z } from 'zod'
import { operation } from './operation.ts'
import { dayInput, id, optionalText } from './page.ts'

export const reportGroups = [
  'campaign',
  'step',
  'variant',
  'rep',
  'mailbox',
  'intent',
  'day',
  'week',
  'recipientDomain',
] as const

const count = z.int().min(0)

/** The numbers of a report, in the order of its columns. */
export const reportNumbers = {
  contacted: count.describe(
    'Prospects who were sent a campaign email or a LinkedIn invitation or message, or who were called. Counted once in each group and in the total',
  ),
  sent: count.describe('Campaign emails accepted by a mail server'),
  delivered: count.describe('`sent` minus `bouncedHard`, `bouncedSoft` and `blocked`'),
  bouncedHard: count.describe('Emails that bounced because the address does not exist'),
  bouncedSoft: count.describe('Emails that bounced for a temporary reason'),
  blocked: count.describe('Emails that bounced because the server blocked the sender'),
  refused: count.describe('Emails rejected immediately and permanently; not part of `sent`'),
  complaints: count.describe('Prospects who reported an email as spam'),
  replied: count.describe('Prospects who replied for the first time, on any channel'),
  positive: count.describe('Those of `replied` whose latest classified reply shows interest'),
  autoReplied: count.describe('Prospects with a first automatic reply'),
  optedOut: count.describe('Prospects who opted out'),
  invited: count.describe('LinkedIn invitations sent by steps'),
  accepted: count.describe('Invitations accepted'),
  linkedinSent: count.describe('LinkedIn messages sent by steps'),
  callsPlaced: count.describe('Outbound calls that were dialed, by assistants and by hand'),
  callsAnswered: count.describe('Those of `callsPlaced` that were answered'),
  meetings: count.describe('Meetings booked and not cancelled, counted on the day they were recorded'),
} as const

/** The denominator of each rate. */
export const rateDenominators = {
  delivered: 'sent',
  bounced: 'sent',
  complaints: 'sent',
  replied: 'contacted',
  positive: 'replied',
  optedOut: 'contacted',
  accepted: 'invited',
  callsAnswered: 'callsPlaced',
  meetings: 'contacted',
} as const satisfies Record<string, keyof typeof reportNumbers>

/**
 * Rates of responses, which may come days after the contact. They count people on the day of the contact that they
 * responded to, so that everyone in the numerator is also in the denominator.
 */
export const reportResponses = ['complaints', 'replied', 'optedOut', 'accepted', 'meetings'] as const

export type RateName = keyof typeof rateDenominators
export type ReportResponse = (typeof reportResponses)[number]

const describeRate = (name: RateName): string => {
  const denominator = `\`${rateDenominators[name]}\``
  return reportResponses.includes(name as ReportResponse)
    ? `Share of ${denominator} in this row with this response by the end of the period`
    : `Divided by ${denominator}`
}
const rate = (name: RateName) => z.number().min(0).max(1).optional().describe(describeRate(name))

const metrics = {
  ...reportNumbers,
  rates: z
    .object(
      Object.fromEntries(Object.keys(rateDenominators).map(name => [name, rate(name as RateName)])) as Record<
        RateName,
        ReturnType<typeof rate>
      >,
    )
    .describe('From 0 to 1; absent when there is nothing to divide by'),
}

export const replyInterval = z
  .object({ low: z.number(), high: z.number() })
  .optional()
  .describe('95% confidence interval of the variant’s reply rate (Wilson)')

export const variantComparison = {
  bestVariantId: id.describe('Variant with the highest reply rate'),
  result: z
    .enum(['different', 'no_difference', 'too_few'])
    .describe(
      '`different`: its lead over every other variant is not due to chance (p < 0.05); `too_few`: a variant reached fewer than 100 people',
    ),
  pValue: z
    .number()
    .describe(
      'Probability that chance alone causes a lead this large over the next best variant, corrected for the number of variants',
    ),
}

const before = z
  .object(metrics)
  .optional()
  .meta({ id: 'ReportBefore', description: 'With `compare`: the numbers of the previous period' })

export const getReport = operation({
  method: 'GET',
  path: '/report',
  summary: 'Get a report',
  description:
    'Counts what happened in a period of at most 366 days, over email, LinkedIn and calls, in total and by group. Bounces count on the day the email was sent; replies, opt-outs and complaints on the day of the first one. The numbers are those of campaign statistics. Rates of replies, opt-outs, complaints, acceptances and meetings count on the day of the message or call that people responded to: a reply on Tuesday to an email sent on Monday counts in `replied` on Tuesday and in `rates.replied` on Monday. Responses to contacts outside the period, such as a reply to an earlier email, are not part of any rate, so no rate exceeds 1. `compare` adds the numbers of the previous period: the previous month for a whole month, the same days of the previous week for a period that begins on a Monday and is shorter than a week, otherwise the same number of days just before. Groups with outcomes only in that period come last. Days and weeks are compared by position; those without a counterpart have no `before`. With `Accept: text/csv` the rows are returned as CSV.',
  tag: 'Reports',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  csv: 'data',
  input: z
    .strictObject({
      from: dayInput.optional().describe('First day. Defaults to 30 days ago'),
      to: dayInput.optional().describe('Last day. Defaults to today'),
      timezone: optionalText(64).describe("IANA time zone. Defaults to the account's"),
      groupBy: z.enum(reportGroups).optional().describe('Defaults to the total only'),
      campaignId: id.optional().describe('Only outcomes of this campaign'),
      repId: id.optional().describe('Only outcomes of this rep'),
      mailboxId: id.optional().describe('Only outcomes of this mailbox'),
      compare: z.boolean().optional().meta({
        default: false,
        description: 'Add the numbers of the previous period as `before`',
      }),
      limit: z.int().min(1).max(1000).optional().meta({
        default: 400,
        description: 'Number of groups, largest first',
      }),
    })
    .refine(({ from, to }) => !from || !to || from <= to, {
      path: ['from'],
      error: 'must not be after `to`',
    }),
  output: z
    .object({
      objectType: z.literal('report'),
      from: z.iso.date(),
      to: z.iso.date(),
      timezone: z.string(),
      groupBy: z.enum(reportGroups).optional(),
      comparedWith: z
        .object({ from: z.iso.date(), to: z.iso.date() })
        .optional()
        .describe('With `compare`: the previous period'),
      total: z.object({ ...metrics, before }),
      data: z
        .array(
          z
            .object({
              key: z
                .string()
                .optional()
                .describe(
                  'ID, intent or domain of the group, its day, or the Monday of its week. Absent for outcomes without a group, such as calls in a report by mailbox',
                ),
              name: z.string().optional().describe('Name of the campaign, step, variant, rep or mailbox'),
              campaignId: id.optional().describe('Campaign of a step or variant'),
              stepId: id.optional().describe('Step of a variant'),
              ...metrics,
              replyInterval,
              before,
            })
            .meta({ id: 'ReportRow' }),
        )
        .describe(
          'Empty without `groupBy`. Days and weeks in order, others by the number of people contacted',
        ),
      hasMore: z.boolean().describe('Whether groups are missing because of `limit`'),
      comparisons: z
        .array(z.object({ stepId: id, ...variantComparison }))
        .optional()
        .describe('With `groupBy=variant`: whether the variants of each step differ in their reply rates'),
    })
    .meta({ id: 'Report' }),
})
