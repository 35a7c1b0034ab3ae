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
export const llmFaults: [what: string, fault: Fault, told: RegExp][] = [
  [
    'resets the connection',
    (_, request) => request.socket.resetAndDestroy(),
    /could not be reached: ECONNRESET/,
  ],
  [
    'breaks off in its answer',
    (response, request) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{"choices":[', () => request.socket.destroy())
    },
    /could not be reached: /,
  ],
  [
    'is asked too often',
    response => json(response, 429, { error: { message: 'Slow down' } }, { 'retry-after': '3600' }),
    /answered 429: Slow down/,
  ],
  ['is broken', response => json(response, 500, { error: 'oops' }), /answered 500/],
  [
    'is overloaded',
    response => json(response, 529, { error: { message: 'Overloaded' } }),
    /answered 529: Overloaded/,
  ],
  ['answers with a page', response => response.writeHead(200).end('<html>Hello</html>'), /invalid JSON/],
  ['answers with nothing', response => response.writeHead(200).end(), /invalid JSON/],
  [
    'answers with half a document',
    response => response.writeHead(200).end('{"choices":[{"mess'),
    /invalid JSON/,
  ],
  ['leads elsewhere', response => response.writeHead(302, { location: '/v1/other' }).end(), /answered 302/],
  [
    'never ends its answer',
    response => {
      const write = () => response.write('{"a":"'.padEnd(16_384, 'x'), error => error || setImmediate(write))
      write()
    },
    /could not be reached: the response is too large/,
  ],
  ['says nothing of the kind', response => json(response, 200, {}), /requested JSON/],
  ['answers with a list', response => json(response, 200, []), /requested JSON/],
  [
    'was told not to answer',
    response =>
      json(response, 200, {
        choices: [{ message: { content: null, refusal: 'I can’t help with that.' } }],
        content: [{ type: 'text', text: 'I can’t help with that.' }],
      }),
    /refused to answer|requested JSON/,
  ],
  [
    'is cut off by its limit',
    response =>
      json(response, 200, {
        choices: [{ finish_reason: 'length', message: { content: '{"intent":"intere' } }],
        content: [],
        stop_reason: 'max_tokens',
      }),
    /requested JSON/,
  ],
  [
    'knows an intent of its own',
    response => json(response, 200, createResponse({ ...good, intent: 'buy' })),
    /intent/,
  ],
  ['leaves a key out', response => json(response, 200, createResponse({ intent: 'interested' })), /schema/],
  ['adds a key', response => json(response, 200, createResponse({ ...good, sendTo: 'all' })), /schema/],
  [
    'gives a list for the draft',
    response => json(response, 200, createResponse({ ...good, draft: ['a'] })),
    /draft/,
  ],
  [
    'writes an empty draft',
    response => json(response, 200, createResponse({ ...good, draft: ' \u200b' })),
    /no draft/,
  ],
  [
    'writes a book',
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
