import type { App } from '../../kernel/context.ts'
import { askModel } from '../../protocols/llm/ask-model.ts'
import { ModelError, type TokenUsage } from '../../protocols/llm/model.ts'
import { detectReplyIntent } from '../../protocols/mail-reading/reply-intent.ts'
import { buildReplyQuestion, type ModelClassification, parseModelAnswer } from './prompt.ts'
import { decryptModelKey, getBaseUrl } from './reply-agent.ts'
import type { ReplyFacts, StoredAgent } from './reply-facts.ts'

type ModelResult = { classification: ModelClassification; usage: TokenUsage }

/** Asks the account's model about a reply. Throws a ModelError, or the signal's reason. */
export async function classifyWithModel(
  app: Pick<App, 'config' | 'keys' | 'now'>,
  { accountId, agent, facts }: { accountId: string; agent: StoredAgent; facts: ReplyFacts },
  signal?: AbortSignal,
): Promise<ModelResult> {
  const now = app.now()
  if (agent.provider === 'simulated') return simulate(facts, now)
  const model = {
    provider: agent.provider,
    model: agent.model,
    baseUrl: getBaseUrl(agent.provider, agent.baseUrl),
    apiKey: agent.apiKey ? tryDecrypt(app, accountId, agent.apiKey) : undefined,
  }
  const { value, usage } = await askModel(model, buildReplyQuestion(facts, now), {
    allowPrivate: app.config.privateHosts,
    ...(signal && { signal }),
  })
  return { classification: parseModelAnswer(value, usage, facts, now), usage }
}

function tryDecrypt({ keys }: Pick<App, 'keys'>, accountId: string, bytes: Uint8Array): string {
  try {
    return decryptModelKey(keys, accountId, bytes)
  } catch {
    throw new ModelError('The API key was stored under another secret of this server. Enter it again.')
  }
}

/** Computes the cost in USD at the account's prices; null when it has set none. */
export const computeCost = (
  { inputPrice, outputPrice }: Pick<StoredAgent, 'inputPrice' | 'outputPrice'>,
  { inputTokens, outputTokens }: TokenUsage,
): number | null =>
  inputPrice === null && outputPrice === null
    ? null
    : (inputTokens * (inputPrice ?? 0) + outputTokens * (outputPrice ?? 0)) / 1_000_000

/** Simulates a model for the demo: rules detect the intent, and the draft quotes the campaign's knowledge. */
function simulate(facts: ReplyFacts, now: Date): ModelResult {
  const { knowledge, firstName, newText } = facts
  const detected = detectReplyIntent(newText, now) ?? { intent: 'question' as const }
  const templates: Partial<Record<typeof detected.intent, (string | null)[]>> = {
    interested: ['I am glad to hear that.', knowledge.nextStep],
    question: ['Good question.', knowledge.answers, knowledge.nextStep],
    objection: ['Thank you for telling me.', knowledge.answers],
    not_now: ['That suits me. I will come back to you then.'],
    wrong_person: ['Thank you for pointing me in the right direction.'],
  }
  const lines = templates[detected.intent]?.filter(line => line)
  const draft = lines && [`Hi ${firstName ?? 'there'},`, ...lines].join('\n\n')
  const usage = { inputTokens: Math.ceil(newText.length / 4) + 400, outputTokens: (draft?.length ?? 0) >> 2 }
  return { classification: { ...detected, draft }, usage }
}
