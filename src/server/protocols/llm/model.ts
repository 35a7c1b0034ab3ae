/** A model behind an HTTP API. */
export type Model = {
  provider: 'openai' | 'anthropic' | 'openai_compatible'
  model: string
  /** Without a trailing slash. */
  baseUrl: string
  apiKey: string | undefined
}

/** A question to a model. `schema` is the JSON Schema of the answer, which is an object. */
export type Question = {
  system: string
  user: string
  schema: { name: string; description: string; json: Record<string, unknown> }
  maxTokens: number
}

export type TokenUsage = { inputTokens: number; outputTokens: number }

/** The model's answer, not yet validated against the schema. */
export type ModelAnswer = { value: unknown; usage: TokenUsage }

/** Error for a question without a usable answer. Members of the account see `message`. `usage` is billed anyway. */
export class ModelError extends Error {
  override name = 'ModelError'
  readonly retryAfterMs: number
  readonly usage: TokenUsage | undefined

  constructor(
    message: string,
    { retryAfterMs = 0, usage }: { retryAfterMs?: number; usage?: TokenUsage } = {},
  ) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.usage = usage
  }
}

/** The requests and responses of one kind of API. */
export type ModelApi = {
  path: string
  headers: (model: Model) => Record<string, string>
  body: (model: Model, question: Question) => unknown
  /** Extracts the model's answer. Throws a ModelError when there is none. */
  read: (response: unknown, usage: TokenUsage) => unknown
  usage: (response: unknown) => TokenUsage
}
