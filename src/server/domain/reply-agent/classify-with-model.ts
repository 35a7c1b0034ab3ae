import type { App } from '../../kernel/context.ts'
import { askModel } from '../../protocols/llm/ask-model.ts'
import { ModelError, type TokenUsage } from '../../protocols/llm/model.ts'
import { askSimulatedModel } from '../../protocols/llm/simulated.ts'
import { buildReplyQuestion, type ModelClassification, parseModelAnswer } from './prompt.ts'
import { decryptModelKey, getBaseUrl } from './reply-agent.ts'
import type { ReplyFacts, StoredAgent } from './reply-facts.ts'

type ModelResult = { classification: ModelClassification; usage: TokenUsage }

/** Classifies a reply with the account's model. Throws a ModelError, or the signal's reason. */
export async function classifyWithModel(
  app: Pick<App, 'config' | 'keys' | 'now'>,
  { accountId, agent, facts }: { accountId: string; agent: StoredAgent; facts: ReplyFacts },
  signal?: AbortSignal,
): Promise<ModelResult> {
  const now = app.now()
  const question = buildReplyQuestion(facts, now)
  const { value, usage } =
    agent.provider === 'simulated'
      ? askSimulatedModel(question)
      : await askModel(
          {
            provider: agent.provider,
            model: agent.model,
            baseUrl: getBaseUrl(agent.provider, agent.baseUrl),
            apiKey: agent.apiKey ? tryDecrypt(app, accountId, agent.apiKey) : undefined,
          },
          question,
          { allowPrivate: app.config.privateHosts, ...(signal && { signal }) },
        )
  return { classification: parseModelAnswer(value, usage, facts, now), usage }
}

function tryDecrypt({ keys }: Pick<App, 'keys'>, accountId: string, bytes: Uint8Array): string {
  try {
    return decryptModelKey(keys, accountId, bytes)
  } catch {
    throw new ModelError('The API key was encrypted with a different secret. Enter it again.')
  }
}

/** Computes the cost in USD at the account's prices; null if it has set no prices. */
export const computeCost = (
  { inputPrice, outputPrice }: Pick<StoredAgent, 'inputPrice' | 'outputPrice'>,
  { inputTokens, outputTokens }: TokenUsage,
): number | null =>
  inputPrice === null && outputPrice === null
    ? null
    : (inputTokens * (inputPrice ?? 0) + outputTokens * (outputPrice ?? 0)) / 1_000_000
