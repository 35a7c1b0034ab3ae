import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { aBounce, aComplaint, rawMail } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type Written,
} from '../../../../test/support/mail/correspondence.ts'
import type { SentMail } from '../../../../test/support/mail/sent-mail.ts'
import { believe } from './find-reported.ts'

const DAY_MS = 24 * 3_600_000
const steps = [
  { subject: 'Hello', body: 'One' },
  { delay: { amount: 2, unit: 'days' as const }, body: 'Two' },
]

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const firstOf = async (written: Written) => (await written.sent())[0]!
const statesOf = async (written: Written) =>
  (await written.prospects()).map(({ status, statusReason }) => [status, statusReason])
const entriesOf = ({ owner }: Written) =>
  app.owner`select value, source from opt_outs where account_id = ${owner.accountId} order by value`
const auditOf = ({ owner }: Written, action: string) =>
  app.owner`select actor from audit_log where account_id = ${owner.accountId} and action = ${action}`
const withId = (sent: SentMail, messageId: string): SentMail => ({
  ...sent,
  mail: { ...sent.mail, messageId, headers: [] },
})

describe('a bounce of one of our mails', () => {
  it('that says for good that nobody is there suppresses the address, once however often it comes', async () => {
    const written = await post.write(1, steps)
    const mail = await firstOf(written)
    const bounce = aBounce(mail)
    const receipts = await Promise.all(Array.from({ length: 20 }, () => written.receive(bounce)))
    expect(receipts.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1)
    await written.receive(aBounce(mail))
    expect(await entriesOf(written)).toEqual([{ value: mail.to, source: 'bounce' }])
    expect(await auditOf(written, 'suppress')).toEqual([{ actor: 'bounce' }])
    expect(await statesOf(written)).toEqual([['bounced', 'hard_bounce']])
    expect(await written.messages()).toMatchObject([
      {
        type: 'campaign',
        status: 'sent',
        deliveryStatus: 'bounced',
        deliveryReason: expect.stringContaining('5.1.1'),
      },
    ])
    await post.pass(3 * DAY_MS)
    expect(await written.sent()).toHaveLength(1)
  })

  it('is known by the header that repeats our id where a server replaced it', async () => {
    const written = await post.write(1, steps)
    const sent = await firstOf(written)
    const rewritten = { ...sent, mail: { ...sent.mail, messageId: '<1@rewriting.example>' } }
    expect(await written.receive(aBounce(rewritten))).toMatchObject({ outcome: 'stored', kind: 'bounce' })
    expect(await statesOf(written)).toEqual([['bounced', 'hard_bounce']])
  })

  it.each([
    ['a full mailbox', '4.2.2', '452 4.2.2 mailbox full'],
    ['a policy', '5.7.1', '550 5.7.1 blocked by policy'],
  ])('for %s suppresses nobody, and the sequence goes on', async (_what, status, diagnostic) => {
    const written = await post.write(1, steps)
    await written.receive(aBounce(await firstOf(written), { status, diagnostic }))
    expect(await entriesOf(written)).toEqual([])
    await post.pass(2 * DAY_MS)
    expect(await written.sent()).toHaveLength(2)
  })

  it('for a policy at several companies in a day stops the mailbox, at one company not', async () => {
    const written = await post.write(2)
    const { campaignId } = await another(written)
    const data = [1, 2].map(n => ({ email: `x@${randomUUIDv7()}-${n}.example` }))
    await written.owner.call('addProspectsToCampaign', { campaignId, data })
    await post.worker.work()
    const refused = { status: '5.7.1', diagnostic: '550 5.7.1 rejected by DMARC policy' }
    const { owner, mailboxId } = written
    const status = async () => (await owner.call('getMailbox', { mailboxId })).status
    const mails = (await post.mails()).filter(({ mail }) => mail.from?.address === written.address)
    expect(mails).toHaveLength(4)
    const companies = new Set<string>()
    for (const mail of mails) {
      expect(await status()).toBe('active')
      await written.receive(aBounce(mail, refused))
      companies.add(mail.to.split('@')[1]!)
    }
    expect(companies.size).toBe(3)
    expect(await status()).toBe('failing')
  })
})

/** One more active campaign of the same rep. */
async function another({ owner }: Written) {
  const { data: reps } = await owner.call('listReps', {})
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Summer',
    repIds: [reps[0]!.id],
    steps: [steps[0]!],
    settings: { isEvergreen: true },
  })
  await owner.call('launchCampaign', { campaignId })
  return { campaignId }
}

