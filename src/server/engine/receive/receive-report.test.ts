import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeBounce, makeComplaint, rawMail } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'
import type { SentMail } from '../../../../test/support/mail/sent-mail.ts'
import { verifyReport } from './verify-report.ts'

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

const getFirstEmail = async (written: SentCampaign) => (await written.sent())[0]!
const getStates = async (written: SentCampaign) =>
  (await written.prospects()).map(({ status, statusReason }) => [status, statusReason])
const findOptOuts = ({ owner }: SentCampaign) =>
  app.owner`select value, source from opt_outs where account_id = ${owner.accountId} order by value`
const findAudit = ({ owner }: SentCampaign, action: string) =>
  app.owner`select actor from audit_log where account_id = ${owner.accountId} and action = ${action}`
const withId = (sent: SentMail, messageId: string): SentMail => ({
  ...sent,
  mail: { ...sent.mail, messageId, headers: [] },
})

describe('a bounce', () => {
  it('suppresses an address that does not exist, once even if the report arrives repeatedly', async () => {
    const written = await post.write(1, steps)
    const mail = await getFirstEmail(written)
    const bounce = makeBounce(mail)
    const receipts = await Promise.all(Array.from({ length: 20 }, () => written.receive(bounce)))
    expect(receipts.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1)
    await written.receive(makeBounce(mail))
    expect(await findOptOuts(written)).toEqual([{ value: mail.to, source: 'bounce' }])
    expect(await findAudit(written, 'suppress')).toEqual([{ actor: 'bounce' }])
    expect(await getStates(written)).toEqual([['bounced', 'hard_bounce']])
    expect(await written.messages()).toMatchObject([
      {
        type: 'campaign',
        status: 'sent',
        deliveryStatus: 'bounced',
        deliveryReason: expect.stringContaining('5.1.1'),
      },
    ])
    await post.workAfter(3 * DAY_MS)
    expect(await written.sent()).toHaveLength(1)
  })

  it('keeps a prospect stopped if a user stopped it before the report arrived', async () => {
    const written = await post.write(1, steps)
    const mail = await getFirstEmail(written)
    const [{ id: prospectId = '' } = {}] = await written.prospects()
    await written.owner.call('stopProspects', { prospectIds: [prospectId] })
    await written.receive(makeBounce(mail))
    expect(await getStates(written)).toEqual([['stopped', 'manual']])
    expect(await written.messages()).toMatchObject([{ deliveryStatus: 'bounced' }])
    expect(await findOptOuts(written)).toEqual([{ value: mail.to, source: 'bounce' }])
  })

  it('is matched by X-Sent-Message-ID when a server replaced the Message-ID', async () => {
    const written = await post.write(1, steps)
    const sent = await getFirstEmail(written)
    const rewritten = { ...sent, mail: { ...sent.mail, messageId: '<1@rewriting.example>' } }
    expect(await written.receive(makeBounce(rewritten))).toMatchObject({ outcome: 'stored', kind: 'bounce' })
    expect(await getStates(written)).toEqual([['bounced', 'hard_bounce']])
  })

  it.each([
    ['a full mailbox', '4.2.2', '452 4.2.2 mailbox full'],
    ['a policy', '5.7.1', '550 5.7.1 blocked by policy'],
  ])('suppresses nobody and does not stop the sequence if due to %s', async (_what, status, diagnostic) => {
    const written = await post.write(1, steps)
    await written.receive(makeBounce(await getFirstEmail(written), { status, diagnostic }))
    expect(await findOptOuts(written)).toEqual([])
    await post.workAfter(2 * DAY_MS)
    expect(await written.sent()).toHaveLength(2)
  })

  it('changes nothing while the server still tries to deliver the email, but counts once it gives up', async () => {
    const written = await post.write(1, steps)
    const mail = await getFirstEmail(written)
    const failure = { status: '4.7.1', diagnostic: '450 4.7.1 greylisted, try again later' }
    expect(await written.receive(makeBounce(mail, { ...failure, action: 'delayed' }))).toMatchObject({
      outcome: 'ignored',
      reason: 'the email is delayed and will be retried',
    })
    const getStatus = async () => (await written.messages())[0]!.deliveryStatus
    expect(await getStatus()).toBeUndefined()
    await written.receive(makeBounce(mail, failure))
    expect(await getStatus()).toBe('bounced')
  })

  it('stops the mailbox when several companies reject its emails for policy reasons within a day', async () => {
    const written = await post.write(2)
    const { campaignId } = await launchAnother(written)
    const data = [1, 2, 3].map(n => ({ email: `x@${randomUUIDv7()}-${n}.example` }))
    await written.owner.call('addProspectsToCampaign', { campaignId, data })
    await post.worker.work()
    const refused = { status: '5.7.1', diagnostic: '550 5.7.1 rejected by DMARC policy' }
    const { owner, mailboxId } = written
    const status = async () => (await owner.call('getMailbox', { mailboxId })).status
    const all = (await post.mails()).filter(({ mail }) => mail.from?.address === written.address)
    const late = all.filter(({ to }) => to.endsWith('-3.example'))
    const emails = all.filter(mail => !late.includes(mail))
    expect([emails.length, late.length]).toEqual([4, 1])
    const companies = new Set<string>()
    for (const mail of emails) {
      expect(await status()).toBe('active')
      await written.receive(makeBounce(mail, refused))
      companies.add(mail.to.split('@')[1]!)
    }
    expect(companies.size).toBe(3)
    expect(await status()).toBe('failing')
    // The server's settings were corrected; this email was sent before.
    await owner.call('verifyMailbox', { mailboxId })
    await written.receive(makeBounce(late[0]!, refused))
    expect(await status()).toBe('active')
  })
})

