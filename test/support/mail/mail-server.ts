import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** The mail server of an installation, with received emails. */
export type MailServer = AsyncDisposable & {
  /** Settings for sending through this server. */
  settings: Record<string, string>
  emails: Email[]
  /** Recipients that the server refuses. */
  refused: Set<string>
  /** Recipients that the server refuses temporarily. */
  busy: Set<string>
  /** The address of every RCPT command. */
  recipients: string[]
  /** Awaited before the reply to a RCPT command. */
  onRecipient: (address: string) => Promise<unknown> | undefined
}

export async function openMailServer(publicUrl = 'https://outreach.acme.example'): Promise<MailServer> {
  const emails: Email[] = []
  const refused = new Set<string>()
  const busy = new Set<string>()
  const recipients: string[] = []
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: async ({ address }, _session, done) => {
      recipients.push(address)
      await server.onRecipient(address)
      if (busy.has(address)) done(Object.assign(new Error('4.3.0 try again later'), { responseCode: 451 }))
      else done(refused.has(address) ? new Error(`5.1.1 <${address}>: no such mailbox`) : null)
    },
    onData: async (stream, _session, done) => {
      // An incomplete message is discarded.
      const chunks = await stream.toArray().catch(() => undefined)
      if (chunks) emails.push(await PostalMime.parse(Buffer.concat(chunks)))
      done()
    },
  })
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  const { port } = smtp.server.address() as AddressInfo
  const server: MailServer = {
    settings: {
      SYSTEM_SMTP_URL: `smtp://127.0.0.1:${port}`,
      SYSTEM_MAIL_FROM: 'overture@acme.example',
      PUBLIC_URL: publicUrl,
    },
    emails,
    refused,
    busy,
    recipients,
    onRecipient: () => undefined,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => smtp.close(() => resolve())),
  }
  return server
}
