import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inAccount } from '../../src/server/kernel/context.ts'
import { maxEmailBytes } from '../../src/server/protocols/mime/parse.ts'
import { createCaller, makeCaller } from '../support/app.ts'
import { openTestServer, type TestResponse, type TestServer } from '../support/http/server.ts'
import { makeBounce, makeReply, rawMail } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../support/mail/correspondence.ts'

let server: TestServer
let post: PostOffice
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '100' })
  post = await openPostOffice(server.app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const getInboundUrl = async ({
  owner,
  mailboxId,
}: Pick<SentCampaign, 'owner' | 'mailboxId'>): Promise<string> =>
  (await owner.call('getMailbox', { mailboxId })).inboundUrl!

async function push(
  url: string,
  body: Buffer,
  contentType = 'message/rfc822',
): Promise<Pick<TestResponse, 'status' | 'headers'> & { body: Record<string, unknown> }> {
  const response = await fetch(server.url + new URL(url).pathname, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(60_000),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

describe('a pushed email', () => {
  it('is stored once when several requests push it at the same time', async () => {
    const written = await post.write(1)
    const url = await getInboundUrl(written)
    const raw = makeReply((await written.sent())[0]!, 'Yes, gladly.')
    const responses = await Promise.all(Array.from({ length: 8 }, () => push(url, raw)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(responses.map(({ body }) => body.outcome).sort()).toEqual([
      ...Array(7).fill('duplicate'),
      'stored',
    ])
    const received = (await written.messages()).filter(({ type }) => type === 'received')
    expect(received).toMatchObject([{ newText: 'Yes, gladly.', receivedKind: 'reply' }])
    expect(new Set(responses.map(({ body }) => body.messageId))).toEqual(new Set([received[0]!.id]))
    expect((await written.prospects())[0]!.status).toBe('replied')
  })

  it('changes nothing in any other account', async () => {
    const written = await post.write(1)
    const other = await post.write(1)
    const mail = (await written.sent())[0]!
    const url = await getInboundUrl(other)
    for (const raw of [makeReply(mail, 'Yes'), makeBounce(mail)])
      expect((await push(url, raw)).body).toMatchObject({ outcome: 'ignored' })
    expect((await written.prospects())[0]!.status).toBe('completed')
    expect(await other.messages()).toHaveLength(1)
    for (const { owner } of [written, other]) expect((await owner.call('listOptOuts', {})).data).toEqual([])
  })

  it('is matched as a bounce by its recipient address if the mailbox supports plus addressing', async () => {
    const { owner } = await post.write(1)
    const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
    const { id: mailboxId } = await owner.call('createMailbox', {
      repId,
      kind: 'smtp',
      email: `ada@${randomUUIDv7()}.example`,
      plusAddressing: true,
      smtp: { host: '127.0.0.1', port: post.server.port, tls: 'none' },
    })
    await owner.call('verifyMailbox', { mailboxId })
    const { id: campaignId } = await owner.call('createCampaign', {
      name: 'Plus',
      repIds: [repId],
      steps: [{ subject: 'Hello', body: 'Hi' }],
    })
    const email = `ada@${randomUUIDv7()}.example`
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    await owner.call('launchCampaign', { campaignId })
    await post.worker.work()
    const line = post.server.commands.findLast(command => command.startsWith('MAIL FROM'))!
    const from = /<([^>]+)>/.exec(line)![1]!
    expect(from).toMatch(/^ada\+[0-9a-f]{32}@/)
    const raw = rawMail(
      {
        From: 'MAILER-DAEMON@mx.example',
        To: from,
        'Return-Path': '<>',
        Subject: 'Undelivered Mail',
        'Message-ID': '<b@mx.example>',
      },
      `<${email}>: 550 5.1.1 no such user`,
    )
    expect((await push(await getInboundUrl({ owner, mailboxId }), raw)).body).toMatchObject({
      outcome: 'stored',
    })
    expect((await owner.call('listProspects', { campaignId })).data[0]!.status).toBe('bounced')
  })
})

describe('the inbound URL', () => {
  it('is shown only to callers who can change the mailbox', async () => {
    const written = await post.write(1)
    const { owner, mailboxId } = written
    expect(await getInboundUrl(written)).toMatch(/\/v1\/inbound\/email\/[\w-]{60,}$/)
    for (const role of ['member', 'viewer'] as const) {
      const caller = await makeCaller(server.app, role, owner.accountId)
      expect(await getInboundUrl({ owner: caller, mailboxId })).toBeUndefined()
    }
    const reader = createCaller(server.app, { ...owner, isReadOnly: true })
    expect(await getInboundUrl({ owner: reader, mailboxId })).toBeUndefined()
    const { data } = await owner.call('listMailboxes', {})
    expect(JSON.stringify(data)).not.toContain('/inbound/')
  })

  it('can be rotated and stops working when its mailbox is deleted', async () => {
    const { owner, mailboxId } = await post.write(1)
    const first = await getInboundUrl({ owner, mailboxId })
    const mailbox = await owner.call('updateMailbox', { mailboxId, renewInboundUrl: true })
    expect(mailbox.inboundUrl).toBeUndefined()
    const second = await getInboundUrl({ owner, mailboxId })
    expect(second).not.toBe(first)
    const raw = rawMail({ From: 'a@b.example' }, 'Hi')
    expect([(await push(first, raw)).status, (await push(second, raw)).status]).toEqual([404, 200])
    await owner.call('deleteMailbox', { mailboxId })
    expect((await push(second, raw)).status).toBe(404)
  })

  it('accepts only its own key', async () => {
    const written = await post.write(1)
    const url = await getInboundUrl(written)
    const raw = rawMail({ From: 'a@b.example' }, 'Hi')
    const wrong = [
      url.slice(0, -1),
      `${url}A`,
      url.replace(/.{9}$/, 'AAAAAAAAA'),
      `${url}/x`,
      url.replace(/[\w-]+$/, 'x'),
    ]
    for (const each of wrong) {
      const { status, body } = await push(each, raw)
      expect([status, body.error]).toEqual([404, 'NotFound'])
    }
  })

  it('is rate-limited after too many guesses, without blocking valid emails from the same network', async () => {
    const url = await getInboundUrl(await post.write(1))
    const raw = rawMail({ From: 'a@b.example' }, 'Hi')
    const statuses = new Set<number>()
    for (let n = 0; n < 13; n += 1) {
      const guesses = await Promise.all(
        Array.from({ length: 50 }, (_, i) => push(`${url}guess${n}x${i}`, raw)),
      )
      for (const { status } of guesses) statuses.add(status)
    }
    expect([...statuses].sort()).toEqual([404, 429])
    expect((await push(url, raw)).status).toBe(200)
  })
})

describe('an invalid push request', () => {
  it.each([
    ['another content type', Buffer.from('{}'), 'application/json', 'Content-Type: must be message/rfc822'],
    ['an empty body', Buffer.alloc(0), 'message/rfc822', 'The body must be the raw email'],
    [
      'an email that is too large',
      Buffer.alloc(maxEmailBytes + 1, 'x'),
      'message/rfc822',
      'The email is larger',
    ],
  ])('is rejected with the reason: %s', async (_what, raw, contentType, message) => {
    const url = await getInboundUrl(await post.write(1))
    const { status, body } = await push(url, raw, contentType)
    expect([status, body.error, body.message]).toEqual([
      400,
      'ValidationError',
      expect.stringContaining(message),
    ])
  })

  it('is rejected with 405 when the method is not POST', async () => {
    const url = await getInboundUrl(await post.write(1))
    const { status, headers } = await server.request('GET', new URL(url).pathname)
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })
})

it('emails from senders that disconnect do not block later emails', async () => {
  const url = await getInboundUrl(await post.write(1))
  const head = `POST ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: message/rfc822\r\nContent-Length: 9\r\n\r\n`
  for (let n = 0; n < 50; n += 1) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(n % 2 ? head : `${head}012345678${head}`, () => socket.destroy())
    await once(socket, 'close')
  }
  await expect.poll(async () => (await push(url, rawMail({ From: 'a@b.example' }, 'Hi'))).status).toBe(200)
})

describe('a hostile email', () => {
  const part = 'Content-Type: text/plain\r\n\r\nhi'
  it.each([
    ['a megabyte of header', { 'X-Long': 'x'.repeat(1_000_000) }, 'Yes'],
    [
      'ten thousand headers',
      Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`X-${n}`, 'x'])),
      'Yes',
    ],
    [
      'a thousand parts',
      { 'Content-Type': 'multipart/mixed; boundary=b' },
      `--b\r\n${part}\r\n`.repeat(1_000),
    ],
    ['NULs and lone surrogates', { Subject: 'a\0b\ud800' }, 'Yes\0\0\ud800'],
    ['50,000 references', { References: '<a@b> '.repeat(50_000) }, 'Yes'],
    ['a very long name', { Cc: `"${'n'.repeat(100_000)}" <a@b.example>`, 'Reply-To': '<x>' }, 'Yes'],
  ])('is stored within size limits or ignored: %s', async (_what, fields, text) => {
    const written = await post.write(1)
    const raw = makeReply((await written.sent())[0]!, text, fields)
    const { status, body } = await push(await getInboundUrl(written), raw)
    expect([status, ['stored', 'ignored']]).toEqual([200, expect.arrayContaining([body.outcome])])
    const [row] = await inAccount(
      server.app.db.app,
      written.owner.accountId,
      tx => tx<{ size: number }[]>`
      select coalesce(max(octet_length(to_jsonb(m)::text)), 0) as size
        from email_messages m where account_id = current_account_id()`,
    )
    expect(row!.size).toBeLessThan(1_000_000)
    expect(await written.messages()).not.toHaveLength(0)
  })
})