/** Launches another campaign of the same rep. */
async function launchAnother({ owner }: SentCampaign) {
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

describe('a forged report', () => {
  it('suppresses nobody in 500 attempts', async () => {
    const written = await post.write(5, steps)
    const sent = await written.sent()
    const forge = (n: number): Buffer => {
      const mail = sent[n % sent.length]!
      const other = sent[(n + 1) % sent.length]!
      const forged = withId(mail, `<${randomUUIDv7().replaceAll('-', '')}@${written.address.split('@')[1]}>`)
      switch (n % 5) {
        case 0:
          return makeBounce(forged)
        case 1:
          return makeComplaint(forged)
        case 2: // the ID of an email to the forger, the address of another recipient
          return makeBounce(mail, { address: other.to })
        case 3: // no ID at all
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
    expect(await findOptOuts(written)).toEqual([])
    expect(new Set((await getStates(written)).flat())).toEqual(new Set(['active', undefined]))
    expect((await written.messages()).filter(({ deliveryStatus }) => deliveryStatus)).toEqual([])
  })

  it('affects only recipients of the email that it names', () => {
    const mail = (id: string, ...emails: string[]) => ({ id, emails })
    const hard = (address: string) => ({ address, class: 'hard' as const, status: '5.1.1' })
    const accepted = { email: 'a@x.example', class: 'hard', status: '5.1.1' }
    const one = mail('1', 'a@x.example')
    const two = mail('2', 'a@x.example', 'b@x.example')
    expect(verifyReport([hard('A@X.example')], [one])).toEqual({ sent: one, recipients: [accepted] })
    expect(verifyReport([hard('a@x.example'), hard('c@x.example')], [two])).toEqual({
      sent: two,
      recipients: [accepted],
    })
    expect(verifyReport([hard('a@x.example')], [mail('0', 'z@x.example'), two])?.sent).toBe(two)
    expect(verifyReport([hard('')], [one])).toEqual({ sent: one, recipients: [accepted] })
    expect(verifyReport([], [one])?.recipients).toEqual([{ email: 'a@x.example', class: 'unknown' }])
    expect(verifyReport([], [two])).toBeUndefined()
    expect(verifyReport([hard('c@x.example')], [one])).toBeUndefined()
    expect(verifyReport([hard('a@x.example')], [])).toBeUndefined()
  })
})

describe('a complaint', () => {
  it.each([
    ['names the complainant', (mail: SentMail) => makeComplaint(mail)],
    ['hides the complainant', (mail: SentMail) => makeComplaint(mail, '')],
    [
      'hides the complainant behind another address',
      (mail: SentMail) => makeComplaint(mail, 'hidden@provider.example'),
    ],
  ])('opts the person out when it %s', async (_how, complain) => {
    const written = await post.write(2, steps)
    const mail = await getFirstEmail(written)
    await written.receive(complain(mail))
    expect(await findOptOuts(written)).toEqual([{ value: mail.to, source: 'complaint' }])
    expect((await getStates(written)).sort()).toEqual([
      ['active', undefined],
      ['opted_out', 'complaint'],
    ])
  })

  it.each(['moved@elsewhere.example', null])('opts out a person whose address was set to %s', async moved => {
    const written = await post.write(1, steps)
    const mail = await getFirstEmail(written)
    const [prospect] = await written.prospects()
    await written.owner.call('updatePerson', { personId: prospect!.personId, email: moved })
    await written.receive(makeComplaint(mail))
    const values = [mail.to, ...(moved ? [moved] : [])].sort()
    expect(await findOptOuts(written)).toEqual(values.map(value => ({ value, source: 'complaint' })))
    expect(await getStates(written)).toEqual([['opted_out', 'complaint']])
  })

  it.each([
    ['somebody else', true],
    ['an unknown address', false],
  ])(
    'opts out the person of the conversation when it is about a reply to %s, unless the address is somebody else’s',
    async (_whom, isKnown) => {
      const written = await post.write(1, steps)
      const { owner } = written
      const [message] = await written.messages()
      const email = `ben@${randomUUIDv7()}.example`
      if (isKnown) await owner.call('createPerson', { email })
      const { messageId: emailMessageId } = await owner.call('createEmailDraft', {
        prospectId: message!.prospectId!,
        emailMessageIdToReplyTo: message!.id,
        body: 'By the way',
        recipients: { to: [{ email }] },
      })
      await owner.call('sendEmailDraft', { emailMessageId, allowNewRecipients: true })
      await post.worker.work()
      const mail = (await post.mails()).find(({ to }) => to === email)
      await written.receive(makeComplaint(mail!))
      const values = [email, ...(isKnown ? [] : written.emails)].sort()
      expect(await findOptOuts(written)).toEqual(values.map(value => ({ value, source: 'complaint' })))
    },
  )
})

describe('a report about an unconfirmed email that is queued again', () => {
  it.each([
    ['a bounce', 'bounce', (mail: SentMail) => makeBounce(mail), ['bounced', 'hard_bounce']],
    ['a complaint', 'complaint', (mail: SentMail) => makeComplaint(mail), ['opted_out', 'complaint']],
  ])('is applied and cancels the second send: %s', async (_what, source, report, state) => {
    post.server.script = step => (step === 'DOT' ? 'cut' : undefined)
    const written = await post.write(1, steps)
    post.server.script = () => undefined
    const [message] = await written.messages()
    const emailMessageId = message!.id
    await written.owner.call('resolveEmailMessage', { emailMessageId, as: 'send_again' })
    const mail = await getFirstEmail(written)
    expect(await written.receive(report(mail))).toMatchObject({ outcome: 'stored', kind: source })
    expect(await findOptOuts(written)).toEqual([{ value: mail.to, source }])
    expect(await getStates(written)).toEqual([state])
    expect(await written.messages()).toMatchObject([{ status: 'sent' }])
    await post.workAfter(3 * DAY_MS)
    expect(await written.sent()).toHaveLength(1)
  })
})

describe('an unsubscribe email', () => {
  it('opts out the recipient of the link, regardless of its sender, but ignores a token of another account', async () => {
    const written = await post.write(1, steps)
    const elsewhere = await post.write(1, steps)
    const mail = await getFirstEmail(written)
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
    expect(await written.receive(raw)).toMatchObject({ outcome: 'duplicate' })
    expect(await findOptOuts(written)).toEqual([{ value: mail.to, source: 'unsubscribe_mail' }])
    expect(await getStates(written)).toEqual([['opted_out', 'unsubscribe_mail']])
    expect(await findOptOuts(elsewhere)).toEqual([])
  })
})

it('suppresses an unknown address that the server rejects during the SMTP session', async () => {
  post.server.script = step => (step === 'RCPT' ? '550 5.1.1 no such user' : undefined)
  const written = await post.write(1, steps)
  post.server.script = () => undefined
  expect(await findOptOuts(written)).toEqual([{ value: written.emails[0], source: 'bounce' }])
  expect((await getStates(written))[0]![0]).toBe('bounced')
})
