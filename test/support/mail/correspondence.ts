import type { RawInput } from '../../../src/contract/index.ts'
import type { ReceivedMail, ReceiveResult } from '../../../src/server/engine/receive/incoming-mail.ts'
import { receiveMail } from '../../../src/server/engine/receive/receive-mail.ts'
import type { TestApp } from '../app.ts'
import { type MailCampaign, makeMailCampaign, openWorker, type Worker } from './mail-campaign.ts'
import { ScriptedSmtp } from './scripted-smtp.ts'
import { readMails, type SentMail } from './sent-mail.ts'

/** A campaign whose first email was sent to everyone. */
export type SentCampaign = MailCampaign & {
  mailboxId: string
  /** The mailbox's address. */
  address: string
  /** Returns the campaign's emails so far, oldest first. */
  sent: () => Promise<SentMail[]>
  /** Receives an email in the campaign's mailbox. */
  receive: (raw: Buffer, folder?: ReceivedMail['folder']) => Promise<ReceiveResult>
}

export type PostOffice = AsyncDisposable & {
  server: ScriptedSmtp
  worker: Worker
  workAfter: Worker['workAfter']
  /** Returns every email that the server received. */
  mails: () => Promise<SentMail[]>
  write: (
    people?: number | readonly string[],
    steps?: RawInput<'setCampaignSteps'>['steps'],
  ) => Promise<SentCampaign>
}

/** Opens an engine and a mail server that receives its emails. */
export async function openPostOffice(app: TestApp): Promise<PostOffice> {
  const server = await ScriptedSmtp.open()
  const worker = openWorker(app)
  return {
    server,
    worker,
    workAfter: worker.workAfter,
    mails: () => readMails(server),
    write: async (people = 1, steps) => {
      const campaign = await makeMailCampaign(app, [server], people, steps)
      await worker.work()
      const mailboxId = campaign.mailboxIds[0]!
      const { accountId } = campaign.owner
      const { email: address } = await campaign.owner.call('getMailbox', { mailboxId })
      return {
        ...campaign,
        mailboxId,
        address,
        sent: async () => (await readMails(server)).filter(({ to }) => campaign.emails.includes(to)),
        receive: (raw, folder = 'inbox') =>
          receiveMail(app, { accountId, mailboxId, raw, receivedAt: app.now(), folder }),
      }
    },
    [Symbol.asyncDispose]: async () => {
      await worker[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
