import { createTransport } from 'nodemailer'
import type { Config } from '../../kernel/config.ts'

const TIMEOUT_MS = 15_000
const MAX_CONCURRENT = 20

/**
 * Returns whether the installation can send invitations and password resets itself. The config then has a sender and a
 * `publicUrl` too: links must not be built from the Host header, which anybody can choose.
 */
export const hasSystemMail = ({ systemSmtpUrl }: Config): boolean => systemSmtpUrl !== undefined

let inFlight = 0

/** Throws the mail server's error, and when too many emails are already waiting for it. */
export async function sendSystemMail(
  { systemSmtpUrl, systemMailFrom }: Config,
  { to, ...mail }: { to: string; subject: string; text: string },
): Promise<void> {
  if (inFlight >= MAX_CONCURRENT) throw new Error(`${inFlight} mails are already waiting for the mail server`)
  const transport = createTransport({
    url: systemSmtpUrl!,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  inFlight++
  try {
    await transport.sendMail({
      ...mail,
      from: systemMailFrom,
      // A string would be parsed as a list of addresses.
      to: { name: '', address: to },
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  } finally {
    inFlight--
  }
}
