import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestServer, type TestResponse, type TestServer } from '../../../../test/support/http/server.ts'
import { makeUser, PASSWORD, SignInBrowser, type TestUser } from '../../../../test/support/http/sign-in.ts'
import { isMissing } from '../../../../test/support/processes/environment.ts'
import { openRedis } from '../../../../test/support/processes/redis-server.ts'
import { createResetToken, resetPassword } from '../../domain/auth/password-resets.ts'
import { openRateLimits, type RateLimits } from './rate-limits.ts'

const LIMITED = { RATE_LIMIT_PER_MINUTE: '100', TRUSTED_PROXIES: '127.0.0.1' }

let server: TestServer
beforeAll(async () => {
  server = await openTestServer(LIMITED)
})
afterAll(() => server[Symbol.asyncDispose]())

let addresses = 0
/** Returns an address in a new network. */
const newAddress = () => `2001:db8:0:${(++addresses).toString(16)}::1`
const from = (address: string) => ({ 'x-forwarded-for': address })
const signIn = (browser: SignInBrowser, email: string, password = PASSWORD, address = newAddress()) =>
  browser.send('POST', '/session', { email, password }, from(address))
const guess = (email: string, address?: string) => signIn(new SignInBrowser(server), email, 'wrong', address)

/** Sends wrong passwords for one user in parallel, several from each address. */
const attack = (email: string, count: number, each = 2): Promise<TestResponse[]> => {
  const sources = Array.from({ length: count / each }, newAddress)
  return Promise.all(Array.from({ length: count }, (_, n) => guess(email, sources[n % sources.length])))
}
const countStatus = (responses: TestResponse[], status: number) =>
  responses.filter(response => response.status === status).length

/** Creates a user and a browser that the user signed in and out of. */
async function withKnownBrowser(): Promise<TestUser & { browser: SignInBrowser }> {
  const user = await makeUser(server)
  const browser = new SignInBrowser(server)
  expect((await signIn(browser, user.email)).status).toBe(200)
  expect((await browser.send('DELETE', '/session', undefined, from(newAddress()))).status).toBe(200)
  return { ...user, browser }
}

describe('attack with 100 wrong passwords from 50 addresses on one user', () => {
  it('locks out unknown browsers but not the user’s own browser', async () => {
    const { email, browser } = await withKnownBrowser()
    const responses = await attack(email, 100)
    expect([countStatus(responses, 401), countStatus(responses, 429)]).toEqual([50, 50])
    const stranger = await signIn(new SignInBrowser(server), email)
    expect(stranger.status).toBe(429)
    expect(Number(stranger.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await signIn(browser, email)).status).toBe(200)
  })

  it('gets the same responses for an email address without a user', async () => {
    const { email } = await makeUser(server)
    const counts = await Promise.all(
      [email, `nobody-${email}`].map(async each => {
        const responses = await attack(each, 60)
        return [countStatus(responses, 401), countStatus(responses, 429)]
      }),
    )
    expect(counts).toEqual([
      [50, 10],
      [50, 10],
    ])
    const refused = await Promise.all([guess(email), guess(`nobody-${email}`)])
    const messages = refused.map(({ body }) => (body as { message: string }).message)
    expect(messages[0]).toBe(messages[1])
  })

  it('locks out browsers known for another user or from before a password reset', async () => {
    const { email, browser, userId } = await withKnownBrowser()
    const { browser: otherBrowser } = await withKnownBrowser()
    await attack(email, 50)
    expect((await signIn(otherBrowser, email)).status).toBe(429)
    const { db, keys } = server.app
    const now = new Date()
    const { token } = (await createResetToken(db.auth, keys, { email, now }))!
    await resetPassword(db.auth, keys, { token, password: PASSWORD, now }, { actor: 'sign-in', userId })
    expect((await signIn(browser, email)).status).toBe(429)
  })

  it('does not lock out the browser in which the user resets the password', async () => {
    const { email } = await makeUser(server)
    await attack(email, 50)
    const browser = new SignInBrowser(server)
    expect((await signIn(browser, email)).status).toBe(429)
    const { db, keys } = server.app
    const { token } = (await createResetToken(db.auth, keys, { email, now: new Date() }))!
    const password = 'another long one'
    const reset = await browser.send(
      'POST',
      '/password-reset/confirm',
      { token, password },
      from(newAddress()),
    )
    expect(reset.status).toBe(200)
    expect((await signIn(browser, email, password)).status).toBe(200)
  })

  it('locks out browsers with a device cookie that was altered or is 90 days old', async () => {
    await using slow = await openTestServer(LIMITED)
    const { email } = await makeUser(slow)
    slow.app.setNow('2026-11-24T11:00:00Z')
    const known = new SignInBrowser(slow)
    expect((await signIn(known, email)).status).toBe(200)
    const cookie = known.getCookie('overture-device')!
    const signInWith = (device: string) =>
      slow.request('POST', '/session', {
        body: { email, password: PASSWORD },
        headers: { cookie: `overture-device=${device}`, ...from(newAddress()) },
      })
    await Promise.all(
      Array.from({ length: 50 }, () => signIn(new SignInBrowser(slow), email, 'wrong', newAddress())),
    )
    const altered = cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A')
    for (const device of ['', 'nonsense', altered])
      expect([device, (await signInWith(device)).status]).toEqual([device, 429])
    slow.app.setNow('2027-02-22T10:59:59Z')
    expect((await signInWith(cookie)).status).toBe(200)
    slow.app.setNow('2027-02-22T11:00:00Z')
    expect((await signInWith(cookie)).status).toBe(429)
  })
})

