import { randomUUIDv7 } from 'node:crypto'
import { type Caller, makeCaller, type TestApp } from '../app.ts'
import type { ScriptedSmtp } from './scripted-smtp.ts'

export type MailboxOwner = {
  owner: Caller
  mailboxId: string
  address: string
  personId: string
  email: string
}

/** Creates an account whose rep has a mailbox at this SMTP server, and a person to write to. */
export async function makeMailboxOwner(
  app: TestApp,
  { port }: Pick<ScriptedSmtp, 'port'>,
): Promise<MailboxOwner> {
  const owner = await makeCaller(app, 'owner')
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper', ownedById: owner.userId })
  const address = `grace-${randomUUIDv7()}@acme.example`
  const { id: mailboxId } = await owner.call('createMailbox', {
    ...{ repId, kind: 'smtp', email: address },
    smtp: { host: '127.0.0.1', port, tls: 'none' },
  })
  await owner.call('verifyMailbox', { mailboxId })
  const email = `ada-${randomUUIDv7()}@analytical.example`
  const { id: personId } = await owner.call('createPerson', { firstName: 'Ada', email })
  return { owner, mailboxId, address, personId, email }
}
