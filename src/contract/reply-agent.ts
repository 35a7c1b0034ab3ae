import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, optionalText, patchMultiline, text, time, timeInput } from './page.ts'

const tag = 'Reply agent'
const permission = 'Account.ManageSettings'
const noInput = z.strictObject({})

/** Intents of a reply. */
export const replyIntents = [
  'interested',
  'question',
  'objection',
  'not_now',
  'wrong_person',
  'opt_out',
  'auto',
] as const
export type ReplyIntent = (typeof replyIntents)[number]

/** Intents that get a draft. */
export const answeredIntents = ['interested', 'question', 'objection', 'not_now', 'wrong_person'] as const

export const draftStates = [
  'pending',
  'waiting',
  'scheduled',
  'sending',
  'sent',
  'deleted',
  'failed',
  'none',
] as const

/** Reasons there is no draft, or autopilot does not send it. */
export const draftReasons = [
  'no_agent',
  'intent',
  'old',
  'newer_message',
  'daily_replies',
  'edited',
  'turned_off',
  'daily_cap',
  'other_sender',
  'foreign_link',
  'do_not_contact',
  'no_mailbox',
  'error',
] as const

const reasonCodes = draftReasons.map(reason => `\`${reason}\``).join(', ')

/** The intent of a received message and the draft that replies to it. */
export const replyClassification = z
  .object({
    intent: z.enum(replyIntents).optional().describe('Intent of the message; absent if undetermined'),
    intentBy: z.enum(['rules', 'model']).describe('Whether rules or the model determined the intent'),
    notNowUntil: z.iso.date().optional().describe('For `not_now`: the date the writer names'),
    referral: z
      .object({ name: z.string().optional(), email: z.string().optional() })
      .optional()
      .describe('For `wrong_person`: the right contact, as given in the message'),
    draft: z.object({
      state: z
        .enum(draftStates)
        .describe(
          '`pending`: being written; `waiting`: for a person; `scheduled`: autopilot sends it at `sendsAt`; `failed`: could not be written',
        ),
      emailMessageId: id.optional().describe('The draft, of type `reply_agent`'),
      linkedinMessageId: id.optional().describe('The draft, for a reply on LinkedIn'),
      sendsAt: time.optional(),
      reason: z
        .string()
        .optional()
        .describe(
          `Reason there is no draft or it waits for a person: a sentence if it failed, otherwise one of ${reasonCodes}`,
        ),
    }),
    usage: z
      .object({
        model: z.string(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        costUsd: z.number().optional().describe("Cost at the account's prices"),
      })
      .optional()
      .describe('Usage of the model; absent if it was not called'),
  })
  .meta({ id: 'ReplyClassification' })

export const replyAgentProviders = ['openai', 'anthropic', 'openai_compatible'] as const

const minutes = z.int().min(1).max(10_080)
const perDay = z.int().min(1).max(10_000)
const price = z.number().min(0).max(10_000)

const autopilot = {
  intents: z
    .array(z.enum(answeredIntents))
    .describe('Intents whose drafts are sent without review; empty for none'),
  delayMinutes: minutes.describe('Minutes before a draft is sent; until then you can edit or delete it'),
  dailyCap: perDay.describe('Maximum number of drafts that the agent sends in any 24 hours'),
}

const replyAgent = z
  .object({
    ...base('reply_agent'),
    provider: z.enum([...replyAgentProviders, 'simulated']),
    model: z.string(),
    baseUrl: z.string().optional(),
    hasApiKey: z.boolean().describe('Whether a key is stored; it is never returned'),
    isEnabled: z.boolean(),
    inputPrice: z.number().optional(),
    outputPrice: z.number().optional(),
    dailyReplies: z.int(),
    autopilot: z.object(autopilot),
    verifiedAt: time.optional().describe('When the model last passed verification with these settings'),
  })
  .meta({ id: 'ReplyAgent' })

export const getReplyAgent = operation({
  method: 'GET',
  path: '/reply-agent',
  summary: 'Get the reply agent',
  description:
    'A model classifies replies and drafts answers. Without one, rules classify replies, no drafts are written and `intentBy` is `rules`.',
  tag,
  extension: true,
  permission,
  input: noInput,
  output: z.object({
    intentBy: z.enum(['rules', 'model']),
    replyAgent: replyAgent.optional().describe('Absent if not set up'),
  }),
})

export const setReplyAgent = operation({
  method: 'PUT',
  path: '/reply-agent',
  summary: 'Set up the reply agent',
  description:
    "Replaces all settings; absent ones take their defaults. The provider receives the campaign's knowledge, the thread, and the names of the rep and the prospect.",
  tag,
  extension: true,
  permission,
  reachesOutside: 'always',
  input: z.strictObject({
    provider: z
      .enum(replyAgentProviders)
      .describe("`openai_compatible` is any server that implements OpenAI's chat completions"),
    model: text(200).describe('Model name at the provider'),
    baseUrl: optionalText(2000).describe(
      'Base URL of the API, without `/chat/completions` or `/messages`; required for `openai_compatible`. The operator of this server must allow a private address',
    ),
    apiKey: text(2000)
      .optional()
      .describe('Keeps the stored key if absent, unless the server changes. Local servers may need none'),
    isEnabled: z.boolean().default(true).describe('Whether the agent classifies replies and writes drafts'),
    inputPrice: price.optional().describe('US dollars per million input tokens, to compute costs'),
    outputPrice: price.optional().describe('US dollars per million output tokens'),
    dailyReplies: perDay
      .default(200)
      .describe('Maximum number of replies the model classifies in any 24 hours; rules classify the rest'),
    autopilot: z
      .strictObject({
        ...autopilot,
        delayMinutes: autopilot.delayMinutes.default(30),
        dailyCap: autopilot.dailyCap.default(20),
      })
      .optional()
      .describe('Drafts that the agent sends without review; none by default'),
  }),
  output: replyAgent,
  example: {
    input: {
      provider: 'anthropic',
      model: 'the name of a model',
      apiKey: 'from the provider',
      inputPrice: 3,
      outputPrice: 15,
    },
  },
})

export const verifyReplyAgent = operation({
  method: 'POST',
  path: '/reply-agent/verify',
  summary: 'Verify the reply agent',
  description: 'Has the model classify a sample reply, which uses a few hundred tokens.',
  tag,
  extension: true,
  permission,
  isRemote: true,
  timeoutMs: 75_000,
  input: noInput,
  output: replyAgent
    .extend({ problem: z.string().optional().describe('Problem to fix; absent if there is none') })
    .meta({ id: 'VerifiedReplyAgent' }),
})

export const deleteReplyAgent = operation({
  method: 'DELETE',
  path: '/reply-agent',
  summary: 'Delete the reply agent and its key',
  description: 'Keeps existing drafts. Rules classify the replies that wait for the model.',
  tag,
  extension: true,
  permission,
  input: noInput,
  output: done,
})

const count = z.int().min(0)

const period = {
  from: timeInput.optional().describe('Only replies received at or after this time'),
  to: timeInput.optional().describe('Only replies received before this time'),
}

const replyUsage = z
  .object({
    objectType: z.literal('reply_usage'),
    replies: count,
    byModel: count.describe('Replies classified by the model'),
    drafts: count.describe('Drafts written'),
    autopilotSent: count.describe('Drafts sent by autopilot'),
    failed: count.describe('Replies whose draft could not be written'),
    inputTokens: count,
    outputTokens: count,
    costUsd: z.number().describe("Cost at the account's prices, without replies that have no price"),
    intents: z.record(z.string(), count).describe('Number of replies by intent'),
  })
  .meta({ id: 'ReplyUsage' })

export const getReplyAgentUsage = operation({
  method: 'GET',
  path: '/reply-agent/usage',
  summary: 'Get the usage of the reply agent',
  description:
    'Returns the numbers of classified replies, drafts and tokens in a period, and their cost, for the account.',
  tag,
  extension: true,
  permission,
  input: z.strictObject(period),
  output: replyUsage,
})

const idInput = z.strictObject({ campaignId: id.describe('Campaign ID') })

export const getCampaignReplyUsage = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/reply-usage',
  summary: 'Get the reply usage of a campaign',
  description:
    'Returns the numbers of classified replies, drafts and tokens in a period, and their cost, for one campaign.',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: idInput.extend(period),
  output: replyUsage,
})

