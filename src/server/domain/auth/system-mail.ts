import { randomUUID } from 'node:crypto'
import parseAddresses from 'nodemailer/lib/addressparser'
import type { Config } from '../../kernel/config.ts'
import { getEmailDomain, redactAddresses } from '../../protocols/identity/email.ts'
import { composeMessage, type EmailAddress } from '../../protocols/mime/compose.ts'
import { quitConnection } from '../../protocols/smtp/connection.ts'
import { sendThroughGate } from '../../protocols/smtp/gate.ts'
import { openUrl } from '../../protocols/smtp/open-url.ts'
import { type NodemailerError, type SendResult, toFailedResult } from '../../protocols/smtp/result.ts'

const MAX_CONCURRENT = 20
const SERVER = 'the system mail server'

/**
 * Returns whether the installation can send invitations and password resets itself. The config then has a sender and a
 * `publicUrl` too: links must not be built from the Host header, which anybody can choose.
 */
export const hasSystemMail = ({ systemSmtpUrl }: Config): boolean => systemSmtpUrl !== undefined

export type SystemMail = { to: string; subject: string; text: string; html?: string | undefined }

let inFlight = 0

/** Sends an email. Throws when the mail server fails or too many emails are already waiting for it. */
export async function sendSystemMail(config: Config, mail: SystemMail): Promise<void> {
  const result = await sendGatedSystemMail(config, mail, { id: randomUUID(), gate: async () => true })
  if (result.outcome !== 'sent') throw new Error('reason' in result ? result.reason : result.outcome)
}

/**
 * Sends an email whose final dot is sent once the gate allows it; see `sendThroughGate`. The `id` becomes its
 * Message-ID. The reason for a failure contains no addresses and can be logged. Throws when too many emails are waiting
 * for the server, and when the gate throws.
 */
export async function sendGatedSystemMail(
  config: Config,
  mail: SystemMail,
  options: { id: string; gate: () => Promise<boolean> },
): Promise<SendResult> {
  const result = await sendMail(config, mail, options)
  return 'reason' in result ? { ...result, reason: redactAddresses(result.reason) } : result
}

async function sendMail(
  { systemSmtpUrl, systemMailFrom }: Config,
  { to, ...mail }: SystemMail,
  { id, gate }: { id: string; gate: () => Promise<boolean> },
): Promise<SendResult> {
  if (inFlight >= MAX_CONCURRENT)
    throw new Error(`${inFlight} emails are already waiting for the mail server`)
  inFlight++
  try {
    const from = parseFrom(systemMailFrom!)
    const message = await composeMessage({
      ...mail,
      from,
      to: [{ address: to }],
      messageId: `<${id}@${getEmailDomain(from.address)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      date: new Date(),
    })
    const connection = await openUrl(systemSmtpUrl!).catch((error: NodemailerError) => ({ error }))
    if ('error' in connection) return toFailedResult(connection.error, 'connect', SERVER)
    try {
      return await sendThroughGate(connection, { ...message, gate }, SERVER)
    } finally {
      await quitConnection(connection)
    }
  } finally {
    inFlight--
  }
}

function parseFrom(text: string): EmailAddress {
  const [from] = parseAddresses(text, { flatten: true })
  return { address: from?.address ?? text, ...(from?.name && { name: from.name }) }
}
