import type { ServerResponse } from 'node:http'
import type { LlmServer } from './llm-server.ts'

type Fault = NonNullable<LlmServer['fault']>

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** Returns a well-formed response in both wire formats at once, with this model output. */
const createResponse = (content: unknown) => ({
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(content) } }],
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'record_reply', input: content }],
  usage: { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 },
})

const good = { intent: 'interested', notNowUntil: null, referral: null, draft: 'Gladly.' }

/** Faults of a model server, and the error message that the account sees. */
export const llmFaults: [name: string, fault: Fault, message: RegExp][] = [
  [
    'resets the connection',
    (_, request) => request.socket.resetAndDestroy(),
    /could not be reached: ECONNRESET/,
  ],
  [
    'disconnects during its response',
    (response, request) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{"choices":[', () => request.socket.destroy())
    },
    /could not be reached: /,
  ],
  [
    'returns 429',
    response => json(response, 429, { error: { message: 'Slow down' } }, { 'retry-after': '3600' }),
    /returned status 429: Slow down/,
  ],
  ['returns 500', response => json(response, 500, { error: 'oops' }), /returned status 500/],
  [
    'returns 529',
    response => json(response, 529, { error: { message: 'Overloaded' } }),
    /returned status 529: Overloaded/,
  ],
  ['returns HTML', response => response.writeHead(200).end('<html>Hello</html>'), /invalid JSON/],
  ['returns an empty body', response => response.writeHead(200).end(), /invalid JSON/],
  ['returns incomplete JSON', response => response.writeHead(200).end('{"choices":[{"mess'), /invalid JSON/],
  ['redirects', response => response.writeHead(302, { location: '/v1/other' }).end(), /returned status 302/],
  [
    'never ends its response',
    response => {
      const write = () => response.write('{"a":"'.padEnd(16_384, 'x'), error => error || setImmediate(write))
      write()
    },
    /could not be reached: the response is too large/,
  ],
  ['returns an empty object', response => json(response, 200, {}), /requested JSON/],
  ['returns a list', response => json(response, 200, []), /requested JSON/],
  [
    'refuses to answer',
    response =>
      json(response, 200, {
        choices: [{ message: { content: null, refusal: 'I can’t help with that.' } }],
        content: [{ type: 'text', text: 'I can’t help with that.' }],
      }),
    /refused to answer|requested JSON/,
  ],
  [
    'reaches its token limit',
    response =>
      json(response, 200, {
        choices: [{ finish_reason: 'length', message: { content: '{"intent":"intere' } }],
        content: [],
        stop_reason: 'max_tokens',
      }),
    /requested JSON/,
  ],
  [
    'returns an unknown intent',
    response => json(response, 200, createResponse({ ...good, intent: 'buy' })),
    /intent/,
  ],
  ['omits a key', response => json(response, 200, createResponse({ intent: 'interested' })), /schema/],
  ['adds a key', response => json(response, 200, createResponse({ ...good, sendTo: 'all' })), /schema/],
  [
    'returns a list as the draft',
    response => json(response, 200, createResponse({ ...good, draft: ['a'] })),
    /draft/,
  ],
  [
    'writes an empty draft',
    response => json(response, 200, createResponse({ ...good, draft: ' \u200b' })),
    /no draft/,
  ],
  [
    'writes a draft that is too long',
    response => json(response, 200, createResponse({ ...good, draft: 'x'.repeat(10_001) })),
    /too long/,
  ],
]

/** Never responds. */
export const hangs: Fault = () => {}

/** Sends a byte every 20 ms without end. */
export const drips: Fault = response => {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
