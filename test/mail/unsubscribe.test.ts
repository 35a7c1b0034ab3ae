import { randomUUIDv7 } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unsubscribe } from '../../src/server/domain/dnc/unsubscribe.ts'
import {
  createShortUnsubscribeUrl,
  createUnsubscribeLink,
  findLinkRecipient,
  parseUnsubscribeToken,
} from '../../src/server/domain/people/opt-outs/unsubscribe-token.ts'
import { parseUnsubscribeSubject } from '../../src/server/protocols/mime/unsubscribe.ts'
import { openSandbox, type Sandbox } from '../../src/server/protocols/smtp/sandbox.ts'
import { type Caller, makeCaller, type TestApp } from '../support/app.ts'
import { hasChromium, openInChromium } from '../support/browser/chromium.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { openWorker, type Worker } from '../support/mail/mail-campaign.ts'

const PUBLIC_URL = 'https://out.acme.example'
const oneClick = { body: 'List-Unsubscribe=One-Click' }
const asForm = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }

let server: TestServer
let sandbox: Sandbox
let app: TestApp
let worker: Worker

beforeAll(async () => {
  server = await openTestServer({ PUBLIC_URL, RATE_LIMIT_PER_MINUTE: '100' })
  sandbox = await openSandbox({ dir: join(server.app.dataDir, 'sandbox') })
  app = { ...server.app, sandbox }
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

type Written = {
  owner: Caller
  campaignId: string
  email: string
  mail: Email
  path: string
  shortPath: string
  token: string
}

/** Sends a campaign's first email and returns its recipient and link. */
async function makeWrittenPerson(body = 'Hi {{ firstName }}'): Promise<Written> {
  const owner = await makeCaller(app)
  const tag = randomUUIDv7().slice(-12)
  await owner.call('updateAccount', {
    name: `Müller & <Söhne> ${tag}`,
    postalAddress: '12 St James Square',
    optOutLine: 'Enough? {{ unsubscribeUrl }}',
  })
  const rep = await owner.call('createRep', { name: 'Ada Byron' })
  const mailbox = `ada@${tag}.example`
  await owner.call('createMailbox', { repId: rep.id, kind: 'sandbox', email: mailbox })
  const steps = [{ subject: 'Hello', body }]
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds: [rep.id], steps })
  const email = `grace@${tag}-navy.example`
  await owner.call('addProspectsToCampaign', { campaignId, data: [{ firstName: 'Grace', email }] })
  await owner.call('launchCampaign', { campaignId })
  await worker.work()
  const dir = join(app.dataDir, 'sandbox', mailbox)
  const [file] = await readdir(dir)
  const mail = await PostalMime.parse(await readFile(join(dir, file!)))
  const [, token = ''] =
    new RegExp(`^<${PUBLIC_URL}/u/([^>]+)>`).exec(getHeader(mail, 'list-unsubscribe')) ?? []
  const [shortPath = ''] = /\/u\/\S+/.exec(mail.text!) ?? []
  return { owner, campaignId, email, mail, path: `/u/${token}`, shortPath, token }
}

const getHeader = (mail: Email, key: string) =>
  mail.headers
    .filter(header => header.key === key)
    .map(header => header.value)
    .join()
const post = (path: string, request: object = { ...oneClick, ...asForm }) =>
  server.request('POST', path, request)
const getStatuses = async ({ owner, campaignId }: Pick<Written, 'owner' | 'campaignId'>) =>
  (await owner.call('listProspects', { campaignId })).data.map(({ status, statusReason }) => [
    status,
    statusReason,
  ])
const listEntries = async ({ owner }: Pick<Written, 'owner'>) =>
  app.owner`select value, source from opt_outs where account_id = ${owner.accountId} order by value`
const listAuditEntries = async ({ owner }: Pick<Written, 'owner'>) =>
  app.owner`select actor, action, object_type, object_id, user_id from audit_log
             where account_id = ${owner.accountId} and action = 'opt_out'`