describe('wrong passwords', () => {
  it('are limited to ten per address or IPv6 network, which leaves attempts for other addresses', async () => {
    const { email } = await makeUser(server)
    const responses = await Promise.all(Array.from({ length: 15 }, () => guess(email, '2001:db8:1::1')))
    expect([countStatus(responses, 401), countStatus(responses, 429)]).toEqual([10, 5])
    for (const address of ['2001:db8:1::1', '2001:db8:1::ffff:2']) {
      expect((await signIn(new SignInBrowser(server), email, PASSWORD, address)).status).toBe(429)
    }
    expect(countStatus(await attack(email, 60), 401)).toBe(40)
  })

  it('do not lock out the user’s own browser, even at the same address', async () => {
    const { email, browser } = await withKnownBrowser()
    const address = newAddress()
    for (let n = 0; n < 10; n++) expect((await guess(email, address)).status).toBe(401)
    expect((await guess(email, address)).status).toBe(429)
    expect((await signIn(browser, email, PASSWORD, address)).status).toBe(200)
  })

  it('count toward the limit, but correct ones do not', async () => {
    const { email } = await makeUser(server)
    for (let n = 0; n < 12; n++) {
      expect((await signIn(new SignInBrowser(server), email, PASSWORD, '2001:db8:2::1')).status).toBe(200)
    }
  })

  it('are limited to 50 in a known browser', async () => {
    const { email, browser } = await withKnownBrowser()
    const statuses: number[] = []
    for (let n = 0; n < 51; n++) statuses.push((await signIn(browser, email, 'wrong')).status)
    expect(statuses.indexOf(429)).toBe(50)
  })
})

describe('single sign-on callback', () => {
  const requestCallback = async (address: string, cookie?: string) => {
    const { status } = await server.request('GET', '/v1/session/single-sign-on/callback?code=x', {
      headers: {
        ...from(address),
        'sec-fetch-site': 'cross-site',
        'sec-fetch-dest': 'image',
        ...(cookie && { cookie }),
      },
    })
    return status
  }
  const attempts = Array.from({ length: 30 })

  it('does not use up sign-in attempts when images on other sites request it', async () => {
    const { email, browser } = await withKnownBrowser()
    const address = newAddress()
    for (const _ of attempts) expect(await requestCallback(address)).toBe(303)
    expect((await signIn(browser, email, PASSWORD, address)).status).toBe(200)
    expect((await browser.send('DELETE', '/session', undefined, from(address))).status).toBe(200)
  })

  it('limits guesses of its cookie separately from sign-ins', async () => {
    const { email } = await makeUser(server)
    const address = newAddress()
    const statuses: number[] = []
    for (const _ of attempts) statuses.push(await requestCallback(address, 'overture-single-sign-on=guessed'))
    expect(statuses).toEqual([...Array(20).fill(303), ...Array(10).fill(429)])
    expect((await signIn(new SignInBrowser(server), email, PASSWORD, address)).status).toBe(200)
  })
})

