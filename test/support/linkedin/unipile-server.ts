import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type UnipileFault =
  | 'timeout'
  | 'reset'
  | 'too_many'
  | 'error'
  | 'malformed'
  | 'truncated'
  | 'unauthorized'
  | 'refused'
  | 'not_subscribed'

export type UnipileRequest = { method: string; path: string; fields: Record<string, unknown> }

type Member = { memberId: string; publicIdentifier: string }
type Registered = { request_url: string; source: string; headers?: { key: string; value: string }[] }

export const toMemberId = (n: number): string => `ACoAAA${String(n).padStart(6, '0')}BcDeFgHiJkLmNoPqRsT`
export const ownMemberId = toMemberId(999_999)

/**
 * A fake Unipile server with the documented API v1 endpoints that we use: profiles, invitations, chats, messages, and
 * webhooks with a header. A fault applies to every write; some faults occur after the write.
 */
export class UnipileServer implements AsyncDisposable {
  readonly apiKey = 'a Unipile key'
  readonly accountId = 'dfXlh46vQYCsMbVarumWlg'
  readonly members: Member[] = []
  /** Writes that were carried out. */
  readonly requests: UnipileRequest[] = []
  readonly webhooks: Registered[] = []
  /** Number of profile requests. */
  lookups = 0
  fault: UnipileFault | undefined
  /** Runs while a write is in progress. */
  duringWrite: (() => Promise<unknown>) | undefined
  /** The Retry-After header of 429 responses, in seconds. */
  retryAfter = 120
  /** Error status for profile requests. */
  profileStatus: number | undefined
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response).catch(() => response.destroy()),
    )
  }

  static async open(): Promise<UnipileServer> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new UnipileServer(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const body = Buffer.concat(await Array.fromAsync(request)).toString('utf8')
    const { pathname } = new URL(request.url!, this.url)
    const path = pathname.replace('/api/v1', '')
    if (request.headers['x-api-key'] !== this.apiKey || this.fault === 'unauthorized')
      return send(response, 401, problem('missing_credentials'))
    const [, identifier] = /^\/users\/(?!invite)(.+)$/.exec(path) ?? []
    if (identifier) return this.#showProfile(decodeURIComponent(identifier), response)
    const isJson = request.headers['content-type']?.startsWith('application/json')
    const fields = isJson ? JSON.parse(body) : readForm(body)
    if (path === '/webhooks') {
      this.webhooks.push(fields)
      return send(response, 201, { object: 'WebhookCreated', webhook_id: `wh_${this.webhooks.length}` })
    }
    await this.duringWrite?.()
    this.#act({ method: request.method!, path, fields }, response)
  }

  #showProfile(identifier: string, response: ServerResponse): unknown {
    this.lookups += 1
    if (this.profileStatus) return send(response, this.profileStatus, problem('unexpected_error'))
    const member = this.members.find(each => Object.values(each).includes(identifier))
    if (!member) return send(response, 404, problem('resource_not_found'))
    return send(response, 200, {
      object: 'UserProfile',
      provider: 'LINKEDIN',
      provider_id: member.memberId,
      public_identifier: member.publicIdentifier,
    })
  }

  #act(request: UnipileRequest, response: ServerResponse): unknown {
    const { fault } = this
    if (fault === 'too_many')
      return send(response, 429, problem('too_many_requests'), { 'retry-after': String(this.retryAfter) })
    if (fault === 'refused') return send(response, 422, problem('cannot_resend_yet'))
    if (fault === 'not_subscribed') return send(response, 403, problem('feature_not_subscribed'))
    this.requests.push(request)
    if (fault === 'timeout') return undefined
    if (fault === 'reset') return response.destroy()
    if (fault === 'error') return send(response, 500, problem('unexpected_error'))
    if (fault === 'malformed') return response.writeHead(201).end('{"object":')
    const body = this.#createBody(request.path)
    if (fault !== 'truncated') return send(response, 201, body)
    response.writeHead(201, { 'content-length': '500' }).write(JSON.stringify(body))
    return setTimeout(() => response.destroy(), 20)
  }

  #createBody(path: string): object {
    const n = this.requests.length
    if (path === '/users/invite') return { object: 'UserInvitationSent', invitation_id: `invitation-${n}` }
    return path === '/chats'
      ? { object: 'ChatStarted', chat_id: `chat-${n}`, message_id: `sent-${n}` }
      : { object: 'MessageSent', message_id: `sent-${n}` }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

const problem = (code: string) => ({
  type: `errors/${code}`,
  title: code,
  detail: `The request failed: ${code}.`,
})

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const readForm = (body: string): Record<string, string> =>
  Object.fromEntries(
    [...body.matchAll(/name="([^"]+)"\r\n\r\n([\s\S]*?)\r\n--/g)].map(([, name, value]) => [name!, value!]),
  )

/** Returns the payload of the webhook "New messages" as documented. */
export const messageEvent = (
  { accountId }: { accountId: string },
  message: { member: number; n: number; isOwn?: boolean; at: Date; text?: string },
) => {
  const attendee = (memberId: string) => ({
    attendee_id: `attendee ${memberId}`,
    attendee_name: 'Somebody',
    attendee_provider_id: memberId,
    attendee_profile_url: `https://www.linkedin.com/in/${memberId}/`,
  })
  const other = attendee(toMemberId(message.member))
  return {
    account_id: accountId,
    account_type: 'LINKEDIN',
    account_info: { type: 'LINKEDIN', feature: 'classic', user_id: ownMemberId },
    event: 'message_received',
    chat_id: `chat of ${message.member}`,
    provider_chat_id: `2-chat${message.member}`,
    timestamp: message.at.toISOString(),
    webhook_name: 'Overture',
    message_id: `message ${message.member} ${message.n}`,
    message: message.text ?? `${message.isOwn ? 'Question' : 'Answer'} ${message.n}`,
    is_sender: message.isOwn ?? false,
    sender: message.isOwn ? attendee(ownMemberId) : other,
    attendees: [other],
  }
}

/** Returns the payload of the webhook "New relation". */
export const relationEvent = (
  { accountId }: { accountId: string },
  { memberId, publicIdentifier }: Member,
) => ({
  event: 'new_relation',
  account_id: accountId,
  account_type: 'LINKEDIN',
  webhook_name: '',
  user_full_name: 'Somebody',
  user_provider_id: memberId,
  user_public_identifier: publicIdentifier,
  user_profile_url: `https://www.linkedin.com/in/${publicIdentifier}/`,
})
