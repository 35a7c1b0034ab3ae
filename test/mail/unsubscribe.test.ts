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

type SentEmail = {
  owner: Caller
  campaignId: string
  email: string
  mail: Email
  path: string
  shortPath: string
  token: string
}

/** Sends a campaign's first email. Returns it with its recipient and links. */
async function sendCampaignEmail(body = 'Hi {{ firstName }}'): Promise<SentEmail> {
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
const getStatuses = async ({ owner, campaignId }: Pick<SentEmail, 'owner' | 'campaignId'>) =>
  (await owner.call('listProspects', { campaignId })).data.map(({ status, statusReason }) => [
    status,
    statusReason,
  ])
const listOptOuts = async ({ owner }: Pick<SentEmail, 'owner'>) =>
  app.owner`select value, source from opt_outs where account_id = ${owner.accountId} order by value`
const listAuditEntries = async ({ owner }: Pick<SentEmail, 'owner'>) =>
  app.owner`select actor, action, object_type, object_id, user_id from audit_log
             where account_id = ${owner.accountId} and action = 'opt_out'`

describe('a campaign email', () => {
  it('has unsubscribe links for its recipient in the header and the body: a short URL in text, a linked word in HTML', async () => {
    const { mail, email, owner } = await sendCampaignEmail()
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

  it('has a linked word as its unsubscribe link when its text is written in HTML', async () => {
    const { mail } = await sendCampaignEmail('<p>Hi {{ firstName }}</p>')
    expect(mail.html).toMatch(new RegExp(`Enough\\? <a href="${PUBLIC_URL}/u/[\\w-]{27}">Unsubscribe</a>`))
  })
})

describe('an unsubscribe link', () => {
  it('names the recipient and sender, loads no external resources and changes nothing when opened repeatedly', async () => {
    const sentEmail = await sendCampaignEmail()
    for (let opened = 0; opened < 20; opened += 1) {
      const { status, text, headers } = await server.request(opened % 2 ? 'GET' : 'HEAD', sentEmail.path)
      expect(status).toBe(200)
      if (opened % 2 === 0) continue
      expect(text).toContain(sentEmail.email)
      expect(text).toContain('M\u00fcller &#38; &#60;S\u00f6hne&#62;')
      expect(text).not.toMatch(/<script|<link|<img|src=|href=|https?:/i)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect(await listOptOuts(sentEmail)).toEqual([])
    expect(await getStatuses(sentEmail)).toEqual([['completed', undefined]])
  })

  it('changes nothing when 1,000 visitors and bots open it', async () => {
    const sentEmail = await sendCampaignEmail()
    for (let opened = 0; opened < 1_000; opened += 50)
      await Promise.all(Array.from({ length: 50 }, () => server.request('GET', sentEmail.path)))
    expect(await listOptOuts(sentEmail)).toEqual([])
  })

  it.runIf(hasChromium())('changes nothing in a browser that runs every script', async () => {
    const sentEmail = await sendCampaignEmail()
    for (let opened = 0; opened < 3; opened += 1)
      expect(await openInChromium(`${server.url}${sentEmail.path}`)).toContain(sentEmail.email)
    expect(await listOptOuts(sentEmail)).toEqual([])
    expect(await getStatuses(sentEmail)).toEqual([['completed', undefined]])
  })

  it.each([
    ['the one-click request of an email client', { ...oneClick, ...asForm }],
    [
      'the same request as multipart form data',
      {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      },
    ],
    ['a request without a body', {}],
  ])('opts the recipient out once, even when %s is repeated', async (_how, request) => {
    const sentEmail = await sendCampaignEmail()
    for (let time = 0; time < 3; time += 1) {
      const response = await post(sentEmail.path, request)
      expect(response.status).toBe(200)
      expect(response.text).toContain('You are unsubscribed')
    }
    expect(await listOptOuts(sentEmail)).toEqual([{ value: sentEmail.email, source: 'unsubscribe_link' }])
    expect(await getStatuses(sentEmail)).toEqual([['opted_out', 'unsubscribe_link']])
    const { emailMessageId } = parseUnsubscribeToken(app.keys, sentEmail.token)!
    expect(await listAuditEntries(sentEmail)).toEqual([
      {
        actor: 'unsubscribe_link',
        action: 'opt_out',
        object_type: 'email_message',
        object_id: emailMessageId,
        user_id: null,
      },
    ])
    expect((await server.request('GET', sentEmail.path)).text).toContain('You are unsubscribed')
  })

  it('stops all campaigns of the account for the person, but none of another account', async () => {
    const sentEmail = await sendCampaignEmail()
    const data = [{ firstName: 'Grace', email: sentEmail.email }]
    const makeSecondCampaign = async (owner: Caller) => {
      const { id: campaignId } = await owner.call('createCampaign', { name: 'Summer' })
      await owner.call('addProspectsToCampaign', { campaignId, data })
      return { owner, campaignId }
    }
    const here = await makeSecondCampaign(sentEmail.owner)
    const elsewhere = await makeSecondCampaign(await makeCaller(app))
    await Promise.all([1, 2, 3, 4].map(() => post(sentEmail.path)))
    expect(await getStatuses(here)).toEqual([['opted_out', 'unsubscribe_link']])
    expect(await getStatuses(elsewhere)).toEqual([['pending', undefined]])
    const [prospect] = (await here.owner.call('listProspects', { campaignId: here.campaignId })).data
    await expect(here.owner.call('resumeProspect', { prospectId: prospect!.id })).rejects.toMatchObject({
      code: 'Conflict',
    })
  })

  it.each<[string, Partial<Record<'email' | 'linkedin_url' | 'phone', string>>]>([
    ['a new address', { email: 'new@navy.example' }],
    ['only a LinkedIn profile', { linkedin_url: 'https://www.linkedin.com/in/grace' }],
    ['only a phone number', { phone: '+12025550123' }],
    ['no contact details', {}],
  ])('opts out a person who now has %s', async (_what, contact) => {
    const sentEmail = await sendCampaignEmail()
    const changes = { email: null, ...contact }
    await app.owner`
      update persons set ${app.owner.assignments(changes)} where account_id = ${sentEmail.owner.accountId}`
    await post(sentEmail.path)
    const values = (await listOptOuts(sentEmail)).map(({ value }) => value)
    expect(values.sort()).toEqual([sentEmail.email, ...Object.values(contact)].sort())
    expect(await getStatuses(sentEmail)).toEqual([['opted_out', 'unsubscribe_link']])
  })

  it('also works in its short form, which is in the plain text of the email', async () => {
    const sentEmail = await sendCampaignEmail()
    expect((await server.request('GET', sentEmail.shortPath)).text).toContain(sentEmail.email)
    expect(await listOptOuts(sentEmail)).toEqual([])
    expect((await post(sentEmail.shortPath)).text).toContain('You are unsubscribed')
    expect(await listOptOuts(sentEmail)).toEqual([{ value: sentEmail.email, source: 'unsubscribe_link' }])
    expect(await getStatuses(sentEmail)).toEqual([['opted_out', 'unsubscribe_link']])
  })

  it('shows an erased person that they are unsubscribed, without showing their address', async () => {
    const { owner, email, shortPath } = await sendCampaignEmail()
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
    expect(await listOptOuts({ owner })).toEqual([{ value: email, source: 'unsubscribe_link' }])
  })

  it('opts the recipient out when its token arrives in an unsubscribe email', async () => {
    const sentEmail = await sendCampaignEmail()
    await unsubscribe(app, parseUnsubscribeToken(app.keys, sentEmail.token)!, 'unsubscribe_mail')
    expect(await listOptOuts(sentEmail)).toEqual([{ value: sentEmail.email, source: 'unsubscribe_mail' }])
    expect(await getStatuses(sentEmail)).toEqual([['opted_out', 'unsubscribe_mail']])
  })

  it('rejects requests with a method other than GET, HEAD or POST, or with a body that is too large', async () => {
    const { path } = await sendCampaignEmail()
    const put = await server.request('PUT', path)
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await post(path, { ...asForm, body: 'x'.repeat(20_000) })).status).toBe(413)
  })
})

describe('the link of a preview', () => {
  it('opens a page that says it is only a preview, and opts nobody out', async () => {
    const { owner, campaignId, email } = await sendCampaignEmail()
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
    const { token, shortPath } = await sendCampaignEmail()
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
    const { path } = await sendCampaignEmail()
    const guesses = await Promise.all(Array.from({ length: 80 }, (_, n) => post(`/u/guess${n}`)))
    expect(guesses.some(({ status, headers }) => status === 429 && headers.has('retry-after'))).toBe(true)
    expect((await post(path)).status).toBe(200)
  })
})
