import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { waitForLock, winDeadlock } from '../../test/support/db/lock-waits.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('a write', () => {
  it('is retried and takes effect once when PostgreSQL rolls it back to resolve a deadlock', async () => {
    const caller = await makeCaller(app)
    const { id: repId } = await caller.call('createRep', { name: 'Ada' })
    const { id: mailboxId } = await caller.call('createMailbox', {
      repId,
      kind: 'sandbox',
      email: 'ada@acme.example',
    })
    const { accountId } = caller
    let write: Promise<{ senderName?: string | undefined }> | undefined
    // The write locks the mailbox and waits for the rep; this transaction locks the rep and waits for the mailbox.
    await app.owner.begin(async tx => {
      await winDeadlock(tx)
      await tx`select from reps where account_id = ${accountId} and id = ${repId} for update`
      write = caller.call('updateMailbox', { mailboxId, senderName: 'Ada' }, 'one key')
      await waitForLock(app)
      await tx`select from mailboxes where account_id = ${accountId} and id = ${mailboxId} for update`
    })
    expect((await write)!.senderName).toBe('Ada')
    const changes = await app.owner`
      select from audit_log where account_id = ${accountId} and object_id = ${mailboxId} and action = 'update'`
    expect(changes.count).toBe(1)
  })
})

describe('an unknown field', () => {
  it.each([
    ['it is the only one', { name: 'Ada', nickname: 'A' }, 'nickname', 'name, ownedById, signature'],
    [
      'another one follows',
      { name: 'Ada', nickname: 'A', age: 36 },
      'nickname',
      'name, ownedById, signature',
    ],
  ])('is rejected with the list of allowed fields when %s', async (_case, input, path, fields) => {
    const caller = await makeCaller(app)
    const { details } = await caller.call('createRep', input as never).catch(error => error)
    expect(details[0]).toEqual({ path, message: `unknown field; allowed fields: ${fields}` })
    // The list appears once, regardless of how many fields are unknown.
    for (const { message } of details.slice(1)) expect(message).toBe('unknown field')
  })

  it('is rejected with the fields of the nested object that contains it', async () => {
    const caller = await makeCaller(app)
    const steps = [{ subject: 'Hi', variants: [{ body: 'Hello', colour: 'red' }] }]
    const { details } = await caller
      .call('createCampaign', { name: 'A', steps } as never)
      .catch(error => error)
    expect(details).toEqual([
      {
        path: 'steps.0.variants.0.colour',
        message: 'unknown field; allowed fields: id, subject, body, weight',
      },
    ])
  })

  it('is reported with a shortened name when its name is very long', async () => {
    const caller = await makeCaller(app)
    const input = { name: 'Ada', ['x'.repeat(1_000_000)]: 1 }
    const { details } = await caller.call('createRep', input as never).catch(error => error)
    expect(details[0].path).toBe(`${'x'.repeat(200)}…`)
  })
})
