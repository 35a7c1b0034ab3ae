import { argon2Sync, randomBytes, randomUUID } from 'node:crypto'
import { insertUser } from '../../../src/server/domain/accounts/users.ts'
import type { TestResponse, TestServer } from './server.ts'

export const PASSWORD = 'correct horse battery'

export type Session = {
  user: { id: string; email: string }
  accounts: { id: string; role: string }[]
  csrfToken: string
}

/** A browser that uses the web app: keeps cookies and sends the CSRF token. */
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
  ): Promise<TestResponse> {
    const response = await this.#server.request(method, `/v1${path}`, {
      ...(body !== undefined && { body }),
      headers: {
        ...(this.cookie && { cookie: this.cookie }),
        ...(this.csrf && { 'x-csrf-token': this.csrf }),
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) this.#cookies.set(name, value)
      else this.#cookies.delete(name)
    }
    const result = response.body as (Partial<Session> & { session?: Session }) | undefined
    this.csrf = result?.csrfToken ?? result?.session?.csrfToken ?? this.csrf
    return response
  }

  signIn = (email: string, password = PASSWORD): Promise<TestResponse> =>
    this.send('POST', '/session', { email, password })

  isSignedIn = async (): Promise<boolean> => (await this.send('GET', '/session')).status === 200
}

export type TestUser = { email: string; userId: string; accountId: string }

/** Returns the password's hash with argon2's smallest parameters, because some tests verify hundreds of passwords. */
function hashCheaply(password: string): string {
  const nonce = randomBytes(16)
  const cost = { memory: 8, passes: 1, parallelism: 1 }
  const tag = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, ...cost })
  const [salt, hash] = [nonce, tag].map(bytes => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`
}

/** Creates a user with their own account. */
export async function makeUser(
  { app: { db } }: TestServer,
  email = `ada-${randomUUID()}@acme.example`,
): Promise<TestUser> {
  const user = await insertUser(db.auth, {
    email,
    name: 'Ada',
    passwordHash: hashCheaply(PASSWORD),
    isEmailVerified: true,
  })
  const userId = user!.id
  const [account] = await db.auth<{ id: string }[]>`
    insert into accounts (id, name) values (gen_random_uuid(), 'Acme') returning id`
  await db.auth`insert into members (account_id, user_id, role) values (${account!.id}, ${userId}, 'owner')`
  return { email, userId, accountId: account!.id }
}

/** Creates a user and signs them in with a new browser. */
export async function makeSignedIn(server: TestServer): Promise<TestUser & { browser: SignInBrowser }> {
  const browser = new SignInBrowser(server)
  const user = await makeUser(server)
  const { status } = await browser.signIn(user.email)
  if (status !== 200) throw new Error(`not signed in: ${status}`)
  return { browser, ...user }
}
