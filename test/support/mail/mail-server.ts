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
  /** Addresses that it cannot take now. */
  busy: Set<string>
  /** Every address that it was asked to take. */
  asked: string[]
  /** Awaited before it answers whether it takes an address. */
  onRecipient: (address: string) => Promise<unknown> | undefined
}

export async function openMailServer(publicUrl = 'https://outreach.acme.example'): Promise<MailServer> {
  const mails: Email[] = []
  const refused = new Set<string>()
  const busy = new Set<string>()
  const asked: string[] = []
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: async ({ address }, _session, done) => {
      asked.push(address)
      await server.onRecipient(address)
      if (busy.has(address)) done(Object.assign(new Error('4.3.0 try again later'), { responseCode: 451 }))
      else done(refused.has(address) ? new Error('5.1.1 no such mailbox') : null)
    },
    onData: async (stream, _session, done) => {
      // A message without its end is discarded.
      const chunks = await stream.toArray().catch(() => undefined)
      if (chunks) mails.push(await PostalMime.parse(Buffer.concat(chunks)))
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
    mails,
    refused,
    busy,
    asked,
    onRecipient: () => undefined,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => smtp.close(() => resolve())),
  }
  return server
}
