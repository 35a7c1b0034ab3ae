import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Faults of a request. All except `reset`, `busy`, `over_limit` and `fail` occur after the request is processed. */
export const faults = [
  ...(['lose_response', 'hang', 'malformed', 'truncated', 'upgrade'] as const),
  ...(['reset', 'busy', 'over_limit', 'fail'] as const),
] as const
export type Fault = (typeof faults)[number]

export const transcript = [
  { role: 'assistant', text: 'This is Front desk, an AI assistant. Good morning.', at: 0.4 },
  { role: 'person', text: 'Good morning. Send me the details.', at: 5.2 },
] as const

export const recording = Buffer.from('RIFF, some bytes of sound, and their end')

/** A call at the fake provider. */
export type DialedCall = {
  id: string
  /** Our call ID, from the request. */
  reference: string
  from: string
  to: string
  createdAt: Date
  status: 'dialing' | 'in_progress' | 'ended'
  startedAt?: Date
  endedAt?: Date
  callback?: { url: string; secret: string } | undefined
  outcome?: 'answered' | 'voicemail' | 'no_answer' | 'busy' | 'failed'
  recordingUrl?: string
  /** Additional data that the call's analysis extracts. */
  extracted?: Record<string, unknown>
  /** The body of the request that placed the call. */
  body: unknown
}

export type VoiceRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: unknown
}
export type DialRequest = Pick<DialedCall, 'reference' | 'from' | 'to' | 'callback'>
export type Callback = { headers: Record<string, string>; body: string }

/** The API of one provider. */
export type VoiceProtocol = {
  isAuthorized: (request: VoiceRequest) => boolean
  /** Returns undefined for requests that don't place a call. */
  parseDialRequest: (request: VoiceRequest) => DialRequest | undefined
  describe: (call: DialedCall) => object
  answer: (request: VoiceRequest, calls: DialedCall[]) => { status: number; json: object }
  /** Returns the callbacks that the provider posts for the call's current status. */
  callbacks: (call: DialedCall, now: Date) => Callback[]
}

/** A fake provider's API over HTTP, which records calls and requests and fails as instructed. */
export class VoiceServer implements AsyncDisposable {
  readonly calls: DialedCall[] = []
  readonly requests: VoiceRequest[] = []
  /** The faults of the next requests: `place` for requests that place a call, `query` for all other requests. */
  readonly faults: { place: (Fault | undefined)[]; query: (Fault | undefined)[] } = { place: [], query: [] }
  /** Chooses the fault of a request; by default from `faults`. */
  chooseFault: (request: VoiceRequest, dialRequest: DialRequest | undefined) => Fault | undefined = (
    _request,
    dialRequest,
  ) => (dialRequest ? this.faults.place : this.faults.query).shift()
  now: () => Date = () => new Date()
  readonly #server: Server
  readonly #protocol: VoiceProtocol

  private constructor(server: Server, protocol: VoiceProtocol) {
    this.#server = server
    this.#protocol = protocol
    server.on('request', async (request, response: ServerResponse) => {
      const text = Buffer.concat(await Array.fromAsync(request)).toString('utf8')
      const url = new URL(request.url!, 'http://stand-in')
      this.#answer(
        {
          method: request.method!,
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: text ? JSON.parse(text) : undefined,
        },
        response,
      )
    })
  }

  static async open(protocol: VoiceProtocol): Promise<VoiceServer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new VoiceServer(server, protocol)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Returns the public URL of the call's recording, which redirects once. */
  getRecordingUrl(call: DialedCall): string {
    return `${this.url}/recordings/${call.id}.wav`
  }

  #play({ path, headers }: VoiceRequest, response: ServerResponse): void {
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    const length = recording.length
    if (!path.endsWith('/bytes')) {
      response.writeHead(302, { location: `${path}/bytes` }).end()
    } else if (first === undefined) {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': length }).end(recording)
    } else if (Number(first) >= length) {
      response.writeHead(416, { 'content-range': `bytes */${length}` }).end()
    } else {
      const part = recording.subarray(Number(first), last ? Number(last) + 1 : length)
      const range = `bytes ${first}-${Number(first) + part.length - 1}/${length}`
      response.writeHead(206, { 'content-type': 'audio/wav', 'content-range': range }).end(part)
    }
  }

  #answer(request: VoiceRequest, response: ServerResponse): void {
    if (request.path.startsWith('/recordings/')) this.#play(request, response)
    else this.#answerProtocol(request, response)
  }

  #answerProtocol(request: VoiceRequest, response: ServerResponse): void {
    this.requests.push(request)
    const dialRequest = this.#protocol.parseDialRequest(request)
    const fault = this.chooseFault(request, dialRequest)
    if (fault === 'reset') response.socket!.resetAndDestroy()
    else if (fault === 'busy') send(response, 429, { message: 'Too many calls' }, { 'retry-after': '30' })
    else if (fault === 'over_limit') send(response, 400, { message: 'Over Concurrency Limit.' })
    else if (fault === 'fail') send(response, 500, { message: 'Sorry' })
    else if (!this.#protocol.isAuthorized(request)) send(response, 401, { message: 'Invalid key.' })
    else this.#act(request, dialRequest, fault, response)
  }

  #act(
    request: VoiceRequest,
    dialRequest: DialRequest | undefined,
    fault: Fault | undefined,
    response: ServerResponse,
  ): void {
    const { status, json } = dialRequest
      ? { status: 201, json: this.#protocol.describe(this.#dial(request, dialRequest)) }
      : this.#protocol.answer(request, this.calls)
    const text = JSON.stringify(json)
    if (fault === 'lose_response') response.socket!.resetAndDestroy()
    else if (fault === 'malformed') response.writeHead(status).end('<html>Welcome</html>')
    else if (fault === 'upgrade') response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()
    else if (fault === 'truncated') {
      response.writeHead(status, { 'content-length': Buffer.byteLength(text) })
      response.write(text.slice(0, text.length / 2), () => response.socket!.destroy())
    } else if (fault !== 'hang') send(response, status, json)
  }

  #dial({ body }: VoiceRequest, dialRequest: DialRequest): DialedCall {
    const call: DialedCall = {
      ...dialRequest,
      id: randomUUID(),
      createdAt: this.now(),
      status: 'dialing',
      body,
    }
    this.calls.push(call)
    return call
  }

  /** Answers the phone and returns the provider's callbacks. */
  pickUp(call: DialedCall): Callback[] {
    Object.assign(call, { status: 'in_progress', startedAt: this.now() })
    return this.#protocol.callbacks(call, this.now())
  }

  hangUp(call: DialedCall, outcome: DialedCall['outcome'] = 'answered'): Callback[] {
    Object.assign(call, { status: 'ended', endedAt: this.now(), outcome })
    return this.#protocol.callbacks(call, this.now())
  }

  /** Posts a callback to the URL from the call's request. */
  post(call: DialedCall, { headers, body }: Callback): Promise<Response> {
    return fetch(call.callback!.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

const send = (response: ServerResponse, status: number, json: object, headers: object = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(json))
