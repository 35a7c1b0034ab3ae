import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'

const TIMEOUT_MS = 15_000

/**
 * Whether mails of the installation itself can be sent: those with a link that sets a new password. Where that leads
 * is a setting, because what a request calls its host anybody can choose.
 */
export const hasSystemMail = ({ systemMailUrl, systemMailFrom, publicUrl }: Config): boolean =>
  systemMailUrl !== undefined && systemMailFrom !== undefined && publicUrl !== undefined

/** Throws what the mail server says. */
export async function sendSystemMail(
  { systemMailUrl, systemMailFrom }: Config,
  mail: { to: string; subject: string; text: string },
): Promise<void> {
  const transport = createTransport({
    url: systemMailUrl!,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  await transport.sendMail({ from: systemMailFrom, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
}
