import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to the model, parsed from either wire format. */
export type ModelRequest = {
  path: string
  headers: IncomingMessage['headers']
  /** The whole body. */
  body: string
  system: string
  input: {
    today: string
    channel: 'email' | 'linkedin'
    rep: { name: string | null }
    prospect: { firstName: string | null; company: string | null }
    knowledge: Record<string, string | null>
    thread: { from: 'rep' | 'prospect'; text: string }[]
    reply: { subject: string; text: string }
  }
}

export type ModelAnswer = {
  intent: string
  notNowUntil?: string | null
  referral?: { name: string | null; email: string | null } | null
  draft?: string | null
}

type Fault = (response: ServerResponse, request: IncomingMessage) => unknown

export const usage = { inputTokens: 400, outputTokens: 60 }

/**
 * A fake model server that implements OpenAI's chat completions and Anthropic's messages, including their validation.
 * It returns predefined answers and keeps received requests.
 */
export class LlmServer implements AsyncDisposable {
  readonly requests: ModelRequest[] = []
  answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer> = () => ({
    intent: 'interested',
    draft: 'Happy to hear that.',
  })
  /** Replaces every response while set. */
  fault: Fault | undefined
  apiKey = 'sk-test-0123456789'
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  static async open(): Promise<LlmServer> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LlmServer(server)
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request)).toString('utf8')
    if (this.fault) return void this.fault(response, request)
    const respond = request.url === '/v1/messages' ? this.#anthropic : this.#openai
    const { status, body: content } = await respond.call(this, request, body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  }

  async #openai({ url, headers }: IncomingMessage, body: string): Promise<LlmResponse> {
    if (url !== '/v1/chat/completions') return refused(404, 'not found')
    // An empty key disables authentication.
    if (this.apiKey && headers.authorization !== `Bearer ${this.apiKey}`) {
      return refused(401, `Incorrect API key provided: ${String(headers.authorization).slice(7)}.`)
    }
    const { messages, response_format: format } = JSON.parse(body)
    const { type, json_schema: schema } = format
    if (type !== 'json_schema' || !schema.strict || !isStrict(schema.schema))
      return refused(400, 'Invalid schema')
    const [system, user] = messages
    const classification = await this.#classify({
      url,
      headers,
      body,
      system: system.content,
      user: user.content,
    })
    return {
      status: 200,
      body: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: JSON.stringify(classification), refusal: null },
          },
        ],
        usage: { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens, total_tokens: 460 },
      },
    }
  }

  async #anthropic({ url, headers }: IncomingMessage, body: string): Promise<LlmResponse> {
    if (headers['x-api-key'] !== this.apiKey || headers['anthropic-version'] !== '2023-06-01') {
      return refused(401, 'invalid x-api-key')
    }
    const { system, messages, tools, tool_choice: choice, max_tokens: maxTokens } = JSON.parse(body)
    if (!Number.isInteger(maxTokens) || tools?.length !== 1 || choice?.name !== tools[0].name) {
      return refused(400, 'max_tokens: Field required')
    }
    const [user] = messages
    const input = await this.#classify({ url: url!, headers, body, system, user: user.content })
    return {
      status: 200,
      body: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_1', name: tools[0].name, input }],
        stop_reason: 'tool_use',
        usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
      },
    }
  }

  async #classify(given: Pick<ModelRequest, 'headers' | 'body' | 'system'> & { url: string; user: string }) {
    const { url: path, headers, body, system, user } = given
    const request = { path, headers, body, system, input: JSON.parse(user) }
    this.requests.push(request)
    return { notNowUntil: null, referral: null, draft: null, ...(await this.answer(request)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

type LlmResponse = { status: number; body: unknown }

const refused = (status: number, message: string): LlmResponse => ({
  status,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
})

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
  anyOf?: Schema[]
}

/** Checks OpenAI's rules for strict schemas: every key is required and no others are allowed. */
function isStrict({ properties, required = [], additionalProperties, anyOf = [] }: Schema): boolean {
  if (!anyOf.every(isStrict)) return false
  if (!properties) return true
  const keys = Object.keys(properties)
  return (
    additionalProperties === false &&
    keys.every(key => required.includes(key)) &&
    Object.values(properties).every(isStrict)
  )
}
