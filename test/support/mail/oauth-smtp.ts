import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { OAuthServer } from './oauth-server.ts'

/**
 * An SMTP server that accepts only access tokens of an OAuth server. It rejects other sign-ins with a challenge, like
 * Google's server, or immediately, like Microsoft's.
 */
export type OAuthSmtp = AsyncDisposable & {
  port: number
  /** Emails as recipients receive them; Microsoft's server replaces each Message-ID. */
  emails: Email[]
  /** User names and tokens of all sign-ins. */
  signIns: { user: string; token: string }[]
  /** Rejects every sign-in with this reply while set. */
  refusal: { code: number; text: string } | undefined
}

export async function openOAuthSmtp(oauth: OAuthServer, style: 'google' | 'microsoft'): Promise<OAuthSmtp> {
  const smtp = new SMTPServer({
    // The methods that the providers offer, in the same order. A token that is sent as a password is rejected.
    authMethods: ['LOGIN', 'PLAIN', 'XOAUTH2'],
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username = '', accessToken = '' }, _session, done) => {
      server.signIns.push({ user: username, token: accessToken })
      const refuse = (text: string, responseCode = 535) =>
        done(Object.assign(new Error(text), { responseCode }))
      if (server.refusal) return refuse(server.refusal.text, server.refusal.code)
      const found = oauth.findUser(accessToken)
      if (found?.username === username) return done(null, { user: username })
      if (style === 'microsoft') return refuse('5.7.3 Authentication unsuccessful')
      done(null, { data: { status: '400', schemes: 'Bearer', scope: 'https://mail.google.com/' } })
    },
    onData: async (stream, { user, envelope: { mailFrom } }, done) => {
      // An incomplete message is discarded.
      const chunks = await stream.toArray().catch(() => undefined)
      if (!chunks) return done()
      const from = mailFrom ? mailFrom.address : ''
      if (style === 'microsoft' && from !== user && !oauth.delegates.get(from)?.has(String(user)))
        return done(
          Object.assign(new Error('5.2.252 SendAsDenied; the user may not send as this address'), {
            responseCode: 554,
          }),
        )
      const mail = await PostalMime.parse(Buffer.concat(chunks))
      if (style === 'google') {
        server.emails.push(mail)
        return done(null, '2.0.0 OK 1732 a1-20 - gsmtp')
      }
      const messageId = `<${randomUUID()}@EUR01.PROD.OUTLOOK.COM>`
      server.emails.push({ ...mail, messageId })
      done(null, `2.0.0 OK ${messageId} [Hostname=DB9PR01.EUR01.prod.outlook.com]`)
    },
  })
  // Without a listener, a client that aborts would end the process.
  smtp.on('error', () => undefined)
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  const server: OAuthSmtp = {
    port: (smtp.server.address() as AddressInfo).port,
    emails: [],
    signIns: [],
    refusal: undefined,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => smtp.close(() => resolve())),
  }
  return server
}
