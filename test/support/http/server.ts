import type { AddressInfo } from 'node:net'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Operation } from '../../../src/contract/operation.ts'
import type { KnownPath } from '../../../src/server/adapters/http/known-paths.ts'
import { openRateLimits } from '../../../src/server/adapters/http/rate-limits.ts'
import { createCsrfToken, sessionCookieName } from '../../../src/server/adapters/http/session-cookie.ts'
import { openAccess } from '../../../src/server/domain/auth/access.ts'
import { createSession } from '../../../src/server/domain/auth/sessions.ts'
import { createApiToken } from '../../../src/server/domain/auth/stored-api-tokens.ts'
import { openHttpServer } from '../../../src/server/main.ts'
import { openTestApp, type TestApp } from '../app.ts'
import type { TemplateDatabase } from '../db/database.ts'

/** An HTTP response with its parsed JSON body. */
export type TestResponse = { status: number; headers: Headers; text: string; body: unknown }

export type Request = { token?: string; body?: unknown; headers?: Record<string, string> }

/** An API token, and the headers that the web app sends with a write. */
export type Credentials = { token: string; session: Record<string, string> }

/** Returns the token, or the session headers for operations that need a web app session. */
export const getCredential = (
  { needsSession }: Operation,
  { token, session }: Credentials,
): Pick<Request, 'token' | 'headers'> => (needsSession ? { headers: session } : { token })

export type TestServer = AsyncDisposable & {
  app: TestApp
  url: string
  /** Every path of the HTTP adapter with its methods. */
  knownPaths: KnownPath[]
  /** Sends a request over a real connection; `path` is relative to /v1 unless it starts with another root. */
  request: (method: string, path: string, request?: Request) => Promise<TestResponse>
  /** Creates a session and returns its cookie. */
  createCookie: (user: { userId: string }) => Promise<string>
  /** Creates a token and a session. */
  createCredentials: (user: { userId: string }) => Promise<Credentials>
  /** Creates an API token. */
  createToken: (
    user: { userId: string },
    options?: { expiresAt?: Date; isReadOnly?: boolean },
  ) => Promise<string>
}

/** Opens the HTTP server on a free port, by default without rate limits. `mcp` replaces the tools. */
export async function openTestServer(
  settings: Record<string, string> = {},
  mcp?: McpHttpHandler,
  template?: TemplateDatabase,
): Promise<TestServer> {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await openTestApp({ RATE_LIMIT_PER_MINUTE: '0', ...settings }, template))
  const access = opened.use(await openAccess(app))
  const limits = opened.use(openRateLimits(app.config, app.log))
  const server = await openHttpServer(app, { access, limits }, mcp)
  opened.defer(() => server.close())
  await server.listen({
    port: app.config.publicUrl ? Number(new URL(app.config.publicUrl).port) : 0,
    host: '127.0.0.1',
  })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const createSessionHeaders = async ({ userId }: { userId: string }) => {
    const session = await createSession(app.db.auth, { userId, address: '127.0.0.1', now: app.now() })
    return {
      cookie: `${sessionCookieName(app.config)}=${session.token}`,
      'x-csrf-token': createCsrfToken(app.keys, session.id),
    }
  }
  const createToken: TestServer['createToken'] = async ({ userId }, options = {}) =>
    (await createApiToken(app.db.auth, { userId, name: 'test', ...options })).token
  const all = opened.move()
  return {
    app,
    url,
    knownPaths: [...server.knownPaths.values()],
    request: async (method, path, { token, body, headers } = {}) => {
      const isRoot = /^\/(v1|mcp|\.well-known|docs|u|healthz|readyz|metrics)\b/.test(path) || path === '/'
      const response = await fetch(isRoot ? url + path : `${url}/v1${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text ? JSON.parse(text) : undefined,
      }
    },
    createCookie: async user => (await createSessionHeaders(user)).cookie,
    createCredentials: async user => ({
      token: await createToken(user),
      session: await createSessionHeaders(user),
    }),
    createToken,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