it('reports when an address that is locked out may try again', async () => {
  await using limits = openRateLimits(server.app.config, server.app.log)
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now })
  try {
    const guess = () => limits.countGuess({ user: 'ada', address: '203.0.113.9' })
    for (let n = 0; n < 10; n++) await guess()
    await expect(guess()).rejects.toThrow(/Try again in \d{2} minutes, or use a passkey/)
    const { retryAfterSeconds } = await guess().catch(error => error)
    vi.setSystemTime(now + (retryAfterSeconds - 30) * 1000)
    await expect(guess()).rejects.toThrow('Try again in 1 minute, or use a passkey')
  } finally {
    vi.useRealTimers()
  }
})

describe.skipIf(isMissing('redis-server'))('processes that share a Redis server', () => {
  it('count wrong passwords together and do not count correct ones', async () => {
    await using redis = await openRedis()
    const { app } = server
    const config = { ...app.config, redisUrl: redis.url }
    await using one = openRateLimits(config, app.log)
    await using other = openRateLimits(config, app.log)
    const guessAt = (limits: RateLimits, user = 'ada@acme.example') =>
      limits.countGuess({ user, address: newAddress() })
    for (const [user, limits] of Object.entries({ one, other })) {
      const isConnected = async () => {
        await guessAt(limits, user)
        return redis.client.exists(`overture:guesses-at-user:user ${user}`)
      }
      await expect.poll(isConnected).toBe(1)
    }
    for (let n = 0; n < 50; n++) {
      const uncount = await guessAt(n % 2 === 0 ? one : other)
      // The first password was correct.
      if (n === 0) await uncount()
    }
    await guessAt(one)
    for (const limits of [one, other]) {
      await expect(guessAt(limits)).rejects.toMatchObject({ code: 'TooManyRequests' })
    }
  })
})

describe('password reset requests', () => {
  /** Opens a server with an SMTP relay that rejects mail while `isDown`. */
  async function openMailing() {
    const state = { isDown: false, emails: 0, refused: 0 }
    const smtp = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onMailFrom: (_address, _session, done) => {
        if (!state.isDown) return done()
        state.refused += 1
        done(Object.assign(new Error('try later'), { responseCode: 451 }))
      },
      onData: (stream, _session, done) => {
        stream
          .on('data', () => {})
          .on('end', () => {
            state.emails += 1
            done()
          })
      },
    })
    const listener = smtp.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const mailing = await openTestServer({
      ...LIMITED,
      SYSTEM_SMTP_URL: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
      SYSTEM_MAIL_FROM: 'overture@acme.example',
      PUBLIC_URL: 'https://outreach.acme.example',
    })
    const { email } = await makeUser(mailing)
    const ask = async () => {
      const { status } = await mailing.request('POST', '/password-reset', {
        body: { email },
        headers: from(newAddress()),
      })
      expect(status).toBe(200)
    }
    const close = async () => {
      await mailing[Symbol.asyncDispose]()
      await new Promise<void>(resolve => smtp.close(() => resolve()))
    }
    return { state, ask, [Symbol.asyncDispose]: close }
  }

  it('always succeed but send at most five emails an hour to a user', async () => {
    await using mailing = await openMailing()
    for (let n = 0; n < 30; n++) await mailing.ask()
    await expect.poll(() => mailing.state.emails).toBe(5)
  })

  it('do not count toward the limit when their email could not be sent', async () => {
    await using mailing = await openMailing()
    const { state, ask } = mailing
    state.isDown = true
    for (let n = 0; n < 5; n++) await ask()
    await expect.poll(() => state.refused).toBe(5)
    state.isDown = false
    const askAgain = async () => {
      await ask()
      return state.emails
    }
    await expect.poll(askAgain).toBeGreaterThan(0)
  })
})
