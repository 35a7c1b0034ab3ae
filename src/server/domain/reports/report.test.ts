import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { makeBounce, makeReply } from '../../../../test/support/mail/answers.ts'
import {
  type MailCampaign,
  makeMailCampaign,
  openWorker,
} from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails, type SentMail } from '../../../../test/support/mail/sent-mail.ts'
import type { RawInput } from '../../../contract/index.ts'
import { reportGroups } from '../../../contract/reports.ts'
import { receiveMail } from '../../engine/receive/receive-mail.ts'
import type { Sql } from '../../kernel/db/database.ts'

let server: TestServer
let campaign: MailCampaign
let secondId: string
let emails: SentMail[]

const get = (input: RawInput<'getReport'> = {}) => campaign.owner.call('getReport', input)
const period = { from: '2026-11-19', to: '2026-11-24' }

/** Emails four people on the 20th (in Berlin); one bounces, one replies on the 24th, one is called and answers. */
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  const { app } = server
  await using smtp = await ScriptedSmtp.open()
  await using worker = openWorker(app)
  app.setNow('2026-11-19T23:30:00.000Z')
  const variants = ['A', 'B'].map(name => ({ subject: name, body: name }))
  campaign = await makeMailCampaign(app, [smtp], 4, [{ variants }])
  const { owner, campaignId, mailboxIds } = campaign
  await owner.call('updateAccount', { timezone: 'Europe/Berlin' })
  await worker.work()
  emails = await readMails(smtp)
  app.setNow('2026-11-24T09:00:00.000Z')
  const receive = (raw: Buffer) =>
    receiveMail(app, {
      ...{ accountId: owner.accountId, mailboxId: mailboxIds[0]! },
      ...{ raw, receivedAt: app.now(), folder: 'inbox' as const },
    })
  await receive(makeReply(emails[0]!, 'Tuesday suits me.'))
  await receive(makeReply(emails[0]!, 'Or Wednesday.'))
  await receive(makeBounce(emails[1]!, { status: '5.1.1', diagnostic: '550 5.1.1 user unknown' }))
  const messages = await campaign.messages()
  const called = messages.find(({ recipients }) => recipients.to[0]!.email === emails[2]!.to)!
  const prospectId = called.prospectId!
  await owner.call('logCall', { prospectId, outcome: 'answered', phoneNumber: '+442079460018' })
  secondId = (await owner.call('createCampaign', { name: 'Autumn' })).id
  expect(campaignId).not.toBe(secondId)
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a report', () => {
  it('counts outcomes in the period, with rates', async () => {
    const { total, data, ...rest } = await get(period)
    expect(rest).toEqual({ objectType: 'report', ...period, timezone: 'Europe/Berlin', hasMore: false })
    expect(data).toEqual([])
    expect(total).toMatchObject({ contacted: 4, sent: 4, delivered: 3, bouncedHard: 1, replied: 1 })
    expect(total).toMatchObject({ callsPlaced: 1, callsAnswered: 1, invited: 0, optedOut: 0 })
    expect(total.rates).toEqual({
      ...{ delivered: 0.75, bounced: 0.25, complaints: 0, replied: 0.25, positive: 1, optedOut: 0 },
      ...{ callsAnswered: 1, meetings: 0 },
    })
  })

  it('agrees with the statistics of the campaign', async () => {
    const stats = await campaign.owner.call('getCampaignStats', { campaignId: campaign.campaignId })
    const { total } = await get({ ...period, campaignId: campaign.campaignId })
    const { sent, delivered, bouncedHard, replied, optedOut } = total
    expect(stats).toMatchObject({ sent, delivered, bouncedHard, replied, optedOut })
    expect(await get({ ...period, campaignId: secondId })).toMatchObject({ total: { sent: 0, contacted: 0 } })
  })

  it('has a row for each day in the given time zone, or for each week, named by its Monday', async () => {
    const days = await get({ ...period, groupBy: 'day' })
    const toCounts = (rows: typeof days.data) => rows.map(({ key, sent, replied }) => [key, sent, replied])
    expect(toCounts(days.data).filter(([, sent, replied]) => sent || replied)).toEqual([
      ['2026-11-20', 4, 0],
      ['2026-11-24', 0, 1],
    ])
    expect(days.data).toHaveLength(6)
    const inUtc = await get({ ...period, groupBy: 'day', timezone: 'UTC' })
    expect(toCounts(inUtc.data)[0]).toEqual(['2026-11-19', 4, 0])
    expect(toCounts((await get({ ...period, groupBy: 'week' })).data)).toEqual([
      ['2026-11-16', 4, 0],
      ['2026-11-23', 0, 1],
    ])
  })

  it('names groups, and counts outcomes without a group in a row without a key', async () => {
    const { campaignId, mailboxIds } = campaign
    const byCampaign = await get({ ...period, groupBy: 'campaign' })
    expect(byCampaign.data).toMatchObject([
      { key: campaignId, name: 'Spring', sent: 4, contacted: 4, callsPlaced: 0 },
      { sent: 0, contacted: 1, callsPlaced: 1 },
    ])
    expect(byCampaign.data[1]).not.toHaveProperty('key')
    const [mailbox] = (await get({ ...period, groupBy: 'mailbox' })).data
    expect(mailbox).toMatchObject({ key: mailboxIds[0], name: expect.stringContaining('@acme.example') })
    expect((await get({ ...period, groupBy: 'rep' })).data).toMatchObject([{ name: 'Ada Byron', sent: 4 }])
    expect((await get({ ...period, groupBy: 'step' })).data[0]).toMatchObject({
      name: 'Spring, step 1',
      campaignId,
    })
    const domain = emails[0]!.to.split('@')[1]
    expect((await get({ ...period, groupBy: 'recipientDomain' })).data[0]).toMatchObject({
      key: domain,
      sent: 4,
    })
  })

  it('compares variants', async () => {
    const { data, comparisons } = await get({ ...period, groupBy: 'variant' })
    const variants = data.filter(({ key }) => key)
    // Chance decides whether everyone gets the same variant.
    const subjects = [...new Set(emails.map(({ mail }) => mail.subject))].sort()
    expect(variants.map(({ name }) => name).sort()).toEqual(
      subjects.map(subject => `Spring, step 1, variant ${subject}`),
    )
    expect(variants.every(({ replyInterval }) => replyInterval!.low <= replyInterval!.high)).toBe(true)
    expect(comparisons).toMatchObject(
      subjects.length > 1 ? [{ stepId: variants[0]!.stepId, result: 'too_few' }] : [],
    )
  })

  it('omits outcomes outside the period', async () => {
    expect((await get({ from: '2026-11-21', to: '2026-11-22' })).total).toMatchObject({ sent: 0, replied: 0 })
    expect((await get({ from: '2026-11-24', to: '2026-11-24' })).total).toMatchObject({ sent: 0, replied: 1 })
  })

  it('counts each reply in the reply rate of the day or week of the answered email, if that email is in the period', async () => {
    for (const groupBy of ['day', 'week'] as const) {
      const { data, total } = await get({ ...period, groupBy })
      expect(data.flatMap(({ rates }) => rates.replied ?? [])).toEqual([0.25, 0])
      expect(total.rates.replied).toBe(0.25)
    }
    const later = await get({ from: '2026-11-24', to: '2026-11-24' })
    expect(later.total).toMatchObject({ contacted: 1, replied: 1, rates: { replied: 0 } })
  })

  it('counts replies by the answered email as it is now, even after that email changes', async () => {
    const find = (sql: Sql) => sql`
      select (r.campaign_id, r.prospect_id, r.step_id, r.variant_id, r.rep_id, r.about_mailbox_id, r.recipient_domain, r.about_type)
               is not distinct from
             (m.campaign_id, m.prospect_id, m.step_id, m.variant_id, m.rep_id, m.mailbox_id, m.recipient_domain, m.type) as "isSame",
             r.contacted_at is not distinct from case m.status when 'sent' then m.sent_at end as "isSameContact"
        from received_mails r join email_messages m on m.account_id = r.account_id and m.id = r.about_id
       where r.account_id = ${campaign.owner.accountId}`
    const same = Array(3).fill({ isSame: true, isSameContact: true })
    expect(await find(server.app.owner)).toEqual(same)
    const rollback = new Error('rolled back')
    const { campaignId } = campaign
    await expect(
      server.app.owner.begin(async tx => {
        for (const change of [
          tx`prospect_id = (select id from prospects where campaign_id = ${campaignId} limit 1), rep_id = null`,
          tx`recipients = '{"to": [{"email": "ada@other.example"}]}', sent_at = sent_at - interval '1 hour'`,
          tx`status = null, is_last = false`,
        ]) {
          await tx`update email_messages set ${change} where campaign_id = ${campaignId} and type = 'campaign'`
          expect(await find(tx)).toEqual(same)
        }
        throw rollback
      }),
    ).rejects.toBe(rollback)
  })

  it.each([['in total', undefined] as const, ...reportGroups.map(group => [`by ${group}`, group] as const)])(
    'equals two separate reports if it includes a comparison (%s)',
    async (_, groupBy) => {
      const by = groupBy && { groupBy }
      // The emails of the 20th are before the replies of the 24th, so that each period has its own groups.
      for (const [days, daysBefore] of [
        [
          { from: '2026-11-21', to: '2026-11-24' },
          { from: '2026-11-17', to: '2026-11-20' },
        ],
        [
          { from: '2026-11-24', to: '2026-11-30' },
          { from: '2026-11-17', to: '2026-11-23' },
        ],
        [
          { from: '2026-12-01', to: '2026-12-31' },
          { from: '2026-11-01', to: '2026-11-30' },
        ],
      ] as const) {
        const compared = await get({ ...days, ...by, compare: true })
        const [now, before] = [await get({ ...days, ...by }), await get({ ...daysBefore, ...by })]
        expect(compared.comparedWith).toEqual(daysBefore)
        expect(compared.total).toEqual({ ...now.total, before: before.total })
        expect(compared.comparisons).toEqual(now.comparisons)
        const withoutBefore = compared.data.map(({ before: _, ...row }) => row)
        expect(withoutBefore.slice(0, now.data.length)).toEqual(now.data)
        const isByTime = groupBy === 'day' || groupBy === 'week'
        for (const [n, row] of before.data.entries()) {
          const counterpart = isByTime ? compared.data[n] : compared.data.find(({ key }) => key === row.key)
          const { key, name, campaignId, stepId, replyInterval, ...numbers } = row
          if (!isByTime || counterpart) expect(counterpart!.before).toEqual(numbers)
        }
        const onlyBefore = compared.data.slice(now.data.length)
        expect(onlyBefore.every(({ contacted, sent, replied }) => contacted + sent + replied === 0)).toBe(
          true,
        )
        if (isByTime) expect(onlyBefore).toEqual([])
        else
          expect(onlyBefore.map(({ key, name }) => [key, name])).toEqual(
            before.data
              .filter(({ key }) => !now.data.some(row => row.key === key))
              .map(({ key, name }) => [key, name]),
          )
      }
      expect((await get({ ...period, ...by })).total).not.toHaveProperty('before')
    },
  )

  it('has the numbers of every day and week, regardless of the limit', async () => {
    for (const groupBy of ['day', 'week'] as const)
      expect(await get({ ...period, groupBy, limit: 1 })).toEqual(await get({ ...period, groupBy }))
  })

  it('sets hasMore when the limit cuts off groups', async () => {
    const report = await get({ ...period, groupBy: 'campaign', limit: 1 })
    expect(report).toMatchObject({
      hasMore: true,
      data: [{ key: campaign.campaignId }],
      total: { callsPlaced: 1 },
    })
  })

  it.each([
    [{ from: '2026-11-02', to: '2026-11-01' }, 'from'],
    [{ from: '2025-11-23', to: '2026-11-24' }, 'from'],
    [{ from: '2026-02-30' }, 'from'],
    [{ timezone: 'Berlin' }, 'timezone'],
    [{ timezone: '+01:00' }, 'timezone'],
  ])('rejects %j', async (input, path) => {
    await expect(get(input)).rejects.toMatchObject({ code: 'ValidationError', details: [{ path }] })
  })
})

