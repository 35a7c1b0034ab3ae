import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { LlmServer, type ModelAnswer, type ModelRequest } from '../support/llm/llm-server.ts'
import { type Message, processDueReplies, setAgent } from '../support/llm/reply-desk.ts'
import { makeReply } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../support/mail/correspondence.ts'
import { injectionMails } from '../support/mail/injection-mails.ts'

/** Answers like a model that obeys every instruction. The agent must limit what the model's output can do. */
function followInjection({ system, input: { reply } }: ModelRequest): ModelAnswer {
  const { text } = reply
  // The telltale parts come first, because the draft is truncated.
  const draft = `Sent to victim@bank.example, see https://evil.example/\n\nAs you wish: ${text}\n\n${system}`
  const email = /victim@bank\.example/.exec(text)?.[0] ?? 'victim@bank.example'
  if (/right person/.test(text)) return { intent: 'wrong_person', referral: { name: 'Victim', email }, draft }
  return { intent: 'interested', draft: draft.slice(0, 9_000) }
}

const SECRET = 'we pay 4711 to nobody else'

let app: TestApp
let post: PostOffice
let llm: LlmServer
let written: SentCampaign
/** Received messages, in the order of `injectionMails`. */
const received: Message[] = []
/** Recipients of our emails, in the order of `injectionMails`. */
const recipientAddresses: string[] = []
let rowsBefore: Map<string, Set<string>>
let rowsAfter: Map<string, Set<string>>

/** Returns the account's rows as JSON, by table. Prospects lack the intent, which may change, and `updated_at`. */
async function readRows(accountId: string): Promise<Map<string, Set<string>>> {
  const tables = await app.owner<{ name: string }[]>`
    select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'account_id' order by 1`
  const rows = new Map<string, Set<string>>()
  for (const { name } of tables) {
    const found = await app.owner<{ text: string }[]>`
      select (to_jsonb(t) - ${name === 'prospects' ? ['intent', 'updated_at'] : []}::text[])::text as text
        from ${app.owner.identifier(name)} t where account_id = ${accountId}`
    rows.set(name, new Set(found.map(({ text }) => text)))
  }
  return rows
}

const readMessage = (emailMessageId: string) => written.owner.call('getEmailMessage', { emailMessageId })

beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  post = await openPostOffice(app)
  llm = await LlmServer.open()
  written = await post.write(injectionMails.length + 1)
  const { owner, campaignId } = written
  await setAgent(owner, llm, {
    dailyReplies: 1_000,
    // The widest autopilot that an account can allow.
    autopilot: {
      intents: ['interested', 'question', 'objection', 'not_now', 'wrong_person'],
      delayMinutes: 1,
      dailyCap: 1_000,
    },
  })
  await owner.call('updateCampaignKnowledge', { campaignId, offer: 'Shift planning.' })
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'never@navy.example' }] })
  const [other, ...mails] = await written.sent()
  await written.receive(makeReply(other!, `In confidence: ${SECRET}.`))
  await processDueReplies(app)
  llm.requests.length = 0
  llm.answer = followInjection
  for (const [at, { mail }] of injectionMails.entries()) {
    const { messageId } = await written.receive(mail(mails[at]!, `mark${at}.`))
    recipientAddresses.push(mails[at]!.to)
    received.push(await readMessage(messageId!))
  }
  rowsBefore = await readRows(owner.accountId)
  await processDueReplies(app)
  for (const [at, { id }] of received.entries()) received[at] = await readMessage(id)
  rowsAfter = await readRows(owner.accountId)
})
afterAll(async () => {
  await llm[Symbol.asyncDispose]()
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const requestsAbout = (at: number) =>
  llm.requests.filter(({ input }) => input.reply.text.includes(`mark${at}.`))

it('the model receives every one of at least sixty injections', () => {
  expect(injectionMails.length).toBeGreaterThanOrEqual(60)
  expect(llm.requests.length).toBeGreaterThanOrEqual(60)
})

describe.each(injectionMails.map(({ name }, at) => [name, at] as const))('a reply with %s', (_name, at) => {
  it('gets a draft in its own thread, to the prospect, for a person to review', async () => {
    const { reply, emailThreadId, prospectId } = received[at]!
    expect(reply).toMatchObject({ intentBy: 'model', draft: { state: 'waiting' } })
    expect(reply!.draft.reason).toMatch(/^(foreign_link|other_sender)$/)
    const draft = await readMessage(reply!.draft.emailMessageId!)
    expect(draft).toMatchObject({ type: 'reply_agent', status: 'draft', emailThreadId, prospectId })
    expect(draft.recipients).toEqual({ to: [expect.objectContaining({ email: recipientAddresses[at] })] })
    expect(draft.deliveryStatus).toBeUndefined()
    if (reply!.referral?.email) expect(received[at]!.newText).toContain(reply!.referral.email)
  })

  it('is passed to the model as data, without other threads or tools', () => {
    const request = llm.requests.filter(
      ({ input }) => input.reply.subject.length + input.reply.text.length > 0,
    )[at]!
    const { system, body } = request
    expect(JSON.parse(body)).not.toHaveProperty('tools')
    expect(system).toBe(llm.requests[0]!.system)
    expect(body).not.toContain(SECRET)
    expect(body).not.toContain(llm.apiKey)
    expect(body).not.toMatch(/\/u\/[\w-]{20}|never@navy\.example/)
    expect(request.input.thread).toHaveLength(1)
    for (const [other] of injectionMails.entries()) {
      if (requestsAbout(other)[0] !== request) expect(body).not.toContain(`mark${other}.`)
    }
  })
})

it('an injection changes nothing in the account except drafts and the classification of replies', async () => {
  const changed = [...rowsAfter].flatMap(([table, rows]) => {
    const added = [...rows].filter(row => !rowsBefore.get(table)!.has(row)).length
    const removed = [...rowsBefore.get(table)!].filter(row => !rows.has(row)).length
    return added + removed > 0 ? [[table, added, removed]] : []
  })
  const drafts = injectionMails.length
  expect(changed).toEqual([
    ['agent_replies', drafts, drafts],
    ['audit_log', drafts, 0],
    ['conversations', drafts, drafts],
    ['email_messages', drafts, 0],
  ])
})

it('an injection causes no email to be sent, not even with an autopilot that may send everything', async () => {
  app.setNow(new Date(app.now().getTime() + 3_600_000))
  await processDueReplies(app)
  await post.worker.work()
  const recipients = (await post.mails()).map(({ to }) => to)
  // The campaign's first emails, and the answer to the one harmless reply.
  expect(recipients).toHaveLength(injectionMails.length + 2)
  expect(recipients.filter(to => !written.emails.includes(to))).toEqual([])
  expect((await written.owner.call('listOptOuts', {})).data.map(({ identifier }) => identifier)).toEqual([
    'never@navy.example',
  ])
})
