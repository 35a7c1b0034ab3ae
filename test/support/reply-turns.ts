import type { Output, RawInput } from '../../src/contract/index.ts'
import { REPLY_LEASE_MS } from '../../src/server/engine/answer-reply.ts'
import { takeTurn } from '../../src/server/engine/reply-turns.ts'
import { claimReplies } from '../../src/server/reply-agent/claim-replies.ts'
import { anAnswer } from './answers.ts'
import type { Caller, TestApp } from './app.ts'
import type { Written } from './correspondence.ts'
import type { LlmServer } from './llm-server.ts'

/** A turn of each reply that is due by the app's clock, as engines give them; how many there were. */
export async function takeDueTurns(app: TestApp): Promise<number> {
  const limits = { now: app.now(), limit: 100, perAccount: 100, leaseMs: REPLY_LEASE_MS, busy: [] }
  const claims = await claimReplies(app.db.engine, limits)
  await Promise.all(claims.map(claim => takeTurn(app, claim, new AbortController().signal)))
  return claims.length
}

/** The account's agent asks that server. */
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

/** Somebody answers the first mail of the campaign; gives the received message. */
export async function anAnswered(written: Written, text: string): Promise<Message> {
  const { messageId } = await written.receive(anAnswer((await written.sent())[0]!, text))
  return written.owner.call('getEmailMessage', { emailMessageId: messageId! })
}