describe('a report that anybody could have written', () => {
  it('suppresses nobody: 500 forged bounces and complaints', { timeout: 120_000 }, async () => {
    const written = await post.write(5, steps)
    const sent = await written.sent()
    const forge = (n: number): Buffer => {
      const mail = sent[n % sent.length]!
      const other = sent[(n + 1) % sent.length]!
      const made = withId(mail, `<${randomUUIDv7().replaceAll('-', '')}@${written.address.split('@')[1]}>`)
      switch (n % 5) {
        case 0:
          return aBounce(made)
        case 1:
          return aComplaint(made)
        case 2: // the id of what the forger got, the address of another
          return aBounce(mail, { address: other.to })
        case 3: // no id at all
          return rawMail(
            {
              'Return-Path': '<>',
              From: 'mailer-daemon@x.example',
              Subject: 'Undelivered Mail',
              'Message-ID': `<${n}@f.example>`,
            },
            `Delivery to ${mail.to} failed permanently: 550 5.1.1 no such user`,
          )
        default: // from the victim's own address
          return rawMail(
            {
              From: mail.to,
              Subject: 'Mail delivery failed',
              'X-Failed-Recipients': mail.to,
              'Message-ID': `<${n}@g.example>`,
            },
            '550 5.1.1 no such user',
          )
      }
    }
    for (let n = 0; n < 500; n += 1) {
      expect(await written.receive(forge(n))).toMatchObject({ outcome: 'ignored' })
    }
    expect(await entriesOf(written)).toEqual([])
    expect(new Set((await statesOf(written)).flat())).toEqual(new Set(['active', undefined]))
    expect((await written.messages()).filter(({ deliveryStatus }) => deliveryStatus)).toEqual([])
  })

  it('is believed about an address only when the mail that it names went there', () => {
    const mail = (id: string, ...emails: string[]) => ({ id, emails })
    const hard = (address: string) => ({ address, class: 'hard' as const, status: '5.1.1' })
    const told = { email: 'a@x.example', class: 'hard', status: '5.1.1' }
    const one = mail('1', 'a@x.example')
    const two = mail('2', 'a@x.example', 'b@x.example')
    expect(believe([hard('A@X.example')], [one])).toEqual({ sent: one, recipients: [told] })
    expect(believe([hard('a@x.example'), hard('c@x.example')], [two])).toEqual({
      sent: two,
      recipients: [told],
    })
    expect(believe([hard('a@x.example')], [mail('0', 'z@x.example'), two])?.sent).toBe(two)
    expect(believe([hard('')], [one])).toEqual({ sent: one, recipients: [told] })
    expect(believe([], [one])?.recipients).toEqual([{ email: 'a@x.example', class: 'unknown' }])
    expect(believe([], [two])).toBeUndefined()
    expect(believe([hard('c@x.example')], [one])).toBeUndefined()
    expect(believe([hard('a@x.example')], [])).toBeUndefined()
  })
})

describe('a complaint', () => {
  it.each([
    ['names who complains', (mail: SentMail) => aComplaint(mail)],
    ['hides who complains', (mail: SentMail) => aComplaint(mail, '')],
    ['hides them behind another address', (mail: SentMail) => aComplaint(mail, 'hidden@provider.example')],
  ])('that %s opts them out', async (_how, complain) => {
    const written = await post.write(2, steps)
    const mail = await firstOf(written)
    await written.receive(complain(mail))
    expect(await entriesOf(written)).toEqual([{ value: mail.to, source: 'complaint' }])
    expect((await statesOf(written)).sort()).toEqual([
      ['active', undefined],
      ['opted_out', 'complaint'],
    ])
  })
})

describe('of a mail that waits to be sent again, as nobody knew whether it had arrived,', () => {
  it.each([
    ['a bounce', 'bounce', (mail: SentMail) => aBounce(mail), ['bounced', 'hard_bounce']],
    ['a complaint', 'complaint', (mail: SentMail) => aComplaint(mail), ['opted_out', 'complaint']],
  ])('%s is believed, and it is not sent again', async (_what, source, report, state) => {
    post.server.script = step => (step === 'DOT' ? 'cut' : undefined)
    const written = await post.write(1, steps)
    post.server.script = () => undefined
    const [message] = await written.messages()
    const emailMessageId = message!.id
    await written.owner.call('resolveEmailMessage', { emailMessageId, as: 'send_again' })
    const mail = await firstOf(written)
    expect(await written.receive(report(mail))).toMatchObject({ outcome: 'stored', kind: source })
    expect(await entriesOf(written)).toEqual([{ value: mail.to, source }])
    expect(await statesOf(written)).toEqual([state])
    expect(await written.messages()).toMatchObject([{ status: 'sent' }])
    await post.pass(3 * DAY_MS)
    expect(await written.sent()).toHaveLength(1)
  })
})

describe('the mail that List-Unsubscribe asks for', () => {
  it('opts out who sends it, from whatever address, and a token of another account nobody', async () => {
    const written = await post.write(1, steps)
    const elsewhere = await post.write(1, steps)
    const mail = await firstOf(written)
    const header = mail.mail.headers.find(({ key }) => key === 'list-unsubscribe')!.value
    const subject = decodeURIComponent(/mailto:[^>?]+\?subject=([^>]+)>/.exec(header)![1]!)
    const raw = rawMail(
      {
        From: 'private@home.example',
        To: written.address,
        Subject: subject,
        'Message-ID': '<7@home.example>',
      },
      '',
    )
    expect(await elsewhere.receive(raw)).toMatchObject({ outcome: 'ignored' })
    expect(await written.receive(raw)).toMatchObject({ outcome: 'stored', kind: 'unsubscribe' })
    expect(await written.receive(raw)).toMatchObject({ outcome: 'known' })
    expect(await entriesOf(written)).toEqual([{ value: mail.to, source: 'unsubscribe_mail' }])
    expect(await statesOf(written)).toEqual([['opted_out', 'unsubscribe_mail']])
    expect(await entriesOf(elsewhere)).toEqual([])
  })
})

it('a server that refuses an unknown address at once suppresses it just the same', async () => {
  post.server.script = step => (step === 'RCPT' ? '550 5.1.1 no such user' : undefined)
  const written = await post.write(1, steps)
  post.server.script = () => undefined
  expect(await entriesOf(written)).toEqual([{ value: written.emails[0], source: 'bounce' }])
  expect((await statesOf(written))[0]![0]).toBe('bounced')
})
