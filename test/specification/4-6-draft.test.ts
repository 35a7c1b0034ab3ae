import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEmail } from '../support/campaigns/inbox.ts'
import {
  expectInvalid,
  getBody,
  getItems,
  type Item,
  openSpecificationServer,
  type SpecificationServer,
  uuid,
} from '../support/contract/specification-server.ts'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
})
afterAll(() => specified[Symbol.asyncDispose]())

const path = '/inbox/email/messages/draft'
const request = (changes: object = {}) => ({
  prospectId: specified.world.prospectId,
  emailMessageIdToReplyTo: specified.world.receivedMessageId,
  body: 'Thursday suits me.',
  ...changes,
})
const createDraft = async (changes: object = {}): Promise<Item> => {
  const { messageId } = getBody<{ messageId: string }>(await specified.post(path, request(changes)))
  return getBody(await specified.get(`/inbox/email/messages/${messageId}`))
}
const expectRejected = async (changes: object, field: string) =>
  expectInvalid(await specified.post(path, request(changes)), field)

it('4.6.response: is a 200 with the ID of the draft', async () => {
  expect(getBody(await specified.post(path, request()))).toMatchObject({
    messageId: expect.stringMatching(uuid),
  })
})

it('4.6.draft: is a message with the type manual and the status draft', async () => {
  const { otherDraftIds, ...message } = await createDraft()
  expect(message).toMatchObject({ type: 'manual', status: 'draft', body: 'Thursday suits me.' })
  expect(getItems(await specified.get('/inbox/email/messages?status=draft'))).toContainEqual(message)
})

it('4.6.thread: the draft belongs to the thread, prospect, campaign and rep of the message', async () => {
  const { emailThreadId, prospectId, campaignId, repId } = specified.world
  expect(await createDraft()).toMatchObject({ emailThreadId, prospectId, campaignId, repId })
})

it('4.6.subject: has only one Re: after several replies', async () => {
  const { world } = specified
  const subject = `Re: Hello ${world.mark}`
  expect((await createDraft()).subject).toBe(subject)
  expect((await createDraft({ emailMessageIdToReplyTo: world.sentMessageId })).subject).toBe(subject)
})

const required: [title: string, field: string][] = [
  ['4.6.prospect: is required', 'prospectId'],
  ['4.6.reply-to: is required', 'emailMessageIdToReplyTo'],
  ['4.6.body: is required', 'body'],
]
it.each(required)('%s', (_title, field) => expectRejected({ [field]: undefined }, field))

it.each(['', ' \n', 1, null])('4.6.body-length: rejects an empty body (%j)', body =>
  expectRejected({ body }, 'body'),
)

it('4.6.body-min: accepts a body of one character', async () => {
  expect((await createDraft({ body: 'x' })).body).toBe('x')
})

it.each(['prospectId', 'emailMessageIdToReplyTo'])(
  '4.6.unknown-id: rejects an invalid or unknown ID (%s)',
  async field => {
    await expectRejected({ [field]: 'nonsense' }, field)
    await expectRejected({ [field]: randomUUIDv7() }, field)
  },
)

it('4.6.other-prospect: rejects a prospect of another thread', () =>
  expectRejected({ prospectId: specified.world.pausedProspectId }, 'prospectId'))

it('4.6.default-recipient: the draft goes to the sender of the message', async () => {
  const { mark } = specified.world
  const to = [{ name: `Ada ${mark}`, email: `ada@company-${mark}.example` }]
  expect((await createDraft()).recipients).toEqual({ to })
})

it('4.6.default-reply-to: the draft goes to the Reply-To address of the received message', async () => {
  const { server, caller, world } = specified
  const office = { name: 'Office', email: 'office@company.example' }
  const emailMessageIdToReplyTo = await makeEmail(server.app, caller, {
    threadId: world.emailThreadId,
    type: 'received',
    replyTo: [office],
  })
  expect((await createDraft({ emailMessageIdToReplyTo })).recipients).toEqual({ to: [office] })
})

it('4.6.default-own: the draft goes to the same recipients when the message is ours', async () => {
  const { world, get } = specified
  const { recipients } = getBody(await get(`/inbox/email/messages/${world.sentMessageId}`))
  expect((await createDraft({ emailMessageIdToReplyTo: world.sentMessageId })).recipients).toEqual(recipients)
})

it('4.6.recipients: override the default, including cc and bcc', async () => {
  const recipients = {
    to: [{ name: 'Ben', email: 'ben@company.example' }],
    cc: [{ name: 'Cleo', email: 'cleo@company.example' }],
    bcc: [{ name: 'Dan', email: 'dan@company.example' }],
  }
  expect((await createDraft({ recipients })).recipients).toEqual(recipients)
})

it('4.6.recipient-name: defaults to the address', async () => {
  const { recipients } = await createDraft({ recipients: { to: [{ email: 'ben@company.example' }] } })
  expect(recipients).toEqual({ to: [{ name: 'ben@company.example', email: 'ben@company.example' }] })
})

it.each([
  ['recipients.to', {}],
  ['recipients.to', { to: [] }],
  ['recipients.to.0.email', { to: [{ name: 'Ben' }] }],
  ['recipients.to.0.email', { to: [{ email: 'nobody' }] }],
  ['recipients.cc.0.email', { to: [{ email: 'a@b.example' }], cc: [{ email: 'x' }] }],
  ['recipients.bcc', { to: [{ email: 'a@b.example' }], bcc: 'x' }],
])('4.6.recipients-valid: rejects invalid recipients (%s %j)', (field, recipients) =>
  expectRejected({ recipients }, field),
)

it('4.6.suppressed: is created and marked for a recipient on the Do Not Contact list, but cannot be sent', async () => {
  const { world, post } = specified
  const { id, deliveryStatus } = await createDraft({ recipients: { to: [{ email: world.optedOutEmail }] } })
  expect(deliveryStatus).toBe('suppressed')
  const response = await post(`/inbox/email/messages/${id}/send`)
  expect([response.status, (response.body as Item).message]).toEqual([
    409,
    expect.stringContaining(`${world.optedOutEmail} is on the Do Not Contact list`),
  ])
})