/** Maximum length of each field in characters. */
export const knowledgeSize = 10_000
const knowledgeDescriptions = {
  offer: 'The offer, with the facts and prices a reply may mention',
  answers: 'Common questions and objections, with answers',
  nextStep: 'Next step for the prospect, such as a link to a calendar',
  tone: 'Tone of voice',
}

const campaignKnowledge = z
  .object({
    objectType: z.literal('campaign_knowledge'),
    campaignId: id,
    updatedAt: time.optional().describe('Absent if never set'),
    offer: z.string().optional().describe(knowledgeDescriptions.offer),
    answers: z.string().optional().describe(knowledgeDescriptions.answers),
    nextStep: z.string().optional().describe(knowledgeDescriptions.nextStep),
    tone: z.string().optional().describe(knowledgeDescriptions.tone),
  })
  .meta({ id: 'CampaignKnowledge' })

export const getCampaignKnowledge = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/knowledge',
  summary: 'Get the knowledge of a campaign',
  description:
    'Returns the facts the reply agent has about the campaign: the offer, answers, tone and next step.',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: idInput,
  output: campaignKnowledge,
})

export const updateCampaignKnowledge = operation({
  method: 'PATCH',
  path: '/campaigns/{campaignId}/knowledge',
  summary: 'Update the knowledge of a campaign',
  description: `Drafts state only facts from here or from the thread. Each field has at most ${knowledgeSize} characters; null clears it.`,
  tag,
  extension: true,
  permission: 'Campaign.EditCampaign',
  reachesOutside: 'launched_campaign',
  bodyLimitBytes: 256 * 1024,
  input: idInput.extend({
    offer: patchMultiline(knowledgeSize).describe(knowledgeDescriptions.offer),
    answers: patchMultiline(knowledgeSize).describe(knowledgeDescriptions.answers),
    nextStep: patchMultiline(knowledgeSize).describe(knowledgeDescriptions.nextStep),
    tone: patchMultiline(knowledgeSize).describe(knowledgeDescriptions.tone),
  }),
  output: campaignKnowledge,
  example: {
    input: {
      offer: 'Analytical plans shifts for hospitals. 4 EUR per user and month, 30 days free.',
      nextStep: 'Offer a call of 20 minutes: https://calendar.analytical.example/ada',
    },
  },
})
