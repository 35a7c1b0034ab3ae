/** A model behind an HTTP API, and with what it is asked. */
export type Model = {
  provider: 'openai' | 'anthropic' | 'openai_compatible'
  model: string
  /** Where the API begins, without a slash at its end. */
  baseUrl: string
  apiKey: string | undefined
}

/** `schema` is JSON Schema of an object: what the answer has to be. */
export type Question = {
  system: string
  user: string
  schema: { name: string; description: string; json: Record<string, unknown> }
  maxTokens: number
}

export type TokenUsage = { inputTokens: number; outputTokens: number }

/** What the model gave for the schema; whether it fits is for the caller to check. */
export type ModelAnswer = { value: unknown; usage: TokenUsage }

/** No usable answer. `message` is for the people of the account; `usage` is what it cost all the same. */
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

/** How one kind of API is asked, and what its answers look like. */
export type ModelApi = {
  path: string
  headers: (model: Model) => Record<string, string>
  body: (model: Model, question: Question) => unknown
  /** Throws a ModelError when there is nothing of the schema in it. */
  read: (answer: unknown, usage: TokenUsage) => unknown
  usage: (answer: unknown) => TokenUsage
}
