import { z } from 'zod'
import { operation } from './operation.ts'
import { base, changedLines, done, id, optionalText, text, time, timeInput } from './page.ts'

const tag = 'Reply agent'
const permission = 'Account.ManageSettings'
const nothing = z.strictObject({})

/** What somebody who answers means. */
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

/** Those to which there is something to say. */
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

/** Why there is no draft, or why autopilot leaves one to a person. */
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
  'fault',
] as const

/** Of a received message: what it means, and what the agent made of it. */
export const replyReading = z
  .object({
    intent: z.enum(replyIntents).optional().describe('What its writer means; absent when nothing tells'),
    intentBy: z.enum(['rules', 'model']).describe('Who told: rules over its words, or the model'),
    notNowUntil: z.iso.date().optional().describe('Of `not_now`: the day that its writer names'),
    referral: z
      .object({ name: z.string().optional(), email: z.string().optional() })
      .optional()
      .describe('Of `wrong_person`: who is the right one; the address stands in the mail'),
    draft: z.object({
      state: z
        .enum(draftStates)
        .describe(
          '`pending`: being written; `waiting`: for a person; `scheduled`: autopilot sends it at `sendsAt`; `failed`: none could be written',
        ),
      emailMessageId: id.optional().describe('The draft, of type `reply_agent`'),
      linkedinMessageId: id.optional().describe('The same of a reply on LinkedIn'),
      sendsAt: time.optional(),
      reason: z
        .string()
        .optional()
        .describe(
          `Why there is none or why it waits for a person: a sentence when it failed, else one of ${draftReasons.map(reason => `\`${reason}\``).join(', ')}`,
        ),
    }),
    usage: z
      .object({
        model: z.string(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        costUsd: z.number().optional().describe('By the prices that the account gave'),
      })
      .optional()
      .describe('What the model took; absent when none was asked'),
  })
  .meta({ id: 'ReplyReading' })

export const replyAgentProviders = ['openai', 'anthropic', 'openai_compatible'] as const

const minutes = z.int().min(1).max(10_080)
const perDay = z.int().min(1).max(10_000)
const price = z.number().min(0).max(10_000)

const autopilot = {
  intents: z
    .array(z.enum(answeredIntents))
    .describe('Drafts that answer these are sent without a person; with none, which is usual, no draft is'),
  delayMinutes: minutes.describe('How long a draft waits before; meanwhile it may be edited or deleted'),
  dailyCap: perDay.describe('How many it sends in any 24 hours'),
}

const replyAgent = z
  .object({
    ...base('reply_agent'),
    provider: z.enum([...replyAgentProviders, 'simulated']),
    model: z.string(),
    baseUrl: z.string().optional(),
    hasApiKey: z.boolean().describe('Whether one is kept; it is never shown'),
    isEnabled: z.boolean(),
    inputPrice: z.number().optional(),
    outputPrice: z.number().optional(),
    dailyReplies: z.int(),
    autopilot: z.object(autopilot),
    verifiedAt: time.optional().describe('When the model last answered as it should, with these settings'),
  })
  .meta({ id: 'ReplyAgent' })

export const getReplyAgent = operation({
  method: 'GET',
  path: '/reply-agent',
  summary: 'Get the reply agent of the account',
  description:
    'With a model, replies are told apart by it and answered with drafts. Without one, rules tell them apart and no draft is written: `intentBy` says `rules`.',
  tag,
  extension: true,
  permission,
  input: nothing,
  output: z.object({
    intentBy: z.enum(['rules', 'model']),
    replyAgent: replyAgent.optional().describe('Absent where none is set'),
  }),
})

export const setReplyAgent = operation({
  method: 'PUT',
  path: '/reply-agent',
  summary: 'Let a model read replies and draft answers',
  description:
    'All settings at once: what is left away takes its default. What it asks goes to the provider: the campaign’s knowledge, the thread, and the names of rep and prospect.',
  tag,
  extension: true,
  permission,
  input: z.strictObject({
    provider: z
      .enum(replyAgentProviders)
      .describe('`openai_compatible` is any server that speaks the chat completions of OpenAI'),
    model: text(200).describe('As the provider names it'),
    baseUrl: optionalText(2000).describe(
      'Where the provider’s API begins, without `/chat/completions` or `/messages`; needed for `openai_compatible`. The operator of this server has to allow a private address',
    ),
    apiKey: text(2000)
      .optional()
      .describe('Left away it stays, but never goes to another server; a local server may need none'),
    isEnabled: z.boolean().default(true),
    inputPrice: price.optional().describe('US dollars for a million tokens of input, to tell costs'),
    outputPrice: price.optional().describe('The same of output'),
    dailyReplies: perDay
      .default(200)
      .describe('How many replies the model is asked about in any 24 hours; rules read those beyond'),
    autopilot: z
      .strictObject({
        ...autopilot,
        delayMinutes: autopilot.delayMinutes.default(30),
        dailyCap: autopilot.dailyCap.default(20),
      })
      .optional(),
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
  summary: 'Try the model of the reply agent',
  description: 'Has it read a reply that we made up, which costs some hundred tokens.',
  tag,
  extension: true,
  permission,
  isRemote: true,
  timeoutMs: 75_000,
  input: nothing,
  output: replyAgent
    .extend({ problem: z.string().optional().describe('What to mend; absent when it works') })
    .meta({ id: 'VerifiedReplyAgent' }),
})

export const deleteReplyAgent = operation({
  method: 'DELETE',
  path: '/reply-agent',
  summary: 'Remove the reply agent with its key',
  description: 'Drafts that were written stay; what waits for the model is read by rules.',
  tag,
  extension: true,
  permission,
  input: nothing,
  output: done,
})

const count = z.int().min(0)

const when = {
  from: timeInput.optional().describe('Only replies that came since then'),
  to: timeInput.optional().describe('Only replies that came before'),
}

const replyUsage = z
  .object({
    objectType: z.literal('reply_usage'),
    replies: count,
    byModel: count.describe('Of these, the ones that the model read'),
    drafts: count.describe('Drafts written'),
    autopilotSent: count.describe('Drafts that autopilot sent'),
    failed: count.describe('Replies to which no draft could be written'),
    inputTokens: count,
    outputTokens: count,
    costUsd: z.number().describe('By the prices given; replies without a price are not in it'),
    intents: z.record(z.string(), count).describe('How many replies mean what'),
  })
  .meta({ id: 'ReplyUsage' })

export const getReplyAgentUsage = operation({
  method: 'GET',
  path: '/reply-agent/usage',
  summary: 'Get what the reply agent read, wrote and cost',
  tag,
  extension: true,
  permission,
  input: z.strictObject(when),
  output: replyUsage,
})

const one = z.strictObject({ campaignId: id.describe('The campaign') })

export const getCampaignReplyUsage = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/reply-usage',
  summary: 'Get what the replies to a campaign mean and cost',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: one.extend(when),
  output: replyUsage,
})

/** How long each text may be. */
export const knowledgeSize = 10_000
const knowledgeTexts = {
  offer: 'What is offered, with facts and prices that a reply may name',
  answers: 'Questions and objections that come up, with their answers',
  nextStep: 'What the prospect should do next, such as the address of a calendar',
  tone: 'How to write',
}

const campaignKnowledge = z
  .object({
    objectType: z.literal('campaign_knowledge'),
    campaignId: id,
    updatedAt: time.optional().describe('Absent when nothing was ever given'),
    offer: z.string().optional().describe(knowledgeTexts.offer),
    answers: z.string().optional().describe(knowledgeTexts.answers),
    nextStep: z.string().optional().describe(knowledgeTexts.nextStep),
    tone: z.string().optional().describe(knowledgeTexts.tone),
  })
  .meta({ id: 'CampaignKnowledge' })

export const getCampaignKnowledge = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/knowledge',
  summary: 'Get what the reply agent knows of a campaign',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: one,
  output: campaignKnowledge,
})

export const updateCampaignKnowledge = operation({
  method: 'PATCH',
  path: '/campaigns/{campaignId}/knowledge',
  summary: 'Change what the reply agent knows of a campaign',
  description: `Its drafts say nothing of the offer that doesn’t stand here or in the thread. Each text may have ${knowledgeSize} characters; null clears one.`,
  tag,
  extension: true,
  permission: 'Campaign.EditCampaign',
  bodyLimitBytes: 256 * 1024,
  input: one.extend({
    offer: changedLines(knowledgeSize).describe(knowledgeTexts.offer),
    answers: changedLines(knowledgeSize).describe(knowledgeTexts.answers),
    nextStep: changedLines(knowledgeSize).describe(knowledgeTexts.nextStep),
    tone: changedLines(knowledgeSize).describe(knowledgeTexts.tone),
  }),
  output: campaignKnowledge,
  example: {
    input: {
      offer: 'Analytical plans shifts for hospitals. 4 EUR a person and month, 30 days free.',
      nextStep: 'Offer a call of 20 minutes: https://calendar.analytical.example/ada',
    },
  },
})
