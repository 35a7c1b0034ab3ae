import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** The mail server of an installation, with received emails. */
export type MailServer = AsyncDisposable & {
  /** Settings for sending through it. */
  settings: Record<string, string>
  mails: Email[]
  /** Addresses that it refuses. */
  refused: Set<string>
}

export async function openMailServer(publicUrl = 'https://outreach.acme.example'): Promise<MailServer> {
  const mails: Email[] = []
  const refused = new Set<string>()
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(refused.has(address) ? new Error('5.1.1 no such mailbox') : null),
    onData: async (stream, _session, done) => {
      mails.push(await PostalMime.parse(Buffer.concat(await stream.toArray())))
      done()
    },
  })
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  const { port } = smtp.server.address() as AddressInfo
  return {
    settings: {
      SYSTEM_SMTP_URL: `smtp://127.0.0.1:${port}`,
      SYSTEM_MAIL_FROM: 'overture@acme.example',
      PUBLIC_URL: publicUrl,
    },
    mails,
    refused,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => smtp.close(() => resolve())),
  }
}
