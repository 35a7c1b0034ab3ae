import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { awaitCallback } from './connection.ts'

const TIMEOUT_MS = 15_000

/**
 * Connects to the server of a URL such as smtps://user:password@mail.acme.example, with TLS where the server offers it,
 * and signs in. Throws the server's error.
 */
export async function openUrl(url: string): Promise<SMTPConnection> {
  const { auth, ...options } = parseConnectionUrl(url)
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // Destroys the socket on close: a graceful close would flush the end of the message, which the gate holds back.
    socketCloseTimeout: 0,
  })
  connection.on('error', () => undefined)
  try {
    await awaitCallback(connection, done => connection.connect(done))
    if (auth && (connection.allowsAuth || options.forceAuth))
      await awaitCallback(connection, done => connection.login({ credentials: auth }, done))
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
