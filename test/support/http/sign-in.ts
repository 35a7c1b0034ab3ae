import { randomUUID } from 'node:crypto'
import { createUser } from '../../../src/server/domain/accounts/users.ts'
import type { Reply, TestServer } from './server.ts'

export const PASSWORD = 'correct horse battery'

export type Session = {
  user: { id: string; email: string }
  accounts: { id: string; role: string }[]
  csrfToken: string
}

/** A browser on the web app: keeps cookies and sends the CSRF token. */
export class SignInBrowser {
  csrf = ''
  readonly #server: TestServer
  readonly #cookies = new Map<string, string>()

  constructor(server: TestServer) {
    this.#server = server
  }

  /** The Cookie header. */
  get cookie(): string {
    return [...this.#cookies].map(pair => pair.join('=')).join('; ')
  }

  getCookie(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  /** Copies a cookie from another browser. */
  copyCookie(name: string, from: SignInBrowser): void {
    this.#cookies.set(name, from.#cookies.get(name)!)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const reply = await this.#server.request(method, `/v1${path}`, {
      ...(body !== undefined && { body }),
      headers: {
        ...(this.cookie && { cookie: this.cookie }),
        ...(this.csrf && { 'x-csrf-token': this.csrf }),
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    })
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) this.#cookies.set(name, value)
      else this.#cookies.delete(name)
    }
    const answer = reply.body as (Partial<Session> & { session?: Session }) | undefined
    this.csrf = answer?.csrfToken ?? answer?.session?.csrfToken ?? this.csrf
    return reply
  }

  signIn = (email: string, password = PASSWORD): Promise<Reply> =>
    this.send('POST', '/session', { email, password })

  isSignedIn = async (): Promise<boolean> => (await this.send('GET', '/session')).status === 200
}

export type TestUser = { email: string; userId: string; accountId: string }

/** Creates a user with their own account. */
export async function aUser(
  { app: { db } }: TestServer,
  email = `ada-${randomUUID()}@acme.example`,
): Promise<TestUser> {
  const { id: userId } = await createUser(db.auth, {
    email,
    name: 'Ada',
    password: PASSWORD,
    isEmailVerified: true,
  })
  const [account] = await db.auth<{ id: string }[]>`
    insert into accounts (id, name) values (gen_random_uuid(), 'Acme') returning id`
  await db.auth`insert into members (account_id, user_id, role) values (${account!.id}, ${userId}, 'owner')`
  return { email, userId, accountId: account!.id }
}

/** Creates a user and signs them in in a browser. */
export async function aSignedIn(server: TestServer): Promise<TestUser & { browser: SignInBrowser }> {
  const browser = new SignInBrowser(server)
  const user = await aUser(server)
  const { status } = await browser.signIn(user.email)
  if (status !== 200) throw new Error(`not signed in: ${status}`)
  return { browser, ...user }
}
