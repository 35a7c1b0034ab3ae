import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { ModelError } from '../../protocols/llm/model.ts'
import { audit } from '../accounts/audit-log.ts'
import { classifyWithModel } from './classify-with-model.ts'
import { readReplyAgent } from './reply-agent.ts'
import { findStoredAgent, type ReplyFacts } from './reply-facts.ts'

/** A fictitious reply that every model can classify. */
const sampleReply: Omit<ReplyFacts, 'sentAt'> = {
  channel: 'email',
  threadId: '',
  prospectId: null,
  subject: 'Re: Shift planning',
  newText: 'Sounds good. What does it cost?',
  sender: null,
  repName: 'Ada',
  firstName: 'Grace',
  company: 'Navy',
  knowledge: {
    offer: 'Shift planning, 4 EUR per user and month.',
    answers: null,
    nextStep: null,
    tone: null,
  },
  earlier: [],
}

/**
 * Verifies the agent with a sample reply. Calls the model between two transactions, so that no transaction waits for
 * the network.
 */
export async function verifyReplyAgent(
  ctx: Context,
  _input: Input<'verifyReplyAgent'>,
): Promise<Output<'verifyReplyAgent'>> {
  const { app, accountId } = ctx
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(app.db.app, accountId, sql => work({ ...ctx, sql }))
  const agent = await inTransaction(tx => findStoredAgent(tx.sql, { onlyEnabled: false }))
  if (!agent) throw notSet()
  const problem = await findProblem(() =>
    classifyWithModel(app, { accountId, agent, facts: { ...sampleReply, sentAt: app.now() } }),
  )
  await inTransaction(async tx => {
    // Settings that were changed in the meantime stay unverified.
    const verified = await tx.sql`
      update reply_agents set verified_at = ${problem ? null : app.now()}
       where account_id = ${accountId} and updated_at = ${agent.updatedAt}`
    if (verified.count > 0) await audit(tx, problem ? 'verify_failed' : 'verify', 'reply_agent', accountId)
  })
  const replyAgent = await inTransaction(readReplyAgent)
  if (!replyAgent) throw notSet()
  return { ...replyAgent, ...(problem && { problem }) }
}

const notSet = () => conflict('No reply agent is set up. Set one up first.')

async function findProblem(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await ask()
    return undefined
  } catch (error) {
    if (error instanceof ModelError) return error.message
    throw error
  }
}
