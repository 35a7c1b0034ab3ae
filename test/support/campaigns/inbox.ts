import { randomUUIDv7 } from 'node:crypto'
import {
  insertEmailMessage,
  type NewEmailMessage,
  type NewThread,
  openThread,
} from '../../../src/server/domain/messages/write-email-messages.ts'
import { inAccount } from '../../../src/server/kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../../src/server/kernel/db/database.ts'
import type { Caller, TestApp } from '../app.ts'

/** A rep with a working mailbox and a campaign with one prospect. */
export type Desk = {
  repId: string
  mailboxId: string
  campaignId: string
  prospectId: string
  personId: string
}

export async function makeDesk(caller: Caller, ownedById = caller.userId): Promise<Desk> {
  const { id: repId } = await caller.call('createRep', { name: 'Grace Hopper', ownedById })
  const { id: mailboxId } = await caller.call('createMailbox', {
    repId,
    kind: 'sandbox',
    email: `grace-${randomUUIDv7()}@acme.example`,
  })
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring', repIds: [repId] })
  const { data } = await caller.call('addProspectsToCampaign', {
    campaignId,
    data: [{ firstName: 'Ada', email: `ada-${randomUUIDv7()}@analytical.example` }],
  })
  const { prospectId, personId } = data[0] as { prospectId: string; personId: string }
  return { repId, mailboxId, campaignId, prospectId, personId }
}

/**
 * Runs the work in one transaction of the account. Like the engine, repeats it after a deadlock, which can occur
 * because emails to one prospect update each other when they are recorded out of order.
 */
export const inAccountTransaction = <T>(
  app: TestApp,
  caller: Caller,
  work: (tx: Sql) => Promise<T>,
): Promise<T> => retryOnDeadlock(() => inAccount(app.db.app, caller.accountId, work))

export const makeThread = (app: TestApp, caller: Caller, thread: Partial<NewThread> = {}): Promise<string> =>
  inAccountTransaction(app, caller, tx => openThread(tx, { subject: 'Analytical engines', ...thread }))

export const ada = { name: 'Ada Byron', email: 'ada@analytical.example' }
export const grace = { name: 'Grace Hopper', email: 'grace@acme.example' }

/** Creates a message; defaults to a sent campaign email. */
export const makeEmail = (
  app: TestApp,
  caller: Caller,
  message: Partial<NewEmailMessage> & { threadId: string },
): Promise<string> =>
  inAccountTransaction(app, caller, tx =>
    insertEmailMessage(tx, {
      type: 'campaign',
      status: 'sent',
      subject: 'Analytical engines',
      body: 'Hello',
      bodyFormat: 'text',
      sender: message.type === 'received' ? ada : grace,
      recipients: { to: [message.type === 'received' ? grace : ada] },
      messageId: `<${randomUUIDv7()}@acme.example>`,
      sentAt: new Date(),
      ...message,
    }),
  )
