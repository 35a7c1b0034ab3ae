import { createTransport } from 'nodemailer'
import type { Config } from '../../kernel/config.ts'

const TIMEOUT_MS = 15_000
const MAX_AT_ONCE = 20

/**
 * Whether the installation can send mail of its own: invitations, and links that set a new password. Where they lead is a
 * setting, because anybody can choose what a request calls its host: with the mail server the sender and `publicUrl` are set.
 */
export const hasSystemMail = ({ systemSmtpUrl }: Config): boolean => systemSmtpUrl !== undefined

let inFlight = 0

/** Throws what the mail server says, and when too many mails wait for it already. */
export async function sendSystemMail(
  { systemSmtpUrl, systemMailFrom }: Config,
  { to, ...mail }: { to: string; subject: string; text: string },
): Promise<void> {
  if (inFlight >= MAX_AT_ONCE) throw new Error(`${inFlight} mails wait for the mail server already`)
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
      // Not as text, which would be read as a list.
      to: { name: '', address: to },
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  } finally {
    inFlight--
  }
}
