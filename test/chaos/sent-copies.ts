import { setTimeout as sleep } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import { openEngine } from '../../src/server/engine/loop.ts'
import type { TestApp } from '../support/app.ts'
import { Dovecot, dovecotPassword } from '../support/mail/dovecot.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

export type CopyFigures = {
  /** Before the Sent folder was synced. */
  before: Tally
  after: Tally
  copies: number
}

/** Loses every reply to a final dot. The provider accepts half of the emails and keeps copies of these. */
export async function loseRepliesWithCopies(
  app: TestApp,
  { emailCount, random }: { emailCount: number; random: () => number },
): Promise<CopyFigures> {
  using journal = new Journal()
  await using dovecot = await Dovecot.open()
  const user = 'sender@acme.example'
  const server = { host: '127.0.0.1', port: dovecot.port }
  const box = new ImapFlow({ ...server, secure: false, auth: { user, pass: dovecotPassword }, logger: false })
  await box.connect()
  const copies: Promise<unknown>[] = []
  await using peer = await openJournaledSmtp(journal, (step, _line, transfer) => {
    if (step !== 'DOT') return undefined
    const isAccepted = random() < 0.5
    if (isAccepted) copies.push(box.append('Sent Items', transfer!.wire.subarray(0, -5)))
    return { isAccepted, reaction: 'cut' }
  })
  const { owner, mailboxIds } = await makeMailCampaign(app, [peer], emailCount)
  const clock = openClock()
  await using _engine = openEngine({ ...app, now: clock.now }, { sync: { pollMs: 200 } })
  await waitUntilIdle(app, [owner.accountId], clock)
  await Promise.all(copies)
  await box.logout()
  const before = await tallyDeliveries(app.owner, journal, owner.accountId)
  const mailboxId = mailboxIds[0]!
  const imap = { ...server, tls: 'none' as const, user, password: dovecotPassword }
  await owner.call('updateMailbox', { mailboxId, imap })
  while (!(await owner.call('getMailbox', { mailboxId })).lastSyncedAt) await sleep(100)
  return { before, after: await tallyDeliveries(app.owner, journal, owner.accountId), copies: copies.length }
}
