import { expect, it } from 'vitest'
import { openTestApp } from '../support/app.ts'
import { openTestServer } from '../support/http/server.ts'
import { makeUser, SignInBrowser } from '../support/http/sign-in.ts'

it('sign-ins that wait for a lock on their user time out and do not block other requests', async () => {
  await using server = await openTestServer()
  const { owner } = server.app
  const { email, userId } = await makeUser(server)
  const { email: bystander } = await makeUser(server)
  const browser = new SignInBrowser(server)
  await browser.signIn(bystander)
  const responses = await owner.begin(async tx => {
    await tx`select from users where id = ${userId} for update`
    const waiting = Array.from({ length: 6 }, () => new SignInBrowser(server).signIn(email))
    const countWaiting = async () => {
      const [{ count }] = await tx<[{ count: number }]>`
        select count(*)::int as count from pg_locks where not granted and locktype = 'transactionid'`
      return count
    }
    await expect.poll(countWaiting).toBeGreaterThan(0)
    for (let n = 0; n < 5; n++) expect((await browser.send('GET', '/campaigns')).status).toBe(200)
    return Promise.all(waiting)
  })
  for (const { status, body } of responses) {
    expect([status, body]).toMatchObject([503, { message: expect.stringContaining('Try again') }])
  }
  expect((await new SignInBrowser(server).signIn(email)).status).toBe(200)
})

it('a transaction that requests a second connection in a test fails, and so does the test file', async () => {
  const app = await openTestApp()
  const { db } = app
  for (const held of [db.app, db.auth]) {
    for (const requested of [db.app, db.auth]) {
      const nested = held.begin(() => requested`select 1`)
      await expect(nested).rejects.toThrow('requests a second connection')
    }
  }
  await expect(db.app.begin(() => db.auth.begin(tx => tx`select 1`))).rejects.toThrow('second connection')
  expect(await db.auth.begin(tx => tx`select 1 as one`)).toEqual([{ one: 1 }])
  await expect(app[Symbol.asyncDispose]()).rejects.toThrow('second connection')
})