describe('a report as CSV', () => {
  it('has the rows, and a column for each number and rate', async () => {
    const token = await server.createToken(campaign.owner)
    const path = '/report?groupBy=campaign&from=2026-11-19&to=2026-11-24'
    const { headers, text } = await server.request('GET', path, { token, headers: { accept: 'text/csv' } })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [header, first, second, ...rest] = text.replace('\ufeff', '').split('\r\n')
    expect(header).toMatch(
      /^key,name,campaignId,stepId,contacted,sent,.*,rates\.replied,.*,replyInterval\.low,replyInterval\.high$/,
    )
    expect(first).toMatch(new RegExp(`^${campaign.campaignId},Spring,,,4,4,3,1,`))
    expect(second).toMatch(/^,,,,1,0,/)
    expect(rest).toEqual([''])
    expect(header).not.toContain('before')
    const compared = await server.request('GET', `${path}&compare=true`, {
      token,
      headers: { accept: 'text/csv' },
    })
    expect(compared.text.split('\r\n')[0]).toMatch(
      /,replyInterval\.high,before\.contacted,.*,before\.rates\.meetings$/,
    )
    const json = await server.request('GET', path, {
      token,
      headers: { accept: 'application/json, text/csv' },
    })
    expect(json.headers.get('content-type')).toContain('application/json')
  })
})

