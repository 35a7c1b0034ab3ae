import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeMailCampaign, openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails } from '../../../../test/support/mail/sent-mail.ts'

let app: TestApp
let server: ScriptedSmtp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-23T09:00:00.000Z')
  server = await ScriptedSmtp.open()
  worker = openWorker(app)
})
afterEach(() => {
  server.transfers.length = 0
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const sequence = [
  {
    delay: { amount: 1, unit: 'hours' as const },
    variants: [
      { subject: '{Hi|Hello} {{ firstName }}', body: '{One|Eins|Un} for {{ firstName }}' },
      { subject: 'Grüße, {{ firstName }}', body: '<p>{One|Eins} &amp; all for <b>{{ firstName }}</b></p>' },
    ],
  },
  { delay: { amount: 1, unit: 'hours' as const }, body: '{Two|Zwei}' },
  { delay: { amount: 1, unit: 'hours' as const }, body: 'Three' },
]
const getCodes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code)

it('a preview shows exactly the emails that are sent, for every step and prospect', async () => {
  const campaign = await makeMailCampaign(app, [server], 12, sequence)
  const { owner, campaignId } = campaign
  const { repIds, steps } = await owner.call('getCampaign', { campaignId })
  await owner.call('updateRep', { repId: repIds[0]!, signature: 'Ada\nAcme' })
  const previews = new Map<string, { subject: string; text: string; html: string; headers: string[] }>()
  for (const prospect of await campaign.prospects()) {
    for (const [n, { id: stepId }] of steps.entries()) {
      const seen = await owner.call('previewCampaign', { campaignId, stepId, prospectId: prospect.id })
      expect(seen.warnings).toEqual([])
      expect(seen.prospectId).toBe(prospect.id)
      const headers = seen.headers
        .filter(({ name }) => name !== 'Date')
        .map(({ name, value }) => `${name}: ${value}`)
      previews.set(`${seen.to!.email} ${n}`, { ...seen, headers })
    }
  }
  for (let n = 0; n < 4; n++) {
    app.setNow(new Date(app.now().getTime() + 3_600_000))
    await worker.work()
  }
  const mails = await readMails(server)
  expect(mails).toHaveLength(previews.size)
  // Previews must not contain the prospect's own unsubscribe link.
  const withoutLink = (text = '') =>
    text.replace(/http:[^\s"<>]+\/u\/[\w-]+/g, 'LINK').replace(/unsubscribe%20[\w-]+/g, 'unsubscribe')
  const counts = new Map<string, number>()
  for (const { to, mail } of mails) {
    const n = counts.get(to) ?? 0
    counts.set(to, n + 1)
    const seen = previews.get(`${to} ${n}`)!
    expect(seen.subject).toBe(mail.subject)
    expect(withoutLink(seen.text).trimEnd()).toBe(withoutLink(mail.text).trimEnd())
    expect(withoutLink(seen.html).trimEnd()).toBe(withoutLink(mail.html).trimEnd())
    const sent = mail.headers.filter(({ key }) => !/^(date|received)$/.test(key))
    expect(seen.headers.map(line => line.slice(0, line.indexOf(':')).toLowerCase())).toEqual(
      sent.map(({ key }) => key),
    )
    const getHeader = (name: string) =>
      seen.headers.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2)
    expect(getHeader('Message-ID')).toBe(mail.messageId)
    expect(getHeader('In-Reply-To')).toBe(mail.inReplyTo)
    expect(getHeader('References')).toBe(mail.references)
  }
  expect(await campaign.messages()).toHaveLength(previews.size)
})

it('a preview shows placeholders for missing values and warns about everything that prevents sending', async () => {
  const owner = await makeCaller(app)
  const { id: campaignId, steps } = await owner.call('createCampaign', {
    name: 'Bare',
    steps: [
      {
        subject: `{{ company }} ${'x'.repeat(80)}`,
        body: 'Hi {{ firstName | default: "there" }} in {{ city }}, {{ signature }}',
      },
    ],
  })
  const seen = await owner.call('previewCampaign', { campaignId, stepId: steps[0]!.id })
  expect(seen).toMatchObject({ subject: `[company] ${'x'.repeat(80)}`, headers: [] })
  expect(seen.text).toContain('Hi there in [city], [signature]')
  expect(getCodes(seen)).toEqual([
    ...['missing_variable', 'missing_variable', 'no_signature', 'no_opt_out_line', 'no_postal_address'],
    ...['no_mailbox', 'no_email', 'long_subject'],
  ])
})

it('a preview shows a step for a given person, the same each time, and defaults to the first prospect', async () => {
  const { owner, campaignId } = await makeMailCampaign(app, [server], 2, sequence)
  const { steps } = await owner.call('getCampaign', { campaignId })
  const person = { firstName: '<Ann> {a|b}', email: 'ann@people.example' }
  const preview = (more: object) =>
    owner.call('previewCampaign', { campaignId, stepId: steps[0]!.id, ...more })
  const seen = await preview({ person })
  expect(await preview({ person })).toEqual({ ...seen, headers: expect.anything() })
  expect(seen.to).toEqual({ name: '<Ann> {a|b}', email: 'ann@people.example' })
  expect(seen.subject).toContain('<Ann> {a|b}')
  const [, html] = steps[0]!.variants
  expect((await preview({ person, variantId: html!.id })).html).toContain('&lt;Ann&gt; {a|b}')
  expect((await preview({})).to?.email).toMatch(/^person\d@/)
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'people.example' }] })
  expect(getCodes(await preview({ person }))).toEqual(['do_not_contact'])
})

it('a preview changes nothing, and its unsubscribe link opts nobody out', async () => {
  const { owner, campaignId, prospects, messages } = await makeMailCampaign(app, [server], 1, sequence)
  const { steps } = await owner.call('getCampaign', { campaignId })
  const before = await prospects()
  const { headers } = await owner.call('previewCampaign', { campaignId, stepId: steps[1]!.id })
  const { value } = headers.find(({ name }) => name === 'List-Unsubscribe')!
  expect(value).toMatch(/^<http[^>]+\/u\/preview>, <mailto:[^>]+>$/)
  expect(await prospects()).toEqual(before)
  expect(await messages()).toEqual([])
})

it('a preview of steps, variants or prospects of other campaigns is rejected', async () => {
  const { owner, campaignId } = await makeMailCampaign(app, [server], 1, sequence)
  const other = await makeMailCampaign(app, [server], 1, sequence)
  const { steps } = await owner.call('getCampaign', { campaignId })
  const [foreign] = (await other.owner.call('getCampaign', { campaignId: other.campaignId })).steps
  const [prospect] = await other.prospects()
  const stepId = steps[0]!.id
  for (const [path, input] of [
    ['stepId', { campaignId, stepId: foreign!.id }],
    ['variantId', { campaignId, stepId, variantId: steps[1]!.variants[0]!.id }],
    ['prospectId', { campaignId, stepId, prospectId: prospect!.id }],
  ] as const)
    await expect(owner.call('previewCampaign', input)).rejects.toMatchObject({ details: [{ path }] })
  await expect(
    owner.call('previewCampaign', { campaignId: other.campaignId, stepId: foreign!.id }),
  ).rejects.toMatchObject({ code: 'NotFound' })
  await expect(
    owner.call('previewCampaign', { campaignId, stepId, person: { email: 'nobody' } }),
  ).rejects.toMatchObject({ code: 'ValidationError', details: [{ path: 'person.email' }] })
})
