import { randomUUIDv7 } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../../../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { rawMail } from '../../../../test/support/mail/answers.ts'
import { openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { type MailboxOwner, makeMailboxOwner } from '../../../../test/support/mail/mailbox-owner.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails, type SentMail } from '../../../../test/support/mail/sent-mail.ts'
import { receiveMail } from '../../engine/receive/receive-mail.ts'
import { deleteUnusedUploads } from '../messages/stored-attachments.ts'
import type { Attachment } from './attachments.ts'

const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let server: TestServer
let worker: Worker
let smtp: ScriptedSmtp
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  server.app.setNow('2026-11-20T09:00:00Z')
  worker = openWorker(server.app)
  smtp = await ScriptedSmtp.open()
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

type OwnerWithToken = MailboxOwner & { token: string }

async function makeOwnerWithToken(): Promise<OwnerWithToken> {
  const mailboxOwner = await makeMailboxOwner(server.app, smtp)
  return { ...mailboxOwner, token: await server.createToken(mailboxOwner.owner) }
}

const upload = (
  token: string,
  name: string,
  body: Buffer,
  type = 'application/octet-stream',
  headers: Record<string, string> = {},
) =>
  fetch(`${server.url}/v1/inbox/email/attachments?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...headers },
    body: new Uint8Array(body),
  })
const uploadFile = async (token: string, name: string, body: Buffer): Promise<Attachment> =>
  (await (await upload(token, name, body)).json()) as Attachment
const download = (token: string, id: string) =>
  fetch(`${server.url}/v1/inbox/email/attachments/${id}`, { headers: { authorization: `Bearer ${token}` } })

const compose = ({ owner, personId }: OwnerWithToken, attachmentIds: string[], draft = false) =>
  owner.call('composeEmail', { personId, subject: 'Our offer', body: 'See the files.', attachmentIds, draft })

/** Returns the emails that the server received for this person. */
const readEmailsTo = async ({ email }: OwnerWithToken): Promise<SentMail[]> =>
  (await readMails(smtp)).filter(({ to }) => to === email)

describe('an upload', () => {
  it.each([
    ['offer.pdf', pdf, 'application/pdf'],
    ['offer.exe', png, 'image/png'],
    ['list.csv', Buffer.from('a,b\n1,2\n'), 'text/csv'],
    ['page.html', Buffer.from('<p>Hello</p>'), 'text/plain'],
    ['nothing', Buffer.from([1, 0, 2]), 'application/octet-stream'],
  ])('has the type that its content shows (%s)', async (name, content, type) => {
    const { token } = await makeOwnerWithToken()
    const response = await upload(token, name, content, 'image/svg+xml')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ name, type, size: content.length })
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\Ada\\offer.pdf', 'offer.pdf'],
    ['offer\u202Efdp.exe', 'offerfdp.exe'],
    ['a\r\nBcc: eve@evil.example', 'aBcc eve@evil.example'],
    ['...', 'attachment'],
    [`${'é'.repeat(300)}.pdf`, `${'é'.repeat(196)}.pdf`],
  ])('gets a name without paths or hidden characters (%j)', async (name, clean) => {
    const { token } = await makeOwnerWithToken()
    expect((await uploadFile(token, name, pdf)).name).toBe(clean)
  })

  it('is at most 10 MB, and has at least one byte and a name', async () => {
    const { token } = await makeOwnerWithToken()
    expect((await upload(token, 'a.bin', Buffer.alloc(10_000_000, 1))).status).toBe(200)
    expect((await upload(token, 'a.bin', Buffer.alloc(10_000_001, 1))).status).toBe(400)
    expect((await upload(token, 'a.bin', Buffer.alloc(0))).status).toBe(400)
    expect((await upload(token, '', pdf)).status).toBe(400)
  })

  it('is rejected without a sign-in, for viewers and for read-only tokens', async () => {
    const { owner } = await makeOwnerWithToken()
    const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
    expect((await upload('none', 'a.pdf', pdf)).status).toBe(401)
    expect((await upload(await server.createToken(viewer), 'a.pdf', pdf)).status).toBe(403)
    expect((await upload(await server.createToken(owner, { isReadOnly: true }), 'a.pdf', pdf)).status).toBe(
      403,
    )
  })

  it('is rejected when the storage of the account is full', async () => {
    const { owner, token } = await makeOwnerWithToken()
    await owner.call('updateAccount', { maxAttachmentMegabytes: 1 })
    const half = Buffer.alloc(600_000, 1)
    expect((await upload(token, 'a.bin', half)).status).toBe(200)
    const rejected = await upload(token, 'b.bin', half)
    expect([rejected.status, ((await rejected.json()) as { message: string }).message]).toEqual([
      409,
      expect.stringContaining('maxAttachmentMegabytes'),
    ])
  })

  it('is stored once per idempotency key, which can be used again after a failure but not for another file', async () => {
    const { token } = await makeOwnerWithToken()
    const send = async (name: string, content: Buffer, key = 'upload-1') => {
      const response = await upload(token, name, content, undefined, { 'idempotency-key': key })
      const { id } = (await response.json()) as Attachment
      return { status: response.status, id, replayed: response.headers.get('idempotency-replayed') }
    }
    expect((await send('a.pdf', Buffer.alloc(0))).status).toBe(400)
    const first = await send('a.pdf', pdf)
    expect(first).toMatchObject({ status: 200, replayed: null })
    expect(await send('a.pdf', pdf)).toEqual({ ...first, replayed: 'true' })
    expect((await send('a.pdf', png)).status).toBe(422)
    expect((await send('b.pdf', pdf)).status).toBe(422)
    expect((await send('a.pdf', pdf, 'x'.repeat(256))).status).toBe(400)
  })

  it('is stored even if detecting its type takes too long, as for a zip bomb', async () => {
    const { token } = await makeOwnerWithToken()
    const bomb = toZip('[Content_Types].xml', Buffer.alloc(200_000_000))
    expect(bomb.length).toBeLessThan(1_000_000)
    const file = await uploadFile(token, 'offer.docx', bomb)
    expect(file.size).toBe(bomb.length)
  })

  it('belongs to its user, and is deleted after a day without use', async () => {
    const { owner, token } = await makeOwnerWithToken()
    const { id } = await uploadFile(token, 'a.pdf', pdf)
    const colleague = await server.createToken(await makeCaller(server.app, 'admin', owner.accountId))
    expect([(await download(token, id)).status, (await download(colleague, id)).status]).toEqual([200, 404])
    await deleteUnusedUploads(server.app.db.engine, new Date())
    expect((await download(token, id)).status).toBe(200)
    await deleteUnusedUploads(server.app.db.engine, new Date(Date.now() + 25 * 3_600_000))
    expect((await download(token, id)).status).toBe(404)
    expect(await server.app.owner`select from attachment_pieces where attachment_id = ${id}`).toHaveLength(0)
  })
})

describe('a draft with files', () => {
  it('is sent with the files, byte for byte', async () => {
    const mailboxOwner = await makeOwnerWithToken()
    const large = Buffer.from(Array.from({ length: 700_001 }, (_, n) => (n * 7) % 251))
    const files = [
      await uploadFile(mailboxOwner.token, 'Angebot für Ada ✓.pdf', pdf),
      await uploadFile(mailboxOwner.token, 'data.bin', large),
    ]
    const { id } = await compose(
      mailboxOwner,
      files.map(file => file.id),
    )
    await worker.work()
    const sent = await mailboxOwner.owner.call('getEmailMessage', { emailMessageId: id })
    expect(sent).toMatchObject({ status: 'sent', attachments: files })
    const [{ mail } = {}] = await readEmailsTo(mailboxOwner)
    expect(mail?.text?.trim()).toBe('See the files.')
    expect(
      mail?.attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition]),
    ).toEqual([
      ['Angebot für Ada ✓.pdf', 'application/pdf', 'attachment'],
      ['data.bin', 'application/octet-stream', 'attachment'],
    ])
    expect(mail?.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer))).toEqual([pdf, large])
  })

  it('keeps, replaces and removes files when it is edited, and its files are deleted with it', async () => {
    const mailboxOwner = await makeOwnerWithToken()
    const { owner, token } = mailboxOwner
    const [a, b] = [await uploadFile(token, 'a.pdf', pdf), await uploadFile(token, 'b.png', png)]
    const { id: emailMessageId } = await compose(mailboxOwner, [a.id], true)
    const change = (input: object) => owner.call('updateEmailDraft', { emailMessageId, ...input })
    expect((await change({ body: 'Hello' })).attachments).toEqual([a])
    expect((await change({ attachmentIds: [b.id, a.id] })).attachments).toEqual([b, a])
    expect((await change({ attachmentIds: [b.id] })).attachments).toEqual([b])
    expect((await download(token, a.id)).status).toBe(404)
    expect((await change({ attachmentIds: [] })).attachments).toBeUndefined()
    const c = await uploadFile(token, 'c.pdf', pdf)
    await change({ attachmentIds: [c.id] })
    await owner.call('deleteEmailDraft', { emailMessageId })
    expect((await download(token, c.id)).status).toBe(404)
  })

  it('accepts only unused uploads of its author, of at most 14 MB in total', async () => {
    const mailboxOwner = await makeOwnerWithToken()
    const colleague = await makeCaller(server.app, 'admin', mailboxOwner.owner.accountId)
    const colleagueFile = await uploadFile(await server.createToken(colleague), 'a.pdf', pdf)
    const usedFile = await uploadFile(mailboxOwner.token, 'a.pdf', pdf)
    await compose(mailboxOwner, [usedFile.id], true)
    const [first, second] = [
      await uploadFile(mailboxOwner.token, 'a.bin', Buffer.alloc(8_000_000, 1)),
      await uploadFile(mailboxOwner.token, 'b.bin', Buffer.alloc(8_000_000, 1)),
    ]
    const other = await makeOwnerWithToken()
    const strangerFile = await uploadFile(other.token, 'a.pdf', pdf)
    const cases = [
      [colleagueFile.id],
      [usedFile.id],
      [strangerFile.id],
      [randomUUIDv7()],
      [first.id, second.id],
    ]
    for (const ids of cases)
      await expect(compose(mailboxOwner, ids, true)).rejects.toMatchObject({ code: 'ValidationError' })
    await expect(compose(mailboxOwner, [first.id, first.id, randomUUIDv7()], true)).rejects.toMatchObject({
      details: [{ path: 'attachmentIds.2' }],
    })
  })
})

describe('a received file', () => {
  const part = (name: string, content: Buffer, type = 'application/octet-stream') => [
    '--b1',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64').replace(/.{76}/g, '$&\r\n'),
  ]

  /** Receives a reply with files; returns its message. */
  async function receive(mailboxOwner: OwnerWithToken, parts: string[], end = '--b1--') {
    await compose(mailboxOwner, [])
    await worker.work()
    const [{ mail } = {}] = await readEmailsTo(mailboxOwner)
    const fields = {
      ...{
        From: mailboxOwner.email,
        To: mailboxOwner.address,
        Subject: 'Re: Our offer',
        'In-Reply-To': mail?.messageId,
      },
      ...{ 'Message-ID': `<${randomUUIDv7()}@y.example>`, 'MIME-Version': '1.0' },
      'Content-Type': 'multipart/mixed; boundary="b1"',
    }
    const text = ['--b1', 'Content-Type: text/plain', '', 'Signed, see below.', ...parts, end].join('\r\n')
    const receipt = await receiveMail(server.app, {
      ...{
        accountId: mailboxOwner.owner.accountId,
        mailboxId: mailboxOwner.mailboxId,
        raw: rawMail(fields, text),
      },
      ...{ receivedAt: server.app.now(), folder: 'inbox' },
    })
    const { messageId } = receipt as { messageId: string }
    return mailboxOwner.owner.call('getEmailMessage', { emailMessageId: messageId })
  }

  it('is listed with its detected type, and can be downloaded but not displayed', async () => {
    const mailboxOwner = await makeOwnerWithToken()
    const message = await receive(mailboxOwner, [
      ...part('../signed.pdf', pdf, 'text/html'),
      ...part(
        'logo.svg',
        Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
        'image/svg+xml',
      ),
    ])
    const [first, second] = message.attachments!
    expect(first).toEqual({
      id: expect.any(String),
      name: 'signed.pdf',
      type: 'application/pdf',
      size: pdf.length,
    })
    for (const file of [first!, second!]) {
      const response = await download(mailboxOwner.token, file.id!)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': file.type,
        'content-disposition': `attachment; filename="${file.name}"; filename*=UTF-8''${file.name}`,
        'content-length': String(file.size),
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
      })
      await response.arrayBuffer()
    }
    expect(Buffer.from(await (await download(mailboxOwner.token, first!.id!)).arrayBuffer())).toEqual(pdf)
  })

  it('is readable only by users who may read the message', async () => {
    const mailboxOwner = await makeOwnerWithToken()
    const { attachments } = await receive(mailboxOwner, part('a.pdf', pdf))
    const { id } = attachments![0]!
    const member = await server.createToken(
      await makeCaller(server.app, 'member', mailboxOwner.owner.accountId),
    )
    const viewer = await server.createToken(
      await makeCaller(server.app, 'viewer', mailboxOwner.owner.accountId),
    )
    const stranger = await makeOwnerWithToken()
    const statuses = await Promise.all(
      [mailboxOwner.token, viewer, member, stranger.token, 'none'].map(
        async token => (await download(token, id!)).status,
      ),
    )
    expect(statuses).toEqual([200, 200, 404, 404, 401])
  })

  it('is listed without a download when it is too large, was cut off, or the storage of the account is full', async () => {
    const mailboxOwner = await makeOwnerWithToken()
    await mailboxOwner.owner.call('updateAccount', { maxAttachmentMegabytes: 12 })
    const large = await receive(mailboxOwner, [
      ...part('large.bin', Buffer.alloc(10_000_001, 1)),
      ...part('small.pdf', pdf),
    ])
    expect(large.attachments?.map(({ id, name }) => [name, id !== undefined])).toEqual([
      ['large.bin', false],
      ['small.pdf', true],
    ])
    const cut = await receive(mailboxOwner, [...part('whole.pdf', pdf), ...part('cut.png', png)], '')
    expect(cut.attachments?.map(({ id, name }) => [name, id !== undefined])).toEqual([
      ['whole.pdf', true],
      ['cut.png', false],
    ])
    await mailboxOwner.owner.call('updateAccount', { maxAttachmentMegabytes: 0 })
    const full = await receive(mailboxOwner, part('a.pdf', pdf))
    expect(full.attachments).toEqual([{ name: 'a.pdf', type: 'application/octet-stream', size: pdf.length }])
  })
})

/** Returns a zip archive with one compressed file. */
function toZip(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content)
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(packed.length, 0)
  sizes.writeUInt32LE(content.length, 4)
  const nameLength = Buffer.from([name.length, 0])
  const header = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, sizes, nameLength, Buffer.from([0, 0]), Buffer.from(name), packed])
}