describe('a compared report with a limit', () => {
  it('has the previous numbers of the groups it shows, even if other groups were larger then', async () => {
    const { campaignId } = campaign
    const [answered, ...others] = emails.map(({ to }) => to)
    const domains = { [answered!]: 'z.example', [others[0]!]: 'b.example' }
    for (const { id, recipients } of await campaign.messages()) {
      const email = `ada@${domains[recipients.to[0]!.email] ?? 'a.example'}`
      await server.app.owner`
        update email_messages set recipients = jsonb_set(recipients, '{to,0,email}', to_jsonb(${email}::text)) where id = ${id}`
    }
    const input = { from: '2026-11-21', to: '2026-11-24', campaignId, groupBy: 'recipientDomain' } as const
    const all = await get({ ...input, compare: true })
    const read = ({ data }: typeof all) =>
      data.map(({ key, replied, before }) => [key, replied, before?.sent])
    expect(read(all)).toEqual([
      ['z.example', 1, 1],
      ['a.example', 0, 2],
      ['b.example', 0, 1],
    ])
    for (const limit of [1, 2, 3]) {
      const limited = await get({ ...input, compare: true, limit })
      expect(read(limited)).toEqual(read(all).slice(0, limit))
      expect(limited.hasMore).toBe(limit < 3)
    }
  })
})