describe('a campaign email', () => {
  it('has a link for the same recipient in the header and the body: a short URL in text, a word in HTML', async () => {
    const { mail, email, owner } = await makeWrittenPerson()
    expect(getHeader(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const [, mailto] = /<mailto:([^>]+)>$/.exec(getHeader(mail, 'list-unsubscribe')) ?? []
    const [address, subject] = decodeURIComponent(mailto!).split('?subject=')
    expect(address).toBe(mail.from?.address)
    const [visible] = new RegExp(`Enough\\? ${PUBLIC_URL}/u/(\\S+)`).exec(mail.text!)!.slice(1)
    expect(visible).toMatch(/^[\w-]{27}$/)
    expect(mail.html).toContain(`Enough? <a href="${PUBLIC_URL}/u/${visible}">Unsubscribe</a>`)
    for (const token of [parseUnsubscribeSubject(subject!)!, visible!])
      expect(await findLinkRecipient(app, token)).toMatchObject({ accountId: owner.accountId, email })
  })

  it('has a linked word when it is written in HTML', async () => {
    const { mail } = await makeWrittenPerson('<p>Hi {{ firstName }}</p>')
    expect(mail.html).toMatch(new RegExp(`Enough\\? <a href="${PUBLIC_URL}/u/[\\w-]{27}">Unsubscribe</a>`))
  })
})

describe('an unsubscribe link', () => {
  it('names the recipient and sender, loads no external resources and changes nothing when opened repeatedly', async () => {
    const written = await makeWrittenPerson()
    for (let opened = 0; opened < 20; opened += 1) {
      const { status, text, headers } = await server.request(opened % 2 ? 'GET' : 'HEAD', written.path)
      expect(status).toBe(200)
      if (opened % 2 === 0) continue
      expect(text).toContain(written.email)
      expect(text).toContain('M\u00fcller &#38; &#60;S\u00f6hne&#62;')
      expect(text).not.toMatch(/<script|<link|<img|src=|href=|https?:/i)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect(await listEntries(written)).toEqual([])
    expect(await getStatuses(written)).toEqual([['completed', undefined]])
  })

  it('changes nothing for 1,000 visitors and robots', async () => {
    const written = await makeWrittenPerson()
    for (let opened = 0; opened < 1_000; opened += 50)
      await Promise.all(Array.from({ length: 50 }, () => server.request('GET', written.path)))
    expect(await listEntries(written)).toEqual([])
  })

  it.runIf(hasChromium())('changes nothing in a browser that runs every script', async () => {
    const written = await makeWrittenPerson()
    for (let opened = 0; opened < 3; opened += 1)
      expect(await openInChromium(`${server.url}${written.path}`)).toContain(written.email)
    expect(await listEntries(written)).toEqual([])
    expect(await getStatuses(written)).toEqual([['completed', undefined]])
  })

  it.each([
    ['the one-click request of a mail program', { ...oneClick, ...asForm }],
    [
      'the same request as multipart form data',
      {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      },
    ],
    ['a request without a body', {}],
  ])('opts the recipient out once, even when %s is repeated', async (_how, request) => {
    const written = await makeWrittenPerson()
    for (let time = 0; time < 3; time += 1) {
      const response = await post(written.path, request)
      expect(response.status).toBe(200)
      expect(response.text).toContain('You are unsubscribed')
    }
    expect(await listEntries(written)).toEqual([{ value: written.email, source: 'unsubscribe_link' }])
    expect(await getStatuses(written)).toEqual([['opted_out', 'unsubscribe_link']])
    const { emailMessageId } = parseUnsubscribeToken(app.keys, written.token)!
    expect(await listAuditEntries(written)).toEqual([
      {
        actor: 'unsubscribe_link',
        action: 'opt_out',
        object_type: 'email_message',
        object_id: emailMessageId,
        user_id: null,
      },
    ])
    expect((await server.request('GET', written.path)).text).toContain('You are unsubscribed')
  })

  it('stops all campaigns of the account for the person, but none of another account', async () => {
    const written = await makeWrittenPerson()
    const data = [{ firstName: 'Grace', email: written.email }]
    const makeSecond = async (owner: Caller) => {
      const { id: campaignId } = await owner.call('createCampaign', { name: 'Summer' })
      await owner.call('addProspectsToCampaign', { campaignId, data })
      return { owner, campaignId }
    }
    const here = await makeSecond(written.owner)
    const elsewhere = await makeSecond(await makeCaller(app))
    await Promise.all([1, 2, 3, 4].map(() => post(written.path)))
    expect(await getStatuses(here)).toEqual([['opted_out', 'unsubscribe_link']])
    expect(await getStatuses(elsewhere)).toEqual([['pending', undefined]])
    const [prospect] = (await here.owner.call('listProspects', { campaignId: here.campaignId })).data
    await expect(here.owner.call('resumeProspect', { prospectId: prospect!.id })).rejects.toMatchObject({
      code: 'Conflict',
    })
  })

  it.each<[string, Partial<Record<'email' | 'linkedin_url' | 'phone', string>>]>([
    ['a new address', { email: 'new@navy.example' }],
    ['only a profile', { linkedin_url: 'https://www.linkedin.com/in/grace' }],
    ['only a number', { phone: '+12025550123' }],
    ['no contact details', {}],
  ])('opts out a person who now has %s', async (_what, contact) => {
    const written = await makeWrittenPerson()
    const changes = { email: null, ...contact }
    await app.owner`
      update persons set ${app.owner.assignments(changes)} where account_id = ${written.owner.accountId}`
    await post(written.path)
    const values = (await listEntries(written)).map(({ value }) => value)
    expect(values.sort()).toEqual([written.email, ...Object.values(contact)].sort())
    expect(await getStatuses(written)).toEqual([['opted_out', 'unsubscribe_link']])
  })

  it('also opts the person out in its short form, which the text part contains', async () => {
    const written = await makeWrittenPerson()
    expect((await server.request('GET', written.shortPath)).text).toContain(written.email)
    expect(await listEntries(written)).toEqual([])
    expect((await post(written.shortPath)).text).toContain('You are unsubscribed')
    expect(await listEntries(written)).toEqual([{ value: written.email, source: 'unsubscribe_link' }])
    expect(await getStatuses(written)).toEqual([['opted_out', 'unsubscribe_link']])
  })

  it('says that an erased person is unsubscribed, without their address', async () => {
    const { owner, email, shortPath } = await makeWrittenPerson()
    const { data } = await owner.call('listPersons', { email })
    await owner.call('erasePerson', { personId: data[0]!.id, expectedPerson: email })
    for (const { status, text } of [await server.request('GET', shortPath), await post(shortPath)]) {
      expect([status, text]).toEqual([200, expect.stringContaining('You are unsubscribed')])
      expect(text).not.toContain(email)
    }
  })

  it('works even when the message and campaign no longer exist', async () => {
    const owner = await makeCaller(app)
    const email = 'late@navy.example'
    const { token } = createUnsubscribeLink(app, {
      accountId: owner.accountId,
      emailMessageId: randomUUIDv7(),
      email,
    })
    expect((await post(`/u/${token}`)).status).toBe(200)
    expect(await listEntries({ owner })).toEqual([{ value: email, source: 'unsubscribe_link' }])
  })

  it('has the same effect when its token arrives in an unsubscribe email', async () => {
    const written = await makeWrittenPerson()
    await unsubscribe(app, parseUnsubscribeToken(app.keys, written.token)!, 'unsubscribe_mail')
    expect(await listEntries(written)).toEqual([{ value: written.email, source: 'unsubscribe_mail' }])
    expect(await getStatuses(written)).toEqual([['opted_out', 'unsubscribe_mail']])
  })

  it('is rejected when its method is not GET, HEAD or POST, or its body is too large', async () => {
    const { path } = await makeWrittenPerson()
    const put = await server.request('PUT', path)
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await post(path, { ...asForm, body: 'x'.repeat(20_000) })).status).toBe(413)
  })
})

describe('the link of a preview', () => {
  it('says that it belongs to a preview and opts nobody out', async () => {
    const { owner, campaignId, email } = await makeWrittenPerson()
    const { text } = await owner.call('previewCampaign', { campaignId })
    const [path] = /\/u\/\S+/.exec(text)!
    for (const method of ['GET', 'POST']) {
      const { status, text } = await server.request(method, path)
      expect([status, text]).toEqual([200, expect.stringContaining('opt-out link is only a preview')])
    }
    const { data: persons } = await owner.call('listPersons', { email })
    expect(persons.map(({ isOptedOut }) => isOptedOut)).toEqual([undefined])
  })
})

describe('an invalid unsubscribe link', () => {
  it('shows the same page for every kind of error', async () => {
    const { token, shortPath } = await makeWrittenPerson()
    const short = shortPath.slice('/u/'.length)
    const other = createUnsubscribeLink(app, {
      accountId: randomUUIDv7(),
      emailMessageId: randomUUIDv7(),
      email: 'a@b.example',
    })
    const flip = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'B' ? 'C' : 'B') + text.slice(at + 1)
    const otherOwner = createShortUnsubscribeUrl(app, { accountNumber: 1, emailMessageId: randomUUIDv7() })
    const wrong = [
      ...[token.slice(0, -1), `${token}A`, flip(token, 0), token.slice(30), 'x', 'x/y', '%00', other.token],
      ...[
        short.slice(0, -1),
        `${short}A`,
        flip(short, 0),
        flip(short, 12),
        flip(short, 23),
        otherOwner.split('/u/')[1],
      ],
    ]
    const pages = new Set<string>()
    for (const each of wrong) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await server.request(method, `/u/${each}`)
        expect(status).toBe(404)
        pages.add(text)
      }
    }
    expect([...pages]).toEqual([expect.stringContaining('This link does not work')])
  })

  it('is rate-limited after too many guesses, without blocking valid requests from the same address', async () => {
    const { path } = await makeWrittenPerson()
    const guesses = await Promise.all(Array.from({ length: 80 }, (_, n) => post(`/u/guess${n}`)))
    expect(guesses.some(({ status, headers }) => status === 429 && headers.has('retry-after'))).toBe(true)
    expect((await post(path)).status).toBe(200)
  })
})
