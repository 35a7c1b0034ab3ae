import { setTimeout as sleep } from 'node:timers/promises'
import { type App, inAccount } from '../context.ts'
import { asDatabaseFault, type Sql, withoutDeadlock } from '../db.ts'
import type { BodyFormat } from '../email/body.ts'
import { failpoint } from '../failpoints.ts'
import type { ClaimedSend } from '../inbox/sends.ts'
import { countAttempt } from '../mailboxes/room.ts'
import type { StoredMailbox } from '../mailboxes/transport.ts'

const RECORD_MS = 60_000

export type Contact = { name: string; email: string }

/** A message as it is to be sent. */
export type Outgoing = {
  id: string
  /** A person had it sent again after an end that nobody knows: its step is over already. */
  isRepeat: boolean
  prospectId: string | null
  campaignId: string | null
  subject: string
  body: string
  bodyFormat: BodyFormat
  sender: Contact
  recipients: { to: Contact[]; cc?: Contact[]; bcc?: Contact[] }
  messageId: string
  inReplyTo: string | null
  referenceIds: string[]
}

/** Everything that is written under an attempt is void once its claim went to another. */
export type Attempt = {
  app: App
  claim: ClaimedSend
  outgoing: Outgoing
  mailbox?: StoredMailbox | undefined
  /** The server was handed the mail, or may have been: it counts for the mailbox's daily cap. */
  isHandedOver?: boolean
}

/** A database that is away for a while must not turn what is known of a send into what nobody knows. */
export async function inTransaction(
  { app, claim, isHandedOver }: Attempt,
  work: (tx: Sql) => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + RECORD_MS
  for (;;) {
    try {
      await withoutDeadlock(() =>
        inAccount(app.db.gate, claim.accountId, async tx => {
          if (isHandedOver) await countAttempt(tx, claim, app.now())
          await work(tx)
          await failpoint('record.written', claim.mailboxId)
        }),
      )
      return await failpoint('record.committed', claim.mailboxId)
    } catch (fault) {
      if (!asDatabaseFault(fault) || performance.now() > deadline) throw fault
      await sleep(500)
    }
  }
}
