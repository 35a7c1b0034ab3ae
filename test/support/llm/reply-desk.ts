import type { Output, RawInput } from '../../../src/contract/index.ts'
import { claimReplies } from '../../../src/server/domain/reply-agent/claim-replies.ts'
import { REPLY_LEASE_MS } from '../../../src/server/engine/replies/answer-reply.ts'
import { processReply } from '../../../src/server/engine/replies/reply-worker.ts'
import { type Caller, openTestApp, type TestApp } from '../app.ts'
import { makeReply } from '../mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../mail/correspondence.ts'
import { LlmServer } from './llm-server.ts'

/** An app with a mail server and a model server, for tests of the reply agent. */
export type ReplyDesk = AsyncDisposable & { app: TestApp; post: PostOffice; llm: LlmServer }

export async function openReplyDesk(): Promise<ReplyDesk> {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' }))
  app.setNow('2026-11-20T09:00:00Z')
  const post = opened.use(await openPostOffice(app))
  const llm = opened.use(await LlmServer.open())
  const all = opened.move()
  return { app, post, llm, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Processes all replies that are due by the app's clock, as engines do. Returns their number. */
export async function processDueReplies(app: TestApp): Promise<number> {
  const limits = { now: app.now(), limit: 100, perAccount: 100, leaseMs: REPLY_LEASE_MS, busy: [] }
  const claims = await claimReplies(app.db.engine, limits)
  await Promise.all(claims.map(claim => processReply(app, claim, new AbortController().signal)))
  return claims.length
}

/** Configures the account's reply agent to use this server. */
export const setAgent = (
  owner: Caller,
  llm: LlmServer,
  more: Partial<RawInput<'setReplyAgent'>> = {},
): Promise<unknown> =>
  owner.call('setReplyAgent', {
    provider: 'openai_compatible',
    model: 'recorded',
    baseUrl: llm.baseUrl,
    apiKey: llm.apiKey,
    ...more,
  })

export type Message = Output<'getEmailMessage'>

/** Receives a reply to the first email of the campaign and returns the received message. */
export async function replyToFirstEmail(written: SentCampaign, text: string): Promise<Message> {
  const { messageId } = await written.receive(makeReply((await written.sent())[0]!, text))
  return written.owner.call('getEmailMessage', { emailMessageId: messageId! })
}

/** Returns the current classification of a received message. */
export const getClassification = async ({ owner }: SentCampaign, emailMessageId: string) =>
  (await owner.call('getEmailMessage', { emailMessageId })).reply!

/** Returns the agent's drafts and sent messages. */
export const listAgentMessages = async ({ owner }: SentCampaign): Promise<Message[]> =>
  (await owner.call('listEmailMessages', { type: 'reply_agent' })).data
