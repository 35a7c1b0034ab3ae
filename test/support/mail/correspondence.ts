import type { RawInput } from '../../../src/contract/index.ts'
import type { ReceivedMail, ReceiveResult } from '../../../src/server/engine/receive/incoming-mail.ts'
import { receiveMail } from '../../../src/server/engine/receive/receive-mail.ts'
import type { TestApp } from '../app.ts'
import { aMailCampaign, type MailCampaign, openWorker, type Worker } from './mail-campaign.ts'
import { ScriptedSmtp } from './scripted-smtp.ts'
import { readMails, type SentMail } from './sent-mail.ts'

/** A campaign whose people got its first mail. */
export type Written = MailCampaign & {
  mailboxId: string
  /** Of the mailbox. */
  address: string
  /** The mails that they got so far, oldest first. */
  sent: () => Promise<SentMail[]>
  /** Into the campaign's mailbox, once more if told so. */
  receive: (raw: Buffer, folder?: ReceivedMail['folder']) => Promise<ReceiveResult>
}

export type PostOffice = AsyncDisposable & {
  server: ScriptedSmtp
  worker: Worker
  /** Lets time pass, and the engine do what is due then. */
  pass: (ms: number) => Promise<void>
  /** Every mail that the server got so far. */
  mails: () => Promise<SentMail[]>
  write: (people?: number, steps?: RawInput<'setCampaignSteps'>['steps']) => Promise<Written>
}

/** An engine that sends to a mail server of the test, and whoever gets its mails. */
export async function openPostOffice(app: TestApp): Promise<PostOffice> {
  const server = await ScriptedSmtp.open()
  const worker = openWorker(app)
  return {
    server,
    worker,
    pass: async ms => {
      app.setNow(new Date(app.now().getTime() + ms))
      await worker.work()
    },
    mails: () => readMails(server),
    write: async (people = 1, steps) => {
      const campaign = await aMailCampaign(app, [server], people, steps)
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
